package access

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"relais/internal/store"
	"relais/internal/store/logtest"
)

// A book is a ledger in memory: what each server has told of each window.
type book struct {
	mu    sync.Mutex
	told  map[Tally]map[int]uint64 // by key and end, and by server
	live  int
	away  bool
	slow  time.Duration // how long an answer takes
	calls int
}

// A page is a book as one server sees it.
type page struct {
	*book
	server int
}

func newBook(live int) *book { return &book{told: map[Tally]map[int]uint64{}, live: live} }

func (p page) Live() int { return p.live }

func (p page) Tell(ctx context.Context, tallies []Tally) (others []uint64, err error) {
	p.mu.Lock()
	slow := p.slow
	p.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return nil, store.ErrAway
	}
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
		p.told[at][p.server] = max(p.told[at][p.server], t.Units)
		sum := uint64(0)
		for server, units := range p.told[at] {
			if server != p.server {
				sum += units
			}
		}
		others = append(others, sum)
	}
	return others, nil
}

func (p *book) setAway(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
}

func (p *book) setSlow(slow time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slow = slow
}

func (p *book) called() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

// A fleet is some servers with one client.
type fleet struct {
	t      *testing.T
	client *Issued
	limits Limits
	tables []*Clients
	book   *book
	now    time.Time
	born   int
}

// newFleet makes servers that share the clients, but count alone.
func newFleet(t *testing.T, servers int, limits Limits) *fleet {
	t.Helper()
	f := &fleet{t: t, limits: limits, book: newBook(servers), now: time.Date(2026, 11, 21, 10, 20, 30, 0, time.UTC)}
	log := logtest.New()
	for i := range servers {
		db, err := store.Open(filepath.Join(t.TempDir(), "clients.db"), Bucket)
		must(t, err)
		t.Cleanup(func() { db.Close() })
		must(t, db.Share(t.Context(), log))
		c, err := OpenClients(db, OpenSealer(filepath.Join(t.TempDir(), "secret.key")), func() time.Time { return f.now })
		must(t, err)
		f.tables = append(f.tables, c)
		if i == 0 {
			f.client, err = c.Create(Client{Name: "test", Mode: Server, CIDRs: cidrs, Scopes: ReadScopes, Limits: limits})
			must(t, err)
		}
	}
	return f
}

// restart makes a server a new process, which has counted nothing.
func (f *fleet) restart(i int) (run func(context.Context)) {
	f.born++
	c := f.tables[i]
	old := c.table.Load().clients[f.client.ID]
	l, err := newLive(&old.record, c.sealer, nil)
	must(f.t, err)
	t := newTable()
	t.put(l)
	c.sharing = nil
	c.table.Store(t)
	return c.ShareCounts(page{f.book, f.born})
}

func (f *fleet) counter(i int) *counter { return f.tables[i].table.Load().clients[f.client.ID].counter }

// A hit is what became of a request.
type hit int

const (
	admitted hit = iota
	refused
	waits
)

// try sends a request to a server, which does not wait.
func (f *fleet) try(i int) (Charge, hit) {
	charge, ok, short := f.counter(i).tryShared(f.limits, f.now, false)
	switch {
	case ok:
		return charge, admitted
	case short:
		return charge, waits
	}
	return charge, refused
}

func (f *fleet) tell(i int) { f.tables[i].sharing.tell(f.t.Context()) }

// drain sends requests in random order, until all servers refuse them.
func (f *fleet) drain(random *rand.Rand, each func(i int, c Charge)) (n int) {
	weight := make([]float64, len(f.tables))
	for i := range weight {
		weight[i] = random.ExpFloat64()
	}
	refusals := 0
	for refusals < 20*len(weight) {
		i := 0
		for at, most := range weight {
			if most*random.Float64() > weight[i]*random.Float64() {
				i = at
			}
		}
		if refusals > 10*len(weight) { // also those that are asked seldom
			i = refusals % len(weight)
		}
		charge, hit := f.try(i)
		switch hit {
		case admitted:
			n++
			refusals = 0
			if each != nil {
				each(i, charge)
			}
		case waits:
			f.tell(i)
			if refusals > 0 || random.IntN(2) == 0 {
				continue
			}
			if charge, hit = f.try(i); hit == admitted {
				n++
				if each != nil {
					each(i, charge)
				}
			}
		case refused:
			refusals++
			f.tell(refusals % len(weight))
		}
		if random.IntN(50) == 0 {
			f.tell(random.IntN(len(weight)))
		}
	}
	return n
}
