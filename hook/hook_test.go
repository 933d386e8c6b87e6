package hook

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relais/auth/access"
	"relais/internal/store"
	"relais/internal/store/logtest"
	"relais/internal/store/storetest"
)

// What cannot be a hook is refused, with what is wrong.
func TestCreateRefuses(t *testing.T) {
	w := newWorld(t)
	photo := []Kind{Photo}
	for _, tt := range []struct {
		name    string
		spec    Spec
		private bool
		field   string // "": it is made
	}{
		{"public", Spec{URL: "https://example.org/in", Events: photo}, false, ""},
		{"with credentials", Spec{URL: "https://a:b@example.org/in?x=y", Events: photo}, false, ""},
		{"a public address", Spec{URL: "https://[2606:4700::1]/", Events: photo}, false, ""},
		{"without TLS", Spec{URL: "http://example.org/in", Events: photo}, false, "url"},
		{"loopback", Spec{URL: "https://127.0.0.1/", Events: photo}, false, "url"},
		{"loopback in disguise", Spec{URL: "https://[::ffff:127.0.0.1]/", Events: photo}, false, "url"},
		{"localhost", Spec{URL: "https://localhost/x", Events: photo}, false, "url"},
		{"below localhost", Spec{URL: "https://a.LOCALHOST.:8443/", Events: photo}, false, "url"},
		{"not localhost", Spec{URL: "https://notlocalhost/", Events: photo}, false, ""},
		{"metadata", Spec{URL: "https://169.254.169.254/latest", Events: photo}, false, "url"},
		{"private", Spec{URL: "http://127.0.0.1:9/in", Events: photo}, true, ""},
		{"another scheme", Spec{URL: "ftp://example.org/", Events: photo}, true, "url"},
		{"no host", Spec{URL: "https:///in", Events: photo}, true, "url"},
		{"no address", Spec{URL: "example.org", Events: photo}, true, "url"},
		{"a fragment", Spec{URL: "https://example.org/#a", Events: photo}, true, "url"},
		{"long", Spec{URL: "https://example.org/" + strings.Repeat("x", maxURL), Events: photo}, true, "url"},
		{"a control character", Spec{URL: "https://example.org/\n", Events: photo}, true, "url"},
		{"no events", Spec{URL: "https://example.org/"}, false, "events"},
		{"an unknown event", Spec{URL: "https://example.org/", Events: []Kind{"photos"}}, false, "events"},
		{"a long filter", Spec{URL: "https://example.org/", Events: photo, Filter: strings.Repeat("x", 3000)}, false, "filter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Private = tt.private
			i, err := w.s.Create(tt.spec)
			var invalid *InvalidError
			if tt.field == "" {
				must(t, err)
				key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(i.Secret, "whsec_"))
				if err != nil || len(key) != 32 {
					t.Errorf("got the secret %s, %v, want whsec_ and 32 bytes", i.Secret, err)
				}
				return
			}
			if !errors.As(err, &invalid) || invalid.Field != tt.field {
				t.Errorf("got %v, want an error of %s", err, tt.field)
			}
		})
	}
}

// Neither the secret nor what the address has of credentials is shown, or in the file.
func TestSecretsAreSealed(t *testing.T) {
	w := newWorld(t)
	i := w.create("https://user:hunter2@example.org/in/hunter4/x?token=hunter3&x", "")
	h := w.hook(i.ID)
	if want := "https://example.org/in/…?token=…"; h.URL != want || w.s.List()[0].URL != want {
		t.Errorf("got %s, want %s", h.URL, want)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(i.Secret, secretPrefix))
	w.must(err)
	w.close()
	file, err := os.ReadFile(filepath.Join(w.dir, "hooks.db"))
	w.must(err)
	for _, secret := range [][]byte{[]byte("hunter"), key, []byte(i.Secret[6:])} {
		if bytes.Contains(file, secret) {
			t.Errorf("the file has %q", secret)
		}
	}
	db, err := store.OpenReadOnly(filepath.Join(w.dir, "hooks.db"))
	w.must(err)
	defer db.Close()
	if n, _, err := Check(db, access.OpenSealer(filepath.Join(w.dir, "secret.key"))); n != 1 || err != nil {
		t.Errorf("check: got %d, %v", n, err)
	}
	other := access.OpenSealer(filepath.Join(t.TempDir(), "secret.key"))
	w.must(other.Make())
	if _, _, err := Check(db, other); err == nil || !strings.Contains(err.Error(), i.ID) {
		t.Errorf("check with another key: got %v, want an error that names the hook", err)
	}
}

// A full queue gives up the oldest, and says so. The numbers of messages that wait are bounded for
// each hook.
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		dead := w.create("https://dead.example/in", "")
		net.set("dead.example", always(500))
		w.start()
		const all = MostPending + 3
		w.must(w.things.Update(func(tx *store.Tx) error {
			for i := range all {
				if err := tx.Bucket([]byte(things)).Put(fmt.Appendf(nil, "fr-%d %d", i, i), []byte("v")); err != nil {
					return err
				}
			}
			return nil
		}))
		time.Sleep(time.Minute)
		h := w.hook(dead.ID)
		if h.Pending != MostPending || h.Dropped != 3 || !strings.Contains(h.DroppedWhy, "newer messages") {
			t.Errorf("got %+v, want %d pending and 3 dropped", h, MostPending)
		}
		left := 20
		net.set("dead.example", func(*http.Request, string) (int, error) {
			if left--; left < 0 {
				return 500, nil
			}
			return 200, nil
		})
		time.Sleep(longestPause)
		got := net.numbers(t, "dead.example", "")
		if slices.Contains(got, "0") || slices.Contains(got, "2") || !slices.Contains(got, "3") {
			t.Errorf("got %q, want some from 3 on", got)
		}
		w.close()
	})
}

// What happened while the process was down, or just before it was killed, is delivered after the next
// start, each under one id.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		h := w.create("https://x.example/in", "")
		w.happen("fr-1", "fr-1") // nobody reads the journal
		w.close()
		w.open()
		w.happen("fr-1")
		killed := make(chan struct{})
		net.set("x.example", func(r *http.Request, _ string) (int, error) { // it takes the message, and we do not learn it
			close(killed)
			<-r.Context().Done()
			return 204, nil
		})
		w.start()
		<-killed
		w.close()
		net.set("x.example", nil)
		w.open()
		w.start()
		time.Sleep(time.Second)
		if got := net.numbers(t, "x.example", ""); !slices.Equal(got, []string{"1", "2", "3"}) {
			t.Errorf("got %q, want 1, 2, 3", got)
		}
		if sent := len(net.got["x.example"]); sent != 4 {
			t.Errorf("got %d messages, want 4: the first one twice", sent)
		}
		if a, b := net.got["x.example"][0], net.got["x.example"][1]; a != b {
			t.Errorf("the same message was %+v and %+v", a, b)
		}
		if h := w.hook(h.ID); h.Done != 3 || h.Pending != 0 {
			t.Errorf("got %+v, want 3 delivered", h)
		}
		w.close()
	})
}

// A hook gets what its filter selects, from when it was made until it is deleted. Without a hook
// nothing runs, and nothing is noted.
func TestLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		w.start()
		w.happen("fr-1") // before the first hook
		if n, err := w.things.Journal().End(); n != 0 || err != nil {
			t.Errorf("without a hook: got %d entries, %v", n, err)
		}
		all, some := w.create("https://all.example/in", ""), w.create("https://some.example/in", "fr-2")
		w.happen("fr-1", "fr-2")
		time.Sleep(time.Second)
		late := w.create("https://late.example/in", "")
		w.happen("fr-2")
		time.Sleep(time.Second)
		for host, want := range map[string][]string{"all.example": {"2", "3", "4"}, "some.example": {"3", "4"},
			"late.example": {"4"}} {
			if got := net.numbers(t, host, ""); !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", host, got, want)
			}
		}
		for _, id := range []string{all.ID, some.ID, late.ID} {
			if _, err := w.s.Delete(id); err != nil {
				t.Error(err)
			}
		}
		if _, err := w.s.Delete(all.ID); !errors.Is(err, ErrNoHook) {
			t.Errorf("deleting twice: got %v, want ErrNoHook", err)
		}
		if left, err := w.things.Journal().After(0, 10); len(left) > 0 || err != nil {
			t.Errorf("without a hook any more: got %v, %v, want an empty journal", left, err)
		}
		w.happen("fr-1")
		if n, err := w.things.Journal().End(); n != 3 || err != nil {
			t.Errorf("without a hook any more: got %d entries, %v, want 3", n, err)
		}
		synctest.Wait()
		again := w.create("https://again.example/in", "")
		w.happen("fr-9")
		time.Sleep(time.Second)
		if got := net.numbers(t, "again.example", ""); !slices.Equal(got, []string{"6"}) {
			t.Errorf("%s: got %q, want 6 alone", again.ID, got)
		}
		w.close()
	})
}

// Two nodes of a cluster have the same hooks and queue, and deliver everything also when both do it
// for a while.
func TestReplicas(t *testing.T) {
	nodes := []*world{}
	hooks, records, net := logtest.New(), logtest.New(), newReceiver()
	key := t.TempDir()
	w := access.OpenSealer(filepath.Join(key, "secret.key"))
	must(t, w.Make())
	for range 2 {
		n := &world{t: t, dir: t.TempDir(), options: newWorld(t).options}
		n.options.Transport = net
		n.things, n.db = storetest.New(t, things), storetest.New(t, Buckets...)
		n.must(errors.Join(n.things.Share(t.Context(), records), n.db.Share(t.Context(), hooks)))
		n.s = NewStore(w, []Source{{Name: "things", DB: n.things, News: newsOfThings}}, time.Now)
		n.must(n.s.Open(n.db))
		nodes = append(nodes, n)
		t.Cleanup(n.close)
	}
	pull := func() {
		for _, n := range nodes {
			n.must(errors.Join(n.db.Pull(t.Context()), n.things.Pull(t.Context())))
		}
	}
	h := nodes[0].create("https://x.example/in", "")
	pull()
	nodes[1].n = 100
	nodes[1].happen("fr-1", "fr-2")
	nodes[0].happen("fr-1")
	pull()
	for _, n := range nodes {
		n.start()
	}
	deadline := time.Now().Add(30 * time.Second)
	for nodes[0].hook(h.ID).Pending+nodes[1].hook(h.ID).Pending > 0 || len(net.numbers(t, "x.example", "")) < 3 {
		if pull(); time.Now().After(deadline) {
			t.Fatalf("got %q, want three messages; %+v", net.numbers(t, "x.example", ""), nodes[1].hook(h.ID))
		}
		time.Sleep(10 * time.Millisecond)
	}
	got := net.numbers(t, "x.example", "")
	if slices.Sort(got); !slices.Equal(got, []string{"1", "101", "102"}) {
		t.Errorf("got %q, want 1, 101, 102", got)
	}
}

// A folder that cannot be written to delivers nothing: it could not note that.
func TestReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		h := w.create("https://x.example/in", "")
		w.start()
		net.set("x.example", always(500))
		w.happen("fr-1")
		time.Sleep(time.Second)
		w.close()
		var err error
		w.things, err = store.OpenReadOnly(filepath.Join(w.dir, "things.db"))
		w.must(err)
		w.db, err = store.OpenReadOnly(filepath.Join(w.dir, "hooks.db"))
		w.must(err)
		w.s = NewStore(w.s.sealer, []Source{{Name: "things", DB: w.things, News: newsOfThings}}, time.Now)
		w.must(w.s.Open(w.db))
		net.set("x.example", nil)
		w.start()
		time.Sleep(time.Hour)
		if h := w.hook(h.ID); h.Pending != 1 || len(net.got["x.example"]) != 0 {
			t.Errorf("got %+v and %d messages, want one pending", h, len(net.got["x.example"]))
		}
		if _, err := w.s.Create(Spec{URL: "https://x.example", Events: []Kind{Photo}}); !errors.Is(err, errReadOnly) {
			t.Errorf("create: got %v, want errReadOnly", err)
		}
		w.close()
	})
}
