package access

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// creditOf is e of the design, written out again.
func creditOf(limit, servers int) int {
	part := limit / (8 * servers)
	if limit%(8*servers) != 0 {
		part++
	}
	return min(part, max(16, limit/1000))
}

func TestCredit(t *testing.T) {
	for _, c := range []struct{ limit, servers, want int }{
		{60, 3, 3}, {10_000, 3, 16}, {1, 3, 1}, {100_000, 2, 100}, {1_000_000_000, 13, 1_000_000}, {60, 1, 8},
	} {
		if got := (creditor{limit: c.limit, servers: c.servers}).credit(); got != uint64(c.want) ||
			creditOf(c.limit, c.servers) != c.want {
			t.Errorf("%d requests, %d servers: credit = %d, want %d", c.limit, c.servers, got, c.want)
		}
	}
}

// However requests come to several servers, they admit as many as the limit, and at most a credit
// of each other server in addition.
func TestAdmittedBySeveralServers(t *testing.T) {
	over := 0
	for _, c := range []struct{ servers, limit, kills int }{
		{1, 60, 0}, {2, 1, 0}, {2, 60, 0}, {3, 60, 0}, {3, 60, 2}, {3, 1000, 0}, {3, 10_000, 3}, {5, 7, 0}, {13, 300, 0},
	} {
		t.Run(fmt.Sprintf("%d servers, %d requests, %d kills", c.servers, c.limit, c.kills), func(t *testing.T) {
			for _, l := range []Limits{{Minute: c.limit, Day: maxLimit}, {Minute: maxLimit, Day: c.limit}} {
				f := newFleet(t, c.servers, l)
				for seed := range uint64(20) {
					f.now = f.now.Add(24 * time.Hour) // new windows
					for i := range f.tables {
						f.restart(i)
					}
					random := rand.New(rand.NewPCG(seed, uint64(c.servers)))
					kills := c.kills
					got := f.drain(random, func(i int, _ Charge) {
						if kills > 0 && random.IntN(c.limit/4+1) == 0 {
							kills--
							f.restart(i)
						}
					})
					e := creditOf(c.limit, c.servers)
					// A server that is killed takes a credit with it: it was admitted, and nobody knows.
					least, most := c.limit-e*c.kills, c.limit+(c.servers-1+c.kills)*e
					if got < least || got > most {
						t.Errorf("seed %d, %+v: %d admitted, want %d to %d", seed, l, got, least, most)
					}
					over += max(0, got-c.limit)
				}
			}
		})
	}
	if over == 0 {
		t.Error("no order of requests exceeded a limit: the test would find no wrong bound")
	}
}

// What cost less than a request is not lost, and gives nobody more than the limit.
func TestRefundsOfSeveralServers(t *testing.T) {
	const servers, limit = 3, 60
	f := newFleet(t, servers, Limits{Minute: limit, Day: maxLimit})
	for seed := range uint64(20) {
		f.now = f.now.Add(24 * time.Hour)
		for i := range f.tables {
			f.restart(i)
		}
		random := rand.New(rand.NewPCG(seed, 7))
		cheap := 0
		got := f.drain(random, func(i int, c Charge) {
			if random.IntN(3) > 0 {
				c.Cost(Twentieth, f.now)
				cheap++
			}
		})
		units := (got-cheap)*Whole + cheap*Twentieth
		if least, most := (limit-1)*Whole-servers*Whole, (limit+(servers-1)*creditOf(limit, servers))*Whole; units > most ||
			units < least {
			t.Errorf("seed %d: %d units admitted, want %d to %d", seed, units, least, most)
		}
	}
}

func TestAdmittedWhileTheLedgerIsAway(t *testing.T) {
	for _, c := range []struct{ servers, limit int }{{2, 1}, {3, 60}, {3, 1000}, {5, 7}, {13, 300}} {
		t.Run(fmt.Sprintf("%d servers, %d requests", c.servers, c.limit), func(t *testing.T) {
			f := newFleet(t, c.servers, Limits{Minute: c.limit, Day: maxLimit})
			e := creditOf(c.limit, c.servers)
			for seed := range uint64(20) {
				random := rand.New(rand.NewPCG(seed, uint64(c.servers)))
				for _, before := range []int{0, random.IntN(c.limit + 1), c.limit + c.servers*e} {
					f.now = f.now.Add(24 * time.Hour)
					f.book.setAway(false)
					for i := range f.tables {
						f.restart(i)
					}
					got := 0
					for range 20 * before {
						i := random.IntN(c.servers)
						_, hit := f.try(i)
						if hit == waits {
							f.tell(i)
						}
						if hit == admitted {
							got++
						}
						if got == before {
							break
						}
					}
					for range 2 { // all know the same
						for i := range f.tables {
							f.tell(i)
						}
					}
					f.book.setAway(true)
					for i := range f.tables {
						f.tables[i].sharing.late.Store(true)
					}
					got += f.drain(random, nil)
					least, most := c.limit, c.limit+(c.servers-1)*e+c.servers
					if got < least || got > most {
						t.Errorf("seed %d, away after %d: %d admitted, want %d to %d", seed, before, got, least, most)
					}
				}
			}
		})
	}
}

// A ledger that lost what it was told learns it again from the servers that live.
func TestLedgerLoses(t *testing.T) {
	f := newFleet(t, 2, Limits{Minute: 60, Day: 1000})
	f.restart(0)
	f.restart(1)
	for range 3 {
		f.try(0)
		f.try(1)
	}
	f.tell(0)
	f.tell(1)
	f.book.setAway(true)
	f.try(1)
	f.tell(1)
	f.try(0)
	f.tell(0)
	f.book.setAway(false)
	f.book.told = map[Tally]map[int]uint64{}
	f.tell(0)
	f.tell(1)
	for at, told := range f.book.told {
		sum := uint64(0)
		for _, units := range told {
			sum += units
		}
		if sum != 8*Whole {
			t.Errorf("%s: %d units told, want %d", at.Key, sum, 8*Whole)
		}
	}
	if len(f.book.told) != 2 {
		t.Errorf("%d windows told, want 2", len(f.book.told))
	}
	u, err := f.tables[1].Usage(f.client.ID)
	if err != nil || u.Minute.Remaining != 52 || u.Day.Remaining != 992 {
		t.Errorf("Usage = %+v, %v, want 52 and 992 left", u, err)
	}
}

// Requests that come at once wait for the ledger, and not longer than they should.
func TestRequestsWaitForTheLedger(t *testing.T) {
	const servers, limit = 3, 60
	f := newFleet(t, servers, Limits{Minute: limit, Day: maxLimit})
	synctest.Test(t, func(t *testing.T) {
		f.book.setSlow(5 * time.Millisecond)
		ctx, stop := context.WithCancel(t.Context())
		var running, asking sync.WaitGroup
		for i := range servers {
			run := f.restart(i)
			running.Go(func() { run(ctx) })
		}
		ask := func(each int) int {
			var n atomic.Int64
			start := time.Now()
			for i := range servers {
				for range each {
					asking.Go(func() {
						if _, _, ok := f.counter(i).charge(f.limits, f.now); ok {
							n.Add(1)
						}
					})
				}
			}
			asking.Wait()
			if took := time.Since(start); took > patience {
				t.Errorf("the requests took %s, want at most %s", took, patience)
			}
			return int(n.Load())
		}
		e := creditOf(limit, servers)
		if got := ask(10); got != 30 {
			t.Errorf("%d of 30 admitted, want all: less than the limit", got)
		}
		if got := 30 + ask(100); got < limit || got > limit+(servers-1)*e {
			t.Errorf("%d admitted, want %d to %d", got, limit, limit+(servers-1)*e)
		}
		f.now = f.now.Add(time.Minute)
		f.book.setAway(true)
		time.Sleep(2 * tellEvery)
		if got := ask(100); got != limit {
			t.Errorf("away: %d admitted, want the shares of all: %d", got, limit)
		}
		f.now = f.now.Add(time.Minute)
		f.book.setAway(false)
		time.Sleep(2 * tellEvery)
		f.book.setSlow(time.Hour)
		if got := ask(100); got < limit || got > limit+servers {
			t.Errorf("hanging: %d admitted, want %d to %d", got, limit, limit+servers)
		}
		f.book.setSlow(0)
		stop()
		running.Wait()
	})
}

// A server that is quiet tells nothing, and one that ends tells the last.
func TestQuietServers(t *testing.T) {
	f := newFleet(t, 1, DefaultLimits)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		run := f.restart(0)
		running.Go(func() { run(ctx) })
		time.Sleep(time.Minute)
		if got := f.book.called(); got != 0 {
			t.Errorf("told %d times, want 0", got)
		}
		f.try(0)
		time.Sleep(2 * tellEvery)
		if got := f.book.called(); got != 1 {
			t.Errorf("told %d times, want 1", got)
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
	f := newFleet(t, 2, DefaultLimits)
	f.restart(0)
	f.restart(1)
	made, err := f.tables[0].Create(Client{Name: "new", Mode: Server, CIDRs: cidrs, Scopes: ReadScopes})
	must(t, err)
	lent, err := f.tables[0].Lend(Client{Name: "lent", Mode: Server, CIDRs: cidrs, Scopes: ReadScopes})
	must(t, err)
	must(t, f.tables[1].db.Pull(t.Context()))
	for i, c := range f.tables {
		l := c.table.Load().clients[made.ID]
		if l == nil || l.counter.sharing != c.sharing {
			t.Errorf("server %d: a new client is not counted for all", i)
		}
	}
	l := f.tables[0].table.Load().clients[lent.ID]
	if _, _, ok := l.counter.charge(l.Limits, f.now); l.counter.sharing != nil || !ok {
		t.Errorf("a lent client: charged %t, want it without a ledger", ok)
	}
}
