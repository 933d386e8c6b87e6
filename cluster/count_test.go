//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/auth/access"
	"relais/cluster/pgtest"
	"relais/internal/admit"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/internal/tier"
)

var (
	_ access.Ledger  = (*Counts)(nil)
	_ admit.Tally    = (*Counts)(nil)
	_ access.Answers = (*Answers)(nil)
)

// mustTell tells one tally, and fails unless the others have told so much.
func mustTell(t *testing.T, c *Counts, tally access.Tally, others uint64) {
	t.Helper()
	got, err := c.Tell(t.Context(), []access.Tally{tally})
	if err != nil || len(got) != 1 || got[0] != others {
		t.Errorf("Tell(%+v) = %v, %v; want %d and no error", tally, got, err, others)
	}
}

func TestTell(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	one, two := connected(t, url, "one"), connected(t, url, "two")
	a, b := one.Counts(nil), two.Counts(nil)
	mustTell(t, a, access.Tally{Key: "day:x", End: 100, Units: 40}, 0)
	mustTell(t, b, access.Tally{Key: "day:x", End: 100, Units: 2}, 40)
	mustTell(t, a, access.Tally{Key: "day:x", End: 100, Units: 40}, 2) // the same again
	mustTell(t, a, access.Tally{Key: "day:x", End: 100, Units: 21}, 2) // less: what was told stays
	mustTell(t, b, access.Tally{Key: "day:x", End: 100, Units: 3}, 40)
	mustTell(t, b, access.Tally{Key: "day:x", End: 200, Units: 1}, 0) // another window
	mustTell(t, b, access.Tally{Key: "minute:x", End: 100, Units: 1}, 0)
	mustTell(t, b, access.Tally{Key: "day:y", End: 100, Units: 1}, 0)
	again := connected(t, url, "one") // a node that starts again
	mustTell(t, again.Counts(nil), access.Tally{Key: "day:x", End: 100, Units: 5}, 43)
	mustTell(t, b, access.Tally{Key: "day:x", End: 100, Units: 3}, 45)
	got, err := b.Tell(t.Context(), []access.Tally{{Key: "none", End: 1, Units: 1}, {Key: "day:x", End: 100, Units: 4},
		{Key: "day:x", End: 300, Units: 4}})
	if want := []uint64{0, 45, 0}; !slices.Equal(got, want) || err != nil {
		t.Errorf("three tallies: %v, %v; want %v", got, err, want)
	}
	must(t, a.Forget("x"))
	if n := server.Query("postgres", "SELECT count(*) FROM relais.tally WHERE key LIKE '%:x'"); n != "0" {
		t.Errorf("%s rows of a deleted client, want 0", n)
	}
	server.Stop()
	if _, err := a.Tell(t.Context(), []access.Tally{{Key: "day:x", End: 100, Units: 40}}); !errors.Is(err, store.ErrAway) {
		t.Errorf("away: %v, want %v", err, store.ErrAway)
	}
	if got := one.state.reports; got["ok"] != 3 || got["away"] != 1 {
		t.Errorf("%v reports of the first node are counted, want 3 and one that failed", got)
	}
	if _, err := a.Add(t.Context(), time.Hour, time.Now(), 1, "k"); !errors.Is(err, store.ErrAway) {
		t.Errorf("away: %v, want %v", err, store.ErrAway)
	}
}

// Of nodes that tell at the same time, one learns what all have told.
func TestTellAtOnce(t *testing.T) {
	tier.Slow(t)
	url := newCluster(t).URL("postgres")
	nodes := make([]*Counts, 3)
	for i := range nodes {
		nodes[i] = connected(t, url, fmt.Sprint(i)).Counts(nil)
	}
	for round := range 50 {
		var telling sync.WaitGroup
		seen, all := make([]uint64, len(nodes)), uint64(0)
		for i, n := range nodes {
			own := uint64(round*10 + i + 1)
			all += own
			telling.Go(func() {
				others, err := n.Tell(t.Context(), []access.Tally{{Key: "minute:x", End: 60, Units: own}})
				if err != nil {
					t.Error(err)
					return
				}
				seen[i] = own + others[0]
			})
		}
		telling.Wait()
		if got := slices.Max(seen); got != all {
			t.Fatalf("round %d: the nodes know of %v, want one to know of %d", round, seen, all)
		}
	}
}

func TestAdd(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	key := []byte("a key of 32 bytes, or thereabouts")
	one, two := connected(t, url, "one").Counts(key), connected(t, url, "two").Counts(key)
	noon := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		at    *Counts
		after time.Duration
		n     int
		keys  []string
		want  []int
	}{
		{one, 0, 1, []string{"b 192.0.2.7", "a"}, []int{1, 1}},
		{two, time.Minute, 1, []string{"a", "b 192.0.2.7", "c"}, []int{2, 2, 1}},
		{one, time.Minute, 0, []string{"a", "none", "c"}, []int{2, 0, 1}},
		{two, time.Minute, -1, []string{"none", "a"}, []int{0, 1}},
		{two, 14 * time.Minute, -5, []string{"a"}, []int{0}},
		{one, 14 * time.Minute, 3, []string{"a"}, []int{3}},
		{one, 15 * time.Minute, 1, []string{"a"}, []int{1}}, // the next window
	} {
		got, err := c.at.Add(t.Context(), 15*time.Minute, noon.Add(c.after), c.n, c.keys...)
		if !slices.Equal(got, c.want) || err != nil {
			t.Errorf("%d: %v, %v; want %v", i, got, err, c.want)
		}
	}
	if text := server.Query("postgres", "SELECT key FROM relais.tally"); strings.Contains(text, "192") {
		t.Errorf("the table has an address: %s", text)
	}
	var adding sync.WaitGroup
	var most atomic.Int64
	for i := range 40 {
		adding.Go(func() {
			keys := []string{"x", "y"}
			if i%2 == 0 {
				slices.Reverse(keys) // two orders must not deadlock
			}
			counts, err := []*Counts{one, two}[i%4/2].Add(t.Context(), time.Hour, noon, 1, keys...)
			if err != nil {
				t.Error(err)
				return
			}
			for n := int64(counts[0]); ; {
				if before := most.Load(); n <= before || most.CompareAndSwap(before, n) {
					break
				}
			}
		})
	}
	adding.Wait()
	if most.Load() != 40 {
		t.Errorf("the greatest of 40 counts is %d, want 40", most.Load())
	}
}

// A door is a node with a gate before it.
type door struct {
	*Engine
	clients *access.Clients
	gate    *access.Gate
}

// doors returns nodes that let the same clients in.
func doors(t *testing.T, server *pgtest.Server, n int) (list []*door) {
	t.Helper()
	for i := range n {
		e := connected(t, server.URL("postgres"), fmt.Sprint(i))
		db := storetest.New(t, access.Bucket)
		r := e.Replicas()
		must(t, r.Add(t.Context(), "clients", db))
		clients, err := access.OpenClients(db, access.OpenSealer(filepath.Join(t.TempDir(), "secret.key")), time.Now)
		must(t, err)
		d := &door{e, clients, &access.Gate{Clients: clients, Failures: access.NewFailures()}}
		inBackground(t, r.Run, clients.ShareCounts(e.Counts(nil)))
		list = append(list, d)
	}
	return list
}

// arrive sends eight requests a second to each door for four seconds, and returns how many are let in. All are
// of the time at.
func arrive(t *testing.T, list []*door, key string, at time.Time) (admitted int) {
	t.Helper()
	tick := time.NewTicker(time.Second / 8)
	defer tick.Stop()
	for range 32 {
		<-tick.C
		for _, d := range list {
			_, err := d.gate.Check(&access.Request{Time: at, Method: "GET", Path: "/",
				Address: netip.MustParseAddr("192.0.2.7"), APIKey: []string{key}, Scope: access.AntennasRead})
			if err == nil {
				admitted++
			} else if !errors.Is(err, access.ErrRateLimited) {
				t.Error(err)
			}
		}
	}
	return admitted
}

// A limit holds over three nodes, also while the engine is away and after it was killed.
func TestLimitOfThreeNodes(t *testing.T) {
	tier.Slow(t)
	const limit, second = 30, 24 // requests that arrive in a second
	server := newCluster(t)
	list := doors(t, server, 3)
	issued, err := list[0].clients.Create(access.Client{Name: "x", Mode: access.Server,
		CIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Scopes: access.ReadScopes,
		Limits: access.Limits{Minute: limit, Day: 100_000}})
	must(t, err)
	all, at := 0, time.Now().Truncate(24*time.Hour)
	for _, step := range []struct {
		name    string
		nodes   int
		most    int // a request may arrive late, and so may the engine's answer
		prepare func()
	}{
		{"at one node", 1, limit, func() {}},
		{"evenly", 3, limit + 2*second, func() {}},
		{"while the engine is away", 3, limit + second, server.Stop},
		{"when it is there again", 3, limit + 2*second, server.Restart},
	} {
		step.prepare()
		got := arrive(t, list[:step.nodes], issued.APIKey, at)
		if got < limit || got > step.most {
			t.Errorf("%s: %d requests admitted, want %d to %d", step.name, got, limit, step.most)
		}
		all += got
		at = at.Add(time.Minute)
	}
	// Each node learns what all have admitted of the day, as soon as it is asked.
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var left []int
		for _, d := range list {
			u, err := d.clients.Usage(issued.ID)
			must(t, err)
			left = append(left, u.Day.Remaining)
		}
		if slices.Min(left) == 100_000-all {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%v requests are left of the day, want %d", left, 100_000-all)
		}
	}
}

// Old counts and answers are removed, those of today stay.
func TestOldCounts(t *testing.T) {
	server := newCluster(t)
	e := connected(t, server.URL("postgres"), "one")
	now := time.Now()
	tallies := []access.Tally{{Key: "day:x", End: now.Add(12 * time.Hour).Unix(), Units: 1},
		{Key: "day:x", End: now.Add(-12 * time.Hour).Unix(), Units: 1}, {Key: "minute:x", End: now.Unix(), Units: 1}}
	if _, err := e.Counts(nil).Tell(t.Context(), tallies); err != nil {
		t.Fatal(err)
	}
	for _, sql := range expired {
		if _, err := e.exec(t.Context(), sql); err != nil {
			t.Errorf("%v: %s", err, sql)
		}
	}
	if n := server.Query("postgres", "SELECT count(*) FROM relais.tally"); n != "2" {
		t.Errorf("%s counts are left, want 2", n)
	}
}
