package access

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/internal/filetest"
)

func TestClientsAreKept(t *testing.T) {
	k := newKit(t)
	made := []*Issued{server(k), browser(k), mobile(k),
		k.create(Client{Name: "Signed", Mode: Server, CIDRs: cidrs, RequireSignature: true, Partner: true,
			Scopes: []Scope{AntennasRead, PhotosWrite}, Limits: Limits{Minute: 7, Day: 9}})}
	before := k.List()
	if len(before) != len(made) {
		t.Fatalf("%d clients, want %d", len(before), len(made))
	}
	k.reopen()
	if diff := cmp.Diff(before, k.List(), cmpopts.EquateEmpty(),
		cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }),
		cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("the keys differ after a restart: %v, want no difference", diff)
	}
	for _, i := range made {
		key := k.table.Load().find(i.APIKey, k.time)
		if key == nil || key.ID != i.ID || key.secret != i.SigningSecret || (i.SigningSecret != "") != i.Signs() {
			t.Errorf("%s: got %+v, want the key of %s, a secret: %v", i.Mode, key, i.ID, i.Signs())
		}
		if (i.Limits == DefaultLimits) == (i.Name == "Signed") {
			t.Errorf("%s: limits %+v", i.Mode, i.Limits)
		}
	}
}

// No file of the folder has a secret in clear.
func TestSecretsAreNotStored(t *testing.T) {
	k := newKit(t)
	made := mobile(k)
	k.reopen()
	for _, name := range []string{"clients.db", "secret.key"} {
		text := filetest.Read(t, filepath.Join(k.dir, name))
		for _, tt := range []struct{ what, secret string }{
			{"key", made.APIKey},
			{"secret of the key", made.APIKey[len(made.APIKey)-secretLength:]},
			{"signing secret", made.SigningSecret},
		} {
			t.Run(tt.what, func(t *testing.T) {
				if strings.Contains(string(text), tt.secret) {
					t.Errorf("%s has the %s", name, tt.what)
				}
			})
		}
	}
	if info, err := os.Stat(filepath.Join(k.dir, "secret.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("secret.key: %v, %v, want no error and Perm = 0o600", info.Mode(), err)
	}
}

// A client whose signing secret cannot be opened is refused, whatever it signs with;
// the others are served, and all can be administered. A lost key is not replaced.
func TestLostKey(t *testing.T) {
	k := newKit(t)
	path := filepath.Join(k.dir, "secret.key")
	plain := server(k)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that nothing needs: %v, want fs.ErrNotExist", err)
	}
	signs := mobile(k)
	right := filetest.Read(t, path)
	for _, tt := range []struct {
		what string
		key  []byte
	}{
		{"missing", nil},
		{"short", right[1:]},
		{"another", append([]byte{^right[0]}, right[1:]...)},
	} {
		t.Run(tt.what, func(t *testing.T) {
			os.Remove(path)
			if tt.key != nil {
				filetest.Write(t, path, tt.key)
			}
			k.reopen()
			g := &Gate{Clients: k.Clients, Failures: NewFailures()}
			ask := func(i *Issued, secret string) error {
				_, err := g.Check(&Request{Time: k.time, Method: "GET", Path: "/", Address: inside,
					Authorization: []string{"Bearer " + i.APIKey},
					Signature:     []string{Sign(secret, k.time, "GET", "/", EmptyBody)}, Scope: AntennasRead})
				return err
			}
			for _, secret := range []string{signs.SigningSecret, ""} {
				if err := ask(signs, secret); !errors.Is(err, ErrSignature) {
					t.Errorf("%s: %v, want ErrSignature", tt.what, err)
				}
			}
			if err := ask(plain, ""); err != nil {
				t.Errorf("%s: a client that does not sign: %v", tt.what, err)
			}
			if locked := k.Locked(); len(locked) != 1 || !strings.Contains(locked[0].Error(), signs.ID) {
				t.Errorf("%s: %v, want len(locked) = 1 and %q in Error", tt.what, locked, signs.ID)
			}
			if _, err := k.Create(Client{Name: "another", Mode: Mobile, Scopes: ReadScopes}); err == nil {
				t.Errorf("%s: a secret was sealed with a new key", tt.what)
			}
		})
	}
	if err := k.Delete(signs.ID); err != nil {
		t.Error(err)
	}
}

func TestRotation(t *testing.T) {
	k := newKit(t)
	first := mobile(k)
	second, err := k.Rotate(first.ID, time.Hour)
	must(t, err)
	works := func(key string) bool { return k.table.Load().find(key, k.time) != nil }
	if !works(first.APIKey) || !works(second.APIKey) || second.SigningSecret != "" {
		t.Error("the keys do not overlap")
	}
	k.time = k.time.Add(time.Hour - time.Second)
	if !works(first.APIKey) {
		t.Error("the old key ends before the overlap does")
	}
	k.time = k.time.Add(time.Second)
	k.reopen()
	if works(first.APIKey) || !works(second.APIKey) {
		t.Error("after the overlap")
	}
	if _, err := k.Revoke(first.ID, "000000000000"); !errors.Is(err, errNoKey) {
		t.Errorf("revoking an unknown key = %v, want ErrNoKey", err)
	}
	if _, err := k.Revoke(first.ID, second.Keys[1].Prefix); err != nil || works(second.APIKey) {
		t.Errorf("revoked: got %v, key works: %v, want neither", err, works(second.APIKey))
	}
	if c, err := k.Find(first.ID); err != nil || c.Keys[1].Revoked == nil || c.Keys[0].Revoked != nil {
		t.Errorf("got %+v, %v, want the second key revoked alone", c, err)
	}
	must(t, k.Delete(first.ID))
	if _, err := k.Find(first.ID); !errors.Is(err, ErrNoClient) || len(k.table.Load().keys) != 0 {
		t.Errorf("deleted: got %v, %d keys, want ErrNoClient and none", err, len(k.table.Load().keys))
	}
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"delete", k.Delete(first.ID)},
		{"rotate", func() error { _, err := k.Rotate(first.ID, 0); return err }()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !errors.Is(tt.err, ErrNoClient) {
				t.Errorf("%s of nobody: %v, want ErrNoClient", tt.name, tt.err)
			}
		})
	}
}

func TestFind(t *testing.T) {
	k := newKit(t)
	a := k.create(Client{Name: "a", Mode: Mobile})
	for _, tt := range []struct {
		name string
		want error
	}{
		{"a", nil},
		{a.ID, nil},
		{"b", ErrNoClient},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if c, err := k.Find(tt.name); !errors.Is(err, tt.want) || err == nil && c.ID != a.ID {
				t.Errorf("%s: got %v, %v, want %s or %v", tt.name, c, err, a.ID, tt.want)
			}
		})
	}
}

func TestExpiry(t *testing.T) {
	k := newKit(t)
	end := k.time.Add(time.Minute)
	i := k.create(Client{Mode: Mobile, Expires: &end})
	for _, tt := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {59 * time.Second, true}, {time.Minute, false}, {time.Hour, false}} {
		if got := k.table.Load().find(i.APIKey, k.time.Add(tt.after)) != nil; got != tt.want {
			t.Errorf("after %s: %v, want %v", tt.after, got, tt.want)
		}
	}
}

func TestLastUsed(t *testing.T) {
	k := newKit(t)
	i, g := server(k), k.gate()
	ask := func() {
		if _, err := g.Check(&Request{Time: k.time, Address: inside, APIKey: []string{i.APIKey},
			Scope: AntennasRead}); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	first := k.time
	k.time = k.time.Add(30 * time.Second)
	ask()
	must(t, k.SaveLastUsed())
	k.reopen()
	if c, err := k.Find(i.ID); err != nil || c.Keys[0].LastUsed == nil || !c.Keys[0].LastUsed.Equal(first) {
		t.Errorf("%+v, %v, want %s", c.Keys, err, first)
	}
}

func TestWrongClients(t *testing.T) {
	k := newKit(t)
	ok := Client{Name: "n", Mode: Server, CIDRs: cidrs, Scopes: ReadScopes}
	for _, tt := range []struct {
		what string
		f    func(c *Client)
	}{
		{"name", func(c *Client) { c.Name = "" }},
		{"name", func(c *Client) { c.Name = "  " }},
		{"name", func(c *Client) { c.Name = strings.Repeat("x", 101) }},
		{"printable", func(c *Client) { c.Name = "a\nb" }},
		{"printable", func(c *Client) { c.Name = "a\x7fb" }},
		{"printable", func(c *Client) { c.Name = "a\u202eb" }},
		{"mode", func(c *Client) { c.Mode = "ROBOT" }},
		{"needs scopes", func(c *Client) { c.Scopes = nil }},
		{"origin", func(c *Client) { c.Mode, c.CIDRs = Browser, nil }},
		{"has no CIDRs", func(c *Client) { c.Mode, c.Origins = Browser, origins }},
		{"has origins", func(c *Client) { c.Origins = origins }},
		{"at least one CIDR", func(c *Client) { c.CIDRs = nil }},
		{"cannot sign", func(c *Client) { c.Mode, c.Origins, c.CIDRs, c.RequireSignature = Browser, origins, nil, true }},
		{"limits", func(c *Client) { c.Limits.Minute = -1 }},
	} {
		t.Run(tt.what, func(t *testing.T) {
			c := ok
			tt.f(&c)
			if _, err := k.Create(c); err == nil || !strings.Contains(err.Error(), tt.what) {
				t.Errorf("%s: %v, want an error with %q", tt.what, err, tt.what)
			}
		})
	}
	if len(k.List()) != 0 {
		t.Error("a refused client is there")
	}
}

func TestParseScopes(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"antennas:read", 1},
		{"all-read", 7},
		{"all-read,photos:write", 8},
		{"Antennas:Read, stats:read,antennas:read", 2},
		{"", -1},
		{"x", -1},
		{"antennas:read,,", -1},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := ParseScopes(tt.text)
			if (err != nil) != (tt.want < 0) || err == nil && len(got) != tt.want {
				t.Errorf("%q: got %v, %v, want %d of them, or an error below 0", tt.text, got, err, tt.want)
			}
		})
	}
}

// A key that every visitor of a page can read stands for no account.
func TestNoAccountForPages(t *testing.T) {
	k := newKit(t)
	spec := Client{Name: "A page", Mode: Browser, Origins: []string{"https://map.example"},
		Scopes: []Scope{AntennasRead, InternalAI}, Limits: DefaultLimits}
	if _, err := k.Create(spec); err == nil || !strings.Contains(err.Error(), "internal:ai") {
		t.Errorf("a BROWSER client with internal:ai: %v, want an error with internal:ai", err)
	}
	spec.Scopes = spec.Scopes[:1]
	if _, err := k.Create(spec); err != nil {
		t.Error(err)
	}
}
