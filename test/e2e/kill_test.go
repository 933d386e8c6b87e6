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
)

// manyRequests is a limit that these tests do not reach.
const manyRequests = 1_000_000_000

var serverClient = []string{"--mode", "server", "--cidr", "127.0.0.1/32", "--scopes", "antennas:read", "--minute",
	"1000000000", "--day", "1000000000"}

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
	path, err := binary()
	if err != nil {
		c.t.Error(err)
		return
	}
	c.mu.Lock()
	name := fmt.Sprintf("client %d", len(c.tried))
	c.tried[name] = true
	c.mu.Unlock()
	ctx := context.Background()
	if kill > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, kill)
		defer cancel()
	}
	out, err := exec.CommandContext(ctx,
		path, append([]string{"client", "create", "--data", c.dir, "--json", "--name", name},
			serverClient...)...).Output()
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

// A listed is a client in relais client list --json.
type listed struct {
	ID, Name, Mode string
	Scopes, CIDRs  []string
	Limits         struct{ Minute, Day int }
	Keys           []struct{ Prefix, Created string }
}

// check looks for the clients in a folder that a server has: those that were
// acknowledged are there and their keys work, and no other is there in part or twice.
func (c *creator) check(s *server, dir string, acknowledged []issued) {
	c.t.Helper()
	out, errs, code := relais(c.t, "client", "list", "--data", dir, "--json")
	var list struct{ Clients []listed }
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		c.t.Fatalf("client list: %d %s %v", code, errs, err)
	}
	byID, names := map[string]listed{}, map[string]int{}
	for _, x := range list.Clients {
		byID[x.ID] = x
		names[x.Name]++
		if c.tried[x.Name] && (names[x.Name] > 1 || x.Mode != "SERVER" || len(x.Scopes) != 1 || len(x.CIDRs) != 1 ||
			x.Limits.Day != manyRequests || len(x.Keys) != 1 || len(x.Keys[0].Prefix) != 12) {
			c.t.Errorf("not whole, or twice: %+v", x)
		}
	}
	for _, i := range acknowledged {
		if x, ok := byID[i.ID]; !ok || !strings.HasPrefix(i.APIKey, "rk_"+x.Keys[0].Prefix+"_") {
			c.t.Errorf("client %s was acknowledged and is not there: %+v", i.ID, x)
		}
		s.key = i.APIKey
		if code, o := s.get("/external/v1/antennas?limit=1"); code != 200 {
			c.t.Errorf("client %s was acknowledged and is answered %d %v", i.ID, code, o)
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
	r, err := http.NewRequest(http.MethodHead, s.base+"/external/v1/markets", nil)
	if err != nil {
		return c, "", err
	}
	r.Header.Set("X-API-Key", key)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return c, "", err
	}
	a.Body.Close()
	left, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining-Day"))
	free := a.StatusCode == http.StatusServiceUnavailable
	return count{time.Now(), manyRequests - left, free}, a.Header.Get("X-RateLimit-Reset-Day"), err
}

// A server that is killed at any moment loses no client that was acknowledged, has
// none in part, and has lost at most a second of a client's count.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	rounds, start := 30, time.Now()
	if testing.Short() {
		rounds = 10
	}
	c := makeCountry(t, 40)
	key := createClient(t, c.dir, append([]string{"--name", "counted"}, serverClient...)...).APIKey
	clients := &creator{t: t, dir: c.dir, tried: map[string]bool{}}
	counted := counts{t: t, key: key}
	for round := range rounds {
		s := serve(t, nil, "serve", "--data", c.dir)
		counted.restarted(s)
		lives := time.Duration(rand.Int64N(int64(150 * time.Millisecond)))
		if round%8 == 0 { // long enough for a count to have to be on disk
			lives += 1100 * time.Millisecond
		}
		var killed atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for !killed.Load() && counted.ask(s) {
				time.Sleep(time.Millisecond)
			}
		})
		for i := range 2 {
			wg.Go(func() {
				for !killed.Load() {
					var kill time.Duration
					if i == 1 && round%3 == 0 {
						kill = 1 + time.Duration(rand.Int64N(int64(25*time.Millisecond)))
					}
					clients.create(kill)
				}
			})
		}
		time.Sleep(lives)
		counted.killed = time.Now()
		s.cmd.Process.Kill()
		killed.Store(true)
		s.cmd.Wait()
		wg.Wait()
		if round%4 == 0 { // nobody serves: the command opens the files itself
			clients.create(0)
			clients.create(1 + time.Duration(rand.Int64N(int64(30*time.Millisecond))))
		}
		if log := s.log.String(); strings.Contains(log, "put aside") || strings.Contains(log, "panic") {
			t.Errorf("round %d: %s", round, log)
		}
	}
	s := serve(t, nil, "serve", "--data", c.dir)
	counted.restarted(s)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	clients.check(s, c.dir, clients.made)
	if code := s.stop(); code != 0 || len(clients.made) < rounds {
		t.Errorf("exit %d, %d clients in %d rounds", code, len(clients.made), rounds)
	}
	t.Logf("%d rounds in %s, %d requests counted, at most %d forgotten", rounds, time.Since(start).Round(time.Second),
		counted.sent.Load(), counted.forgotten)
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
			c.t.Errorf("%d requests are counted after a restart; %s before the end there were %d",
				now, c.killed.Sub(a.at), a.used)
		}
		c.forgotten = max(c.forgotten, a.used-now)
	}
	if int64(now) >= c.sent.Load() {
		c.t.Errorf("%d requests are counted of %d", now, c.sent.Load())
	}
}

// A backup that is made while clients are made and used can be served: with every
// client that was acknowledged before it began.
func TestBackupUnderLoad(t *testing.T) {
	c := makeCountry(t, 60)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	signer := createClient(t, c.dir, "--name", "app", "--mode", "mobile", "--scopes", "antennas:read")
	clients := &creator{t: t, dir: c.dir, tried: map[string]bool{}}
	stop := make(chan struct{})
	var asked, failed atomic.Int64
	var wg sync.WaitGroup
	loop := func(do func()) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					do()
				}
			}
		})
	}
	loop(func() { clients.create(0) })
	for range 2 {
		loop(func() {
			asked.Add(1)
			a, err := s.fetch("/external/v1/antennas?limit=100")
			if err != nil || a.StatusCode != 200 {
				failed.Add(1)
				return
			}
			a.Body.Close()
		})
	}
	type copied struct {
		dir  string
		made []issued
	}
	var copies []copied
	for i := range 5 {
		waitAtMost(10*time.Second, func() bool { return len(clients.acknowledged()) > 5*(i+1) })
		b := copied{filepath.Join(t.TempDir(), "copy"), clients.acknowledged()}
		if _, errs, code := relais(t, "backup", "--data", c.dir, b.dir); code != 0 {
			t.Fatalf("backup: %d %s", code, errs)
		}
		copies = append(copies, b)
	}
	close(stop)
	wg.Wait()
	if failed.Load() > 0 || asked.Load() < 100 {
		t.Errorf("%d of %d requests failed", failed.Load(), asked.Load())
	}
	for _, b := range copies {
		dir := filepath.Join(t.TempDir(), "restored")
		if _, errs, code := relais(t, "restore", b.dir, "--data", dir); code != 0 {
			t.Fatalf("restore: %d %s", code, errs)
		}
		r := serve(t, nil, "serve", "--data", dir)
		if !waitFor(func() bool { return r.version("FR") == s.version("FR") }) {
			t.Fatalf("not ready: %s", r.log)
		}
		clients.check(r, dir, b.made)
		out, errs, code := relais(t, "client", "sign", "--key", signer.APIKey, "--secret", signer.SigningSecret,
			"GET", r.base+"/external/v1/antennas")
		if code != 0 {
			t.Fatalf("client sign: %d %s", code, errs)
		}
		a := newAsker(t, r)
		a.accepts("a signature after a restore", "GET", "/external/v1/antennas?limit=1",
			strings.Split(strings.TrimSpace(out), "\n")...)
		if code := r.stop(); code != 0 {
			t.Errorf("exit = %d, want 0", code)
		}
	}
}
