package access

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A Ledger adds up the requests that several servers count for the same clients.
type Ledger interface {
	// Live is how many servers count at the moment, at least 1.
	Live() int
	// Tell says what this server has counted, and returns for each tally the sum of what the
	// others have said. A tally replaces an earlier one with the same key and end, unless it is
	// less. Error: store.ErrAway; what was said may have arrived then.
	Tell(ctx context.Context, tallies []Tally) (others []uint64, err error)
}

// A Tally is how much one server has counted in a window.
type Tally struct {
	Key   string // one of TallyKeys
	End   int64  // of the window, in seconds since 1970
	Units uint64 // twentieths of a request
}

const minuteKey = "minute:" // followed by the client's id

// TallyKeys are the keys of a client's tallies.
func TallyKeys(client string) []string { return []string{minuteKey + client, dayKey + client} }

// When a server tells what it counted: as soon as a client has spent its credit, shortly after it
// has spent half of it, and otherwise every second.
const (
	tellEvery  = time.Second
	tellSoon   = 20 * time.Millisecond
	tellAtOnce = 2 * time.Millisecond // after the last time began
	tellTime   = 2 * time.Second      // after which the ledger is away
	tellAgain  = 200 * time.Millisecond
)

// patience is how long a request without credit waits for the ledger.
const patience = 500 * time.Millisecond

// A sharing makes limits hold over several servers. A server admits a request while what it and
// the others have counted, as far as it knows, is below the limit, and while it has told the ledger
// all except the credit of a client. The server that told last knew all that was told, and each
// other one has admitted no more than its credit in addition: so with n servers, a window admits at
// most n-1 credits more than its limit.
//
// A server that dies takes what it did not tell with it, at most a credit of each client. While the
// ledger is away, each server admits its share of what was left when it told last.
type sharing struct {
	clients *Clients
	ledger  Ledger
	servers atomic.Int64 // that live
	late    atomic.Bool  // the ledger is away, or slower than patience
	soon    chan struct{}
	atOnce  chan struct{}
	again   bool // the ledger may have lost what was told; of run alone

	mu   sync.Mutex
	next chan struct{} // closed when a report that has not begun ends
}

// ShareCounts makes the limits of all clients those of all servers that share a ledger. It is
// called before the first request. run tells the ledger until its context ends.
func (c *Clients) ShareCounts(ledger Ledger) (run func(context.Context)) {
	s := &sharing{clients: c, ledger: ledger, soon: make(chan struct{}, 1), atOnce: make(chan struct{}, 1),
		next: make(chan struct{})}
	s.servers.Store(int64(max(1, ledger.Live())))
	c.showing.Lock()
	defer c.showing.Unlock()
	c.sharing = s
	for _, l := range c.table.Load().clients {
		c.share(l)
	}
	return s.run
}

// share has the requests of a client counted for all servers.
func (c *Clients) share(l *live) {
	if c.sharing != nil && l != nil && !l.lent && l.counter.sharing == nil {
		l.counter.sharing = c.sharing
	}
}

// run tells the ledger what was counted until ctx ends, and then for the last time.
func (s *sharing) run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		wait := tellEvery
		if s.tell(ctx) != nil {
			wait = tellAgain
		}
		s.pause(ctx, began, wait)
	}
	s.tell(context.Background())
}

// pause waits until it is time to tell again.
func (s *sharing) pause(ctx context.Context, began time.Time, wait time.Duration) {
	soon, atOnce := s.soon, s.atOnce
	if s.again {
		soon, atOnce = nil, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case <-soon:
			soon = nil
			timer.Reset(tellSoon - time.Since(began))
		case <-atOnce:
			soon, atOnce = nil, nil
			timer.Reset(tellAtOnce - time.Since(began))
		}
	}
}

// tell tells the ledger what was counted since the last time, or all of it when the ledger was
// away meanwhile: it may have lost what it knew.
func (s *sharing) tell(ctx context.Context) error {
	s.mu.Lock()
	done := s.next
	s.next = make(chan struct{})
	s.mu.Unlock()
	defer close(done)
	s.servers.Store(int64(max(1, s.ledger.Live())))
	tallies, from := s.untold()
	if len(tallies) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellTime)
	defer cancel()
	others, err := s.ledger.Tell(ctx, tallies)
	if err != nil || len(others) != len(tallies) {
		s.again = true
		s.late.Store(true)
		return err
	}
	for i, t := range from {
		t.set(tallies[i].Units, others[i])
	}
	s.again = false
	s.late.Store(false)
	return nil
}

// A teller is a window of a client whose count is told.
type teller struct {
	*told
	window uint32
}

// untold returns what the ledger does not know.
func (s *sharing) untold() (tallies []Tally, from []teller) {
	add := func(c *counted, t *told, key, id string, seconds int64) {
		at, n := split(c.word.Load())
		if own, _ := t.in(at); n == 0 || n <= own && !s.again {
			return
		}
		tallies = append(tallies, Tally{key + id, (int64(at) + 1) * seconds, n})
		from = append(from, teller{t, at})
	}
	for id, l := range s.clients.table.Load().clients {
		if c := l.counter; c.sharing != nil {
			add(&c.minute, &c.minuteTold, minuteKey, id, minuteSeconds)
			add(&c.day, &c.dayTold, dayKey, id, daySeconds)
		}
	}
	return tallies, from
}

// wait waits for a report that begins now or later, and reports whether it came before the timer.
// A report that does not come makes the ledger late.
func (s *sharing) wait(timer *time.Timer) bool {
	s.mu.Lock()
	done := s.next
	s.mu.Unlock()
	signal(s.atOnce)
	select {
	case <-done:
		return true
	case <-timer.C:
		s.late.Store(true)
		return false
	}
}

// signal does not wait for anybody who takes the signal.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
