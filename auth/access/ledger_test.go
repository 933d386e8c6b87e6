package access

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"relais/internal/store"
	"relais/internal/tier"
)

// A book is a ledger in memory: what each process has told of each window.
type book struct {
	mu    sync.Mutex
	told  map[Tally]map[int]uint64 // by key and end, and by process
	live  int
	away  bool
	calls int
}

// A page is a book as one process sees it.
type page struct {
	*book
	process int
}

func (p page) Live() int { return p.live }

func (p page) Tell(_ context.Context, tallies []Tally) (others []uint64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls++; p.away {
		return nil, store.ErrAway
	}
	for _, t := range tallies {
		at := Tally{Key: t.Key, End: t.End}
		if p.told[at] == nil {
			p.told[at] = map[int]uint64{}
		}
		p.told[at][p.process] = max(p.told[at][p.process], t.Units)
		sum := uint64(0)
		for process, units := range p.told[at] {
			if process != p.process {
				sum += units
			}
		}
		others = append(others, sum)
	}
	return others, nil
}

// A fleet is some servers with one client.
type fleet struct {
	t       *testing.T
	limits  Limits
	servers []*sharing
	book    *book
	now     time.Time
	born    int
}

func newFleet(t *testing.T, servers int, limits Limits) *fleet {
	t.Helper()
	f := &fleet{t: t, limits: limits, servers: make([]*sharing, servers), now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		book: &book{told: map[Tally]map[int]uint64{}, live: servers}}
	for i := range servers {
		f.restart(i)
	}
	return f
}

// restart makes a server a new process, which has counted nothing.
func (f *fleet) restart(i int) {
	f.born++
	l, err := newLive(&record{Client: Client{ID: "x", Limits: f.limits}}, &Sealer{}, nil)
	must(f.t, err)
	c, table := &Clients{}, newTable()
	table.put(l)
	c.table.Store(table)
	f.servers[i] = &sharing{clients: c, ledger: page{f.book, f.born}}
}

func (f *fleet) client(i int) *live { return f.servers[i].clients.table.Load().clients["x"] }

// try sends a request to a server, and reports whether it is admitted.
func (f *fleet) try(i int) (Charge, bool) {
	charge, _, ok := f.client(i).counter.charge(f.limits, f.now)
	return charge, ok
}

func (f *fleet) tellAll() {
	for _, s := range f.servers {
		s.tell()
	}
}

// An arrival is a request to a server.
type arrival struct {
	at     time.Duration
	server int
}

// within counts the arrivals at a server in a second.
func within(list []arrival, server int, from time.Duration) (n int) {
	for _, a := range list {
		if a.server == server && a.at >= from && a.at < from+time.Second {
			n++
		}
	}
	return n
}

// However requests come to several servers, they admit as many as the limit, and at most what comes to each of
// them in a second in addition. A server that is killed loses what came to it in a second at most.
func TestAdmittedBySeveralServers(t *testing.T) {
	over := 0
	for _, c := range []struct{ servers, limit, kills int }{
		{1, 60, 0}, {2, 1, 0}, {2, 60, 0}, {3, 60, 0}, {3, 60, 2}, {3, 1000, 3}, {5, 7, 0}, {13, 300, 0},
	} {
		t.Run(fmt.Sprintf("%d servers, %d requests, %d kills", c.servers, c.limit, c.kills), func(t *testing.T) {
			for _, l := range []Limits{{Minute: c.limit, Day: maxLimit}, {Minute: maxLimit, Day: c.limit}} {
				for seed := range uint64(20) {
					f := newFleet(t, c.servers, l)
					got, most := f.arrive(rand.New(rand.NewPCG(seed, uint64(c.servers))), c.limit, c.kills)
					if got < c.limit || got > most {
						t.Errorf("seed %d, %+v: %d admitted, want %d to %d", seed, l, got, c.limit, most)
					}
					over += got - c.limit
				}
			}
		})
	}
	if over == 0 {
		t.Error("no order of requests exceeded a limit: the test would find no wrong bound")
	}
}

// arrive sends requests to the servers for ten seconds, about half a limit each second, and tells when they
// would. It returns how many were admitted, and how many may be.
func (f *fleet) arrive(random *rand.Rand, limit, kills int) (got, most int) {
	weights, offsets := make([]float64, len(f.servers)), make([]time.Duration, len(f.servers))
	for i := range weights {
		weights[i], offsets[i] = random.ExpFloat64(), time.Duration(random.Int64N(int64(tellEvery)))
	}
	var arrivals, killed []arrival
	full := time.Duration(-1) // when the limit was reached
	const step = 5 * time.Millisecond
	for now := time.Duration(0); now < 10*time.Second; now += step {
		for i, s := range f.servers {
			if (now-offsets[i])/tellEvery != (now-offsets[i]-step)/tellEvery {
				s.tell()
			}
		}
		if kills > 0 && random.IntN(100) == 0 {
			kills--
			i := random.IntN(len(f.servers))
			f.restart(i)
			killed = append(killed, arrival{now, i})
		}
		for random.Float64() < float64(limit)/(float64(limit)+400) {
			i := chosen(random, weights)
			arrivals = append(arrivals, arrival{now, i})
			if _, ok := f.try(i); ok {
				got++
			}
			if got == limit && full < 0 {
				full = now
			}
		}
	}
	most = limit
	for i := range f.servers {
		if first := slices.IndexFunc(arrivals, func(a arrival) bool { return a.server == i && a.at >= full }); first >= 0 {
			most += within(arrivals, i, arrivals[first].at)
		}
	}
	for _, k := range killed {
		most += within(arrivals, k.server, k.at-time.Second) + within(arrivals, k.server, k.at)
	}
	return got, most
}

func chosen(random *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at := random.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// What cost less than a request is not lost.
func TestRefundsOfSeveralServers(t *testing.T) {
	f := newFleet(t, 3, Limits{Minute: 60, Day: maxLimit})
	for range 100 { // five requests' worth
		for i := range f.servers {
			charge, ok := f.try(i)
			if !ok {
				t.Fatal("a request is refused, want 300 twentieths admitted")
			}
			charge.Cost(Twentieth, f.now)
		}
		f.tellAll()
	}
	if u := f.client(0).counter.peek(f.limits, f.now); u.Minute.Remaining != 45 {
		t.Errorf("%d requests are left, want 45", u.Minute.Remaining)
	}
}

// While the ledger is away, all servers together admit what was left, and nearly no more.
func TestAdmittedWhileTheLedgerIsAway(t *testing.T) {
	tier.Slow(t)
	for _, c := range []struct{ servers, limit, before int }{{2, 1, 0}, {3, 60, 0}, {3, 60, 30}, {3, 60, 60}, {3, 1000, 999},
		{5, 7, 6}, {13, 300, 100}} {
		t.Run(fmt.Sprintf("%d servers, %d requests after %d", c.servers, c.limit, c.before), func(t *testing.T) {
			f := newFleet(t, c.servers, Limits{Minute: c.limit, Day: maxLimit})
			got := 0
			try := func(i int) (ok bool) {
				if _, ok = f.try(i); ok {
					got++
				}
				return ok
			}
			for n := range c.before {
				try(n % c.servers)
				f.servers[n%c.servers].tell()
			}
			if f.book.away = true; got != c.before {
				t.Fatalf("%d admitted before, want %d", got, c.before)
			}
			for i, s := range f.servers {
				try(i) // before it knows that the ledger is away
				s.tell()
			}
			for range 2 {
				for i, s := range f.servers {
					for try(i) {
					}
					s.tell()
				}
			}
			if most := c.limit + 2*c.servers; got < c.limit || got > most { // shares are whole requests
				t.Errorf("%d admitted, want %d to %d", got, c.limit, most)
			}
			f.book.away = false
			f.tellAll()
			for i, s := range f.servers {
				f.try(i) // for what others told after it
				s.tell()
				if _, ok := f.try(i); ok {
					t.Errorf("the ledger is there again: server %d admits a request beyond the limit", i)
				}
			}
		})
	}
}

// A ledger that lost what it was told learns it again from the servers that live.
func TestLedgerLoses(t *testing.T) {
	f := newFleet(t, 2, Limits{Minute: 60, Day: 1000})
	for i := range 6 {
		f.try(i % 2)
	}
	f.tellAll()
	f.book.away = true
	for i, s := range f.servers {
		f.try(i)
		s.tell()
	}
	f.book.away, f.book.told = false, map[Tally]map[int]uint64{}
	f.tellAll() // the last one knows all
	for at, told := range f.book.told {
		if sum := told[1] + told[2]; sum != 8*Whole {
			t.Errorf("%s: %d units told, want %d", at.Key, sum, 8*Whole)
		}
	}
	if u := f.client(1).counter.peek(f.limits, f.now); u.Minute.Remaining != 52 || u.Day.Remaining != 992 {
		t.Errorf("left: %+v, want 52 and 992", u)
	}
}

// A server that is quiet tells nothing, and one that ends tells the last.
func TestQuietServers(t *testing.T) {
	f := newFleet(t, 1, DefaultLimits)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { f.servers[0].run(ctx) })
		for i, asks := range []bool{false, true, false} {
			if asks {
				f.try(0)
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if want := min(i, 1); f.book.calls != want {
				t.Errorf("told %d times, want %d", f.book.calls, want)
			}
		}
		f.try(0)
		stop()
		running.Wait()
		for at, told := range f.book.told {
			if told[1] != 2*Whole {
				t.Errorf("%s: %d units told, want %d", at.Key, told[1], 2*Whole)
			}
		}
	})
}

// A client made while servers share a ledger is counted by all, a lent one is not.
func TestNewClientsShare(t *testing.T) {
	k := newKit(t)
	b := &book{told: map[Tally]map[int]uint64{}, live: 1}
	s := &sharing{clients: k.Clients, ledger: page{b, 1}}
	spec := Client{Name: "new", Mode: Server, CIDRs: cidrs, Scopes: ReadScopes}
	made, err := k.Create(spec)
	must(t, err)
	spec.Name = "lent"
	lent, err := k.Lend(spec)
	must(t, err)
	for _, id := range []string{made.ID, lent.ID} {
		l := k.table.Load().clients[id]
		if _, _, ok := l.counter.charge(l.Limits, k.time); !ok {
			t.Errorf("a request of %s is refused", l.Name)
		}
	}
	s.tell()
	keys := []string{}
	for at := range maps.Keys(b.told) {
		keys = append(keys, at.Key)
	}
	slices.Sort(keys)
	if want := TallyKeys(made.ID); !slices.Equal(keys, []string{want[1], want[0]}) {
		t.Errorf("told of %v, want of the client that is not lent: %v", keys, want)
	}
}
