package update

import (
	"context"
	"crypto/x509"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRedacted(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"https://h/a.csv", "https://h/a.csv"},
		{"https://h/a?service=WFS&typeName=us:x&api_key=S", "https://h/a?service=WFS&typeName=us:x&api_key=…"},
		{"https://h/a?%6Bey=S;token=S&X-Amz-Signature=S#S", "https://h/a?%6Bey=…;token=…&X-Amz-Signature=…"},
		{"https://u:S@h/a", "https://user@h/a"},
		{"https://h/?KEY=", "https://h/?KEY=…"},
		{"https://h/?%zz=S", "https://h/?%zz=…"},
		{"", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			u, err := url.Parse(tt.text)
			must(t, err)
			if got := redacted(u); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAddressErrors(t *testing.T) {
	for _, text := range []string{"http://me:hunter2@h/", "ftp://h/?key=hunter2", "http://me:hunter2%zz@h/", "/a.csv",
		"http://u:hunter2/x?y@h/", "https://h/" + strings.Repeat("x", maxAddress)} {
		if _, err := parseAddress(text); !errors.Is(err, errAddress) || strings.Contains(err.Error(), "hunter2") ||
			len(err.Error()) > maxError {
			t.Errorf("%.50s: got %v, want a short %v without the password", text, err, errAddress)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, text := range []string{"", "abc", strings.Repeat("é", 200), strings.Repeat("\xff", 200),
		"x" + strings.Repeat("😀", 100)} {
		if got := truncate(text, 50); len(got) > 50 || !utf8.ValidString(got) ||
			len(text) > 50 && !strings.HasSuffix(got, "…") {
			t.Errorf("%q: got %q, want at most 50 bytes of valid text, with … for the rest", text, got)
		}
	}
}

func TestSafeName(t *testing.T) {
	long := strings.Repeat("x", 50) + strings.Repeat(".", 40) + strings.Repeat("y", 60) + ".csv"
	for _, tt := range []struct{ name, want string }{
		{"a.csv", "a.csv"},
		{"..", ""},
		{".hidden", "hidden"},
		{"-rf", "rf"},
		{"a b\x1b[2J.csv", "a_b_2J.csv"},
		{long, strings.Repeat("y", 60) + ".csv"},
		{"é.zip", "zip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := safeName(tt.name); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

// A request contains the key. Reports and files must not, also while it is downloaded.
func TestKeysAreNotKept(t *testing.T) {
	k := weeklyKit(t)
	k.put("/api", []byte(`{"resources":[{"url":"`+towns+`?sig=hunter2"}]}`))
	secret := ""
	k.behave(weekly, func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		secret = r.URL.Query().Get("key")
		return false
	})
	k.use(k.file("weekly", "url", weekly+"?v=1&key=hunter2", ""),
		k.file("towns", "data.gouv.fr", "/api?token=hunter2", "."),
		k.file("gone", "url", "/gone?key=hunter2", ""), k.file("nowhere", "stac", "/nowhere?key=hunter2", "x"))
	o := k.options()
	o.Asked = func(*FileReport) { k.wantNoKey() }
	r := k.runWith(o)
	k.want(r, Failed, "404")
	if seen := k.wantNoKey(); secret != "hunter2" || seen < 5 || strings.Contains(r.Problem(), "hunter2") {
		t.Errorf("asked with %q, %d files, problem %q; want the key asked with, and nowhere else", secret, seen, r.Problem())
	}
	for i, want := range []string{k.URL + weekly + "?v=1&key=…", k.URL + towns + "?sig=…"} {
		if r.Files[i].URL != want {
			t.Errorf("got %s, want %s", r.Files[i].URL, want)
		}
	}
	// Another key is another address.
	k.use(k.file("weekly", "url", weekly+"?v=1&key=other", ""))
	k.asked()
	k.want(k.run(), Unchanged, "")
	k.wantAsked(whole(weekly))
}

// wantNoKey checks that no file has the key, and returns how many there are.
func (k *kit) wantNoKey() (seen int) {
	k.t.Helper()
	err := filepath.WalkDir(string(k.dir), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			seen++
			text, _ := os.ReadFile(path)
			if strings.Contains(string(text), "hunter2") {
				k.t.Errorf("%s has the key: %s", path, text)
			}
		}
		return err
	})
	must(k.t, err)
	return seen
}

// Nothing leads from a server of https to one of http, and certificates are checked.
func TestHTTPS(t *testing.T) {
	asked := false
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer plain.Close()
	safe := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/x?key=hunter2", http.StatusFound))
	defer safe.Close()
	c := newClient("relais/test", quick, localHost)
	defer c.close()
	c.guard.TLSClientConfig = safe.Client().Transport.(*http.Transport).TLSClientConfig
	_, err := c.get(t.Context(), safe.URL+"/y", http.Header{}, http.StatusOK)
	if err == nil || !strings.Contains(err.Error(), safe.URL+"/y leads away from https") ||
		strings.Contains(err.Error(), "hunter2") || asked {
		t.Errorf("got %v, asked %v; want it refused without the key, and not asked", err, asked)
	}
	c.guard.TLSClientConfig.RootCAs = x509.NewCertPool()
	c.close()
	tries := 0
	err = c.retry(t.Context(), func(ctx context.Context) error {
		tries++
		_, err := c.get(ctx, safe.URL, http.Header{}, http.StatusOK)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "certificate") || tries != 1 {
		t.Errorf(`got %v after %d tries, want an error with "certificate" after one`, err, tries)
	}
}
