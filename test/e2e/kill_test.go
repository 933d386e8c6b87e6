//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/internal/tier"
	"relais/test/relaistest"
)

// A creator makes clients with the binary and keeps what was acknowledged.
type creator struct {
	t     *testing.T
	dir   string
	mu    sync.Mutex
	made  []issued // exit code 0
	tried map[string]bool
}

// create makes one client, and kills the command after so long; 0 lets it end, and
// it may then fail only because the server was killed that it had asked.
func (c *creator) create(kill time.Duration) {
	c.mu.Lock()
	name := fmt.Sprintf("client %d", len(c.tried))
	c.tried[name] = true
	c.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if kill > 0 {
		time.AfterFunc(kill, cancel)
	}
	cmd := prepared(c.t, append([]string{"client", "create", "--data", c.dir, "--json"},
		ofBackend(name, "antennas:read")...)...)
	out, err := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...).Output()
	if err != nil {
		if e, ok := errors.AsType[*exec.ExitError](err); kill == 0 &&
			!(ok && strings.Contains(string(e.Stderr), "the server ended before it answered")) {
			c.t.Errorf("client create: %v: %s", err, e.Stderr)
		}
		return // nothing was promised
	}
	var i issued
	if err := json.Unmarshal(out, &i); err != nil {
		c.t.Errorf("acknowledged with %q: %v", out, err)
	}
	c.mu.Lock()
	c.made = append(c.made, i)
	c.mu.Unlock()
}

// acknowledged are the clients that exist for certain by now.
func (c *creator) acknowledged() []issued {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]issued(nil), c.made...)
}

type limits struct{ Minute, Day int }

// A listed is a client in relais client list --json.
type listed struct {
	ID, Name, Mode string
	Scopes, CIDRs  []string
	Limits         limits
	Keys           []struct{ Prefix, Created string }
}

// check looks for the clients in a folder that a server has: those that were
// acknowledged are there and their keys work, and no other is there in part or twice.
func (c *creator) check(s *server, dir string, acknowledged []issued) {
	c.t.Helper()
	var list struct{ Clients []listed }
	command(c.t, &list, "client", "list", "--data", dir)
	byID, names := map[string]listed{}, map[string]int{}
	for _, x := range list.Clients {
		byID[x.ID] = x
		names[x.Name]++
		if !c.tried[x.Name] {
			continue
		}
		if names[x.Name] > 1 || len(x.Keys) != 1 || len(x.Keys[0].Prefix) != 12 {
			c.t.Errorf("got %+v, %d of that name; want one with one key", x, names[x.Name])
		}
		whole := listed{ID: x.ID, Name: x.Name, Mode: "SERVER", Scopes: []string{"antennas:read"},
			CIDRs: []string{"127.0.0.1/32"}, Limits: limits{manyRequests, manyRequests}, Keys: x.Keys}
		if diff := cmp.Diff(whole, x); diff != "" {
			c.t.Errorf("%s: whole (-), got (+):\n%s", x.Name, diff)
		}
	}
	for _, i := range acknowledged {
		if x, ok := byID[i.ID]; !ok || !strings.HasPrefix(i.APIKey, "rk_"+x.Keys[0].Prefix+"_") {
			c.t.Errorf("got client %+v, want %s, which was acknowledged", x, i.ID)
		}
		if a := s.getAs(i.APIKey, "/external/v1/antennas?limit=1"); a.status != 200 {
			c.t.Errorf("client %s was acknowledged: got %s, want 200", i.ID, a)
		}
	}
	c.t.Logf("%d clients are there, %d of %d acknowledged", len(list.Clients), len(acknowledged), len(c.tried))
}

// A count is how many requests of a client an answer told of, and when it came.
type count struct {
	at   time.Time
	used int
	free bool // it was not ready, and is not among them
}

// used asks with a client's key, and reads how many requests of the day are used.
func used(s *server, key string) (c count, day string, err error) {
	a, err := exchange(http.DefaultClient, http.MethodHead, s.base+"/external/v1/markets", nil, "X-API-Key", key)
	if err != nil {
		return c, "", err
	}
	left, err := strconv.Atoi(a.header.Get("X-RateLimit-Remaining-Day"))
	free := a.status == http.StatusServiceUnavailable
	return count{time.Now(), manyRequests - left, free}, a.header.Get("X-RateLimit-Reset-Day"), err
}

// A server that is killed at any moment loses no client that was acknowledged, has
// none in part, and has lost at most a second of a client's count.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	rounds, began := 30, time.Now()
	if !tier.Full() {
		rounds = 10
	}
	c := makeCountry(t, 40)
	key := createClient(t, c.dir, ofBackend("counted", "antennas:read")...).APIKey
	clients := &creator{t: t, dir: c.dir, tried: map[string]bool{}}
	counted := &counts{t: t, key: key}
	for round := range rounds {
		killedUnderLoad(t, round, clients, counted)
		if round%4 == 0 { // nobody serves: the command opens the files itself
			clients.create(0)
			clients.create(1 + rand.N(30*time.Millisecond))
		}
	}
	s := serve(t, c.dir)
	counted.restarted(s)
	clients.check(s, c.dir, clients.made)
	s.stop()
	if len(clients.made) < rounds {
		t.Errorf("clients: got %d in %d rounds, want one in each", len(clients.made), rounds)
	}
	t.Logf("%d rounds in %s, %d requests counted, at most %d forgotten", rounds, time.Since(began).Round(time.Second),
		counted.sent.Load(), counted.forgotten)
}

// killedUnderLoad kills a server while clients are made and one is counted.
func killedUnderLoad(t *testing.T, round int, clients *creator, counted *counts) {
	t.Helper()
	s := start(t, nil, "serve", "--data", clients.dir)
	counted.restarted(s)
	lives := rand.N(150 * time.Millisecond)
	if round%8 == 0 { // long enough for a count to have to be on disk
		lives += 1100 * time.Millisecond
	}
	var work load
	work.add(func() error {
		if !counted.ask(s) {
			return errors.New("killed")
		}
		time.Sleep(time.Millisecond)
		return nil
	})
	for i := range 2 {
		work.add(func() error {
			var kill time.Duration
			if i == 1 && round%3 == 0 {
				kill = 1 + rand.N(25*time.Millisecond)
			}
			clients.create(kill)
			return nil
		})
	}
	time.Sleep(lives)
	counted.killed = time.Now()
	s.cmd.Process.Kill()
	work.stopped.Store(true)
	s.cmd.Wait()
	work.stop()
	if log := s.log.String(); strings.Contains(log, "put aside") || strings.Contains(log, "panic") {
		t.Errorf("round %d: got the log %s, want nothing put aside", round, log)
	}
}

// counts follow the day's count of one client over restarts.
type counts struct {
	t         *testing.T
	key, day  string
	sent      atomic.Int64
	answers   []count // since the restart, and what that found
	killed    time.Time
	forgotten int // the most that a restart lost
}

// ask sends a request and keeps the count of its answer; it returns false without an answer.
func (c *counts) ask(s *server) bool {
	c.sent.Add(1)
	told, day, err := used(s, c.key)
	if err != nil {
		return false
	}
	if day != c.day { // midnight: the count begins at 0
		c.day, c.answers = day, nil
	}
	c.answers = append(c.answers, told)
	return true
}

// restarted compares the count with what it was a second before the server was
// killed. What a restart found was on disk.
func (c *counts) restarted(s *server) {
	c.t.Helper()
	before, day := c.answers, c.day
	c.answers = nil
	if !c.ask(s) {
		c.t.Fatalf("no answer after a restart: %s", s.log)
	}
	now := c.answers[0].used
	if !c.answers[0].free {
		now--
	}
	c.answers[0] = count{used: now} // of long ago, for the next kill
	if day != c.day {
		return
	}
	for _, a := range before {
		if a.at.Before(c.killed.Add(-time.Second)) && now < a.used {
			c.t.Errorf("requests counted after a restart: got %d, want the %d of %s before the end",
				now, a.used, c.killed.Sub(a.at))
		}
		c.forgotten = max(c.forgotten, a.used-now)
	}
	if int64(now) >= c.sent.Load() {
		c.t.Errorf("requests counted: got %d, want fewer than the %d that were sent", now, c.sent.Load())
	}
}

// A backup that is made while clients are made and used can be served: with every
// client that was acknowledged before it began.
func TestBackupUnderLoad(t *testing.T) {
	c := makeCountry(t, 60)
	s := serve(t, c.dir)
	signer := newApp(t, c.dir)
	clients := &creator{t: t, dir: c.dir, tried: map[string]bool{}}
	var requests, creations load
	creations.add(func() error { clients.create(0); return nil })
	for range 2 {
		requests.add(func() error { return s.succeeds("/external/v1/antennas?limit=100") })
	}
	type copied struct {
		dir  string
		made []issued
	}
	var copies []copied
	for i := range 5 {
		relaistest.WaitAtMost(10*time.Second, func() bool { return len(clients.acknowledged()) > 5*(i+1) })
		b := copied{filepath.Join(t.TempDir(), "copy"), clients.acknowledged()}
		run(t, "backup", "--data", c.dir, b.dir)
		copies = append(copies, b)
	}
	creations.stop()
	if err := requests.stop(); err != nil || requests.done.Load() < 100 {
		t.Errorf("%d requests were answered, want 100 and none that failed: %v", requests.done.Load(), err)
	}
	for _, b := range copies {
		dir := filepath.Join(t.TempDir(), "restored")
		run(t, "restore", b.dir, "--data", dir)
		r := serve(t, dir)
		if got, want := r.version("FR"), s.version("FR"); got != want {
			t.Errorf("version of the restored FR: got %s, want %s", got, want)
		}
		clients.check(r, dir, b.made)
		if a := r.signed(signer, http.MethodGet, "/external/v1/antennas?limit=1"); a.status != 200 {
			t.Errorf("a signature after a restore: got %s, want 200", a)
		}
		r.stop()
	}
}
