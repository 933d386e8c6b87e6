//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// clients are the ids that relais client list has.
func clients(t *testing.T, dir string) map[string]bool {
	t.Helper()
	var list struct{ Clients []issued }
	command(t, &list, "client", "list", "--data", dir)
	m := map[string]bool{}
	for _, c := range list.Clients {
		m[c.ID] = true
	}
	return m
}

// While the stores are compacted every request is answered and every client that
// was made is kept; of one that was deleted nothing stays.
func TestCompactUnderLoad(t *testing.T) {
	c := makeCountry(t, 200)
	s := serve(t, c.dir)
	var requests, creations load
	for range 2 {
		requests.add(func() error { return s.succeeds("/external/v1/antennas?limit=1") })
	}
	var made []issued
	creations.add(func() error {
		made = append(made, createClient(t, c.dir, ofBackend(fmt.Sprint("load ", len(made)), "antennas:read")...))
		return nil
	})
	for i := range 12 {
		name := fmt.Sprint("Deleted Person ", i)
		gone := createClient(t, c.dir, ofBackend(name, "antennas:read")...)
		run(t, "client", "delete", "--data", c.dir, gone.ID)
		if out := run(t, "compact", "--data", c.dir, "--json"); !strings.Contains(out, `"path":"clients.db"`) {
			t.Errorf("compact: got %s, want clients.db named", out)
		}
		for _, file := range []string{"clients.db", "quota.db"} {
			text := filetest.Read(t, filepath.Join(c.dir, file))
			for _, trace := range []string{name, gone.ID, gone.APIKey[:len("rk_")+12][3:]} {
				if bytes.Contains(text, []byte(trace)) {
					t.Errorf("%s has %q of a client that was deleted", file, trace)
				}
			}
		}
	}
	if err := requests.stop(); err != nil {
		t.Errorf("while compacting: %v", err)
	}
	creations.stop()
	t.Logf("%d requests, %d clients made", requests.done.Load(), len(made))
	s.stop()
	sound(t, c.dir)
	kept := clients(t, c.dir)
	for _, m := range made {
		if !kept[m.ID] {
			t.Errorf("%s is lost", m.ID)
		}
	}
	if len(kept) != len(made)+1 || len(made) < 10 {
		t.Errorf("clients: got %d, want letIn's and the %d that were made", len(kept), len(made))
	}
}

// A server that is killed while it compacts leaves its stores whole, with every
// client that it said it had made.
func TestKilledWhileCompacting(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	made := 1
	for round := range 8 {
		s := start(t, nil, "serve", "--data", dir)
		s.waitUntil("there is admin.sock", func() bool {
			_, err := os.Stat(filepath.Join(dir, "admin.sock"))
			return err == nil
		})
		var compactions load
		compactions.add(func() error {
			prepared(t, "compact", "--data", dir).Run() // ends with the server, at any point
			return nil
		})
		for range 3 {
			createClient(t, dir, ofBackend(fmt.Sprint("client ", made), "antennas:read")...)
			made++
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		compactions.stopped.Store(true)
		s.kill()
		compactions.stop()
		sound(t, dir)
		if n := len(clients(t, dir)); n != made {
			t.Fatalf("round %d: got %d clients, want the %d that were made", round, n, made)
		}
	}
}
