//go:build linux

package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/tier"
)

// commitDamaged makes a commit of a store whose bytes nobody can read.
func (w *world) commitDamaged(store string) {
	w.t.Helper()
	w.primary().Query(database, fmt.Sprintf(`BEGIN;
		UPDATE relais.store SET seq = seq + 1, nonce = decode(md5(random()::text), 'hex') WHERE name = '%s';
		INSERT INTO relais.change SELECT name, seq, nonce, 'evil', now(), format, '\xffffffffffffffff'
			FROM relais.store WHERE name = '%[1]s'; COMMIT`, store))
}

// Commits of stores are damaged under load, one after the other, and a node is
// killed right after each. No node is ever not ready, nothing is lost, and each node says once what it did.
func TestDamagedCommits(t *testing.T) {
	w := newWorld(t, true)
	l := w.beginLoad()
	var watching sync.WaitGroup
	stop := make(chan struct{})
	for _, n := range w.nodes {
		watching.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
				}
				a, _, err := call(n.http, http.MethodGet, n.base+"/readyz", nil)
				if n.lives.Load() && (err != nil || a.status != http.StatusOK) {
					if n.lives.Load() {
						t.Errorf("%s is not ready: %v, %s", n.name, err, a)
					}
				}
			}
		})
	}
	watching.Go(func() { // through the proxy, what needs no store
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			a, _, err := call(w.http, http.MethodGet, w.base+"/external/v1/sites/"+w.country.sites[0], nil, "X-API-Key",
				w.country.reader.APIKey)
			if err != nil || a.status != http.StatusOK {
				t.Errorf("a site through the proxy: %v, %s", err, a)
			}
		}
	})
	stores := []string{"community", "clients", "users", "photos", "measures"}
	if !tier.Full() {
		stores = stores[:2]
	}
	var broken []time.Time
	for _, store := range stores {
		broken = append(broken, time.Now())
		w.commitDamaged(store)
		i, killed := w.any()
		killed.kill()
		killed.start(t)
		for j, n := range w.nodes {
			want := "it has everything\" store=" + store
			if j != i && !waitFor(func() bool { return len(n.logged(want)) == 1 }) {
				t.Errorf("%s: got %d lines with %q, want 1:\n%s", n.name, len(n.logged(want)), want, n.tail())
			}
		}
		killed.waitReady(t)
	}
	close(stop)
	watching.Wait()
	l.verify(t, broken)
	c := w.nodes[0].compare(t)
	if c.Damaged != len(stores) || c.Differences != 0 || !strings.Contains(fmt.Sprint(c.Stores), "magic number mismatch") {
		t.Errorf("relais cluster check: got %+v, want %d damaged commits", c, len(stores))
	}
	w.primary().Query(database, "DELETE FROM relais.change WHERE node = 'evil'")
	w.equal(t)
}

// While the records of a store cannot be read in the database, only what needs the store is 503, on every
// node, and every node stays in the proxy. When they are mended, all is served again.
func TestDamagedStore(t *testing.T) {
	w := newWorld(t, true)
	get := func(path string) answer {
		t.Helper()
		a, _, err := call(w.http, http.MethodGet, w.base+path, nil, "X-API-Key", w.country.reader.APIKey)
		if a.status == 0 {
			t.Fatal(err)
		}
		return a
	}
	w.primary().Query(database, `UPDATE relais.item SET path = '\xffff'::bytea || path WHERE store = 'community'`)
	w.commitDamaged("community")
	outages, site := "/external/v1/outages", "/external/v1/sites/"+w.country.sites[0]
	if !waitFor(func() bool { return get(outages).status == http.StatusServiceUnavailable }) {
		t.Fatalf("outages: got %s, want 503", get(outages))
	}
	time.Sleep(time.Second) // until each node has noticed it
	stopped := w.nodes[0]
	stopped.stop(t) // and comes back
	stopped.start(t)
	stopped.waitReady(t)
	for range 20 {
		if a := get(outages); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" ||
			!strings.Contains(string(a.body), "NOT_READY") {
			t.Errorf("outages: got %s, want 503 NOT_READY and Retry-After", a)
		}
		if a := get(site); a.status != http.StatusOK {
			t.Errorf("a site: got %s, want 200", a)
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, n := range w.nodes {
		a, _, err := call(n.http, http.MethodGet, n.base+"/readyz", nil)
		if err != nil || a.status != http.StatusOK || !strings.Contains(string(a.body), "the store community does not follow") {
			t.Errorf("%s: got %v, %s, want ready with a warning", n.name, err, a)
		}
	}
	w.primary().Query(database, `UPDATE relais.item SET path = substring(path FROM 3) WHERE store = 'community'`)
	if !waitFor(func() bool { return get(outages).status == http.StatusOK }) {
		t.Errorf("outages when the records are mended: got %s, want 200", get(outages))
	}
	for _, n := range w.nodes {
		n.waitFollowing(t)
	}
	w.primary().Query(database, "DELETE FROM relais.change WHERE node = 'evil'")
	w.equal(t)
}
