package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// clients are the ids that relais client list has.
func clients(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out, errs, code := relais(t, "client", "list", "--data", dir, "--json")
	var list struct{ Clients []issued }
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		t.Fatalf("%d %v: %s%s", code, err, out, errs)
	}
	m := map[string]bool{}
	for _, c := range list.Clients {
		m[c.ID] = true
	}
	return m
}

var anyClient = []string{"--mode", "server", "--cidr", "127.0.0.1/32", "--scopes", "antennas:read", "--name"}

// While the stores are compacted every request is answered and every client that
// was made is kept; of one that was deleted nothing stays.
func TestCompactUnderLoad(t *testing.T) {
	c := makeCountry(t, 200)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var asked atomic.Int64
	until := func(f func() error) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := f(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 2 {
		until(func() error {
			asked.Add(1)
			r, err := s.fetch("/external/v1/antennas?limit=1")
			if err != nil {
				return err
			}
			defer r.Body.Close()
			if r.StatusCode != http.StatusOK {
				return fmt.Errorf("%s while compacting", r.Status)
			}
			return nil
		})
	}
	var made []issued
	until(func() error {
		made = append(made, createClient(t, c.dir, append(anyClient, fmt.Sprint("load ", len(made)))...))
		return nil
	})
	for i := range 12 {
		name := fmt.Sprint("Deleted Person ", i)
		gone := createClient(t, c.dir, append(anyClient, name)...)
		if _, errs, code := relais(t, "client", "delete", "--data", c.dir, gone.ID); code != 0 {
			t.Fatal(errs)
		}
		if out, errs, code := relais(t, "compact", "--data", c.dir, "--json"); code != 0 ||
			!strings.Contains(out, `"path":"clients.db"`) {
			t.Fatalf("compact: %d %s%s", code, out, errs)
		}
		for _, file := range []string{"clients.db", "quota.db"} {
			text, err := os.ReadFile(filepath.Join(c.dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, trace := range []string{name, gone.ID, gone.APIKey[:len("rk_")+12][3:]} {
				if bytes.Contains(text, []byte(trace)) {
					t.Errorf("%s has %q of a client that was deleted", file, trace)
				}
			}
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("%d requests, %d clients made", asked.Load(), len(made))
	s.stop()
	if r := check(t, c.dir); !r.OK {
		t.Errorf("check found problems: %+v", r.problems())
	}
	kept := clients(t, c.dir)
	for _, m := range made {
		if !kept[m.ID] {
			t.Errorf("%s is lost", m.ID)
		}
	}
	if len(kept) != len(made)+1 || len(made) < 10 {
		t.Errorf("%d clients, %d were made", len(kept), len(made))
	}
}

// A server that is killed while it compacts leaves its stores whole, with every
// client that it said it had made.
func TestKilledWhileCompacting(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 200)
	made := 1
	for round := range 8 {
		s := serve(t, nil, "serve", "--data", c.dir)
		if !waitFor(func() bool { _, err := os.Stat(filepath.Join(c.dir, "admin.sock")); return err == nil }) {
			t.Fatalf("not ready: %s", s.log)
		}
		path, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var killed atomic.Bool
		wg.Go(func() {
			for !killed.Load() {
				exec.Command(path, "compact", "--data", c.dir).Run() // ends with the server, at any point
			}
		})
		for range 3 {
			createClient(t, c.dir, append(anyClient, fmt.Sprint("client ", made))...)
			made++
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		killed.Store(true)
		if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		s.cmd.Wait()
		wg.Wait()
		if r := check(t, c.dir); !r.OK {
			t.Fatalf("round %d: %+v", round, r.problems())
		}
		if n := len(clients(t, c.dir)); n != made {
			t.Fatalf("round %d: %d clients, %d were made", round, n, made)
		}
	}
}
