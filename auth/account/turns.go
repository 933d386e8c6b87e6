package account

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"relais/internal/limit"
)

// turns bound how many passwords are hashed at one time, and how many wait. The next turn goes to
// the provider, and there to the network, with the fewest hashes and waiters. So a flood delays
// only itself, and others wait hardly at all.
type turns struct {
	now    func() time.Time
	hashed *limit.Counter[netip.Prefix] // by network and by provider

	mu      sync.Mutex
	free    int
	waiting []*waiter // first come first
}

// A waiter is somebody who waits for a turn.
type waiter struct {
	network, provider netip.Prefix
	turn              chan bool // gets true when it is their turn, false when others are before them
}

func newTurns(now func() time.Time) *turns {
	return &turns{now: now, hashed: limit.New[netip.Prefix](time.Minute), free: hashesAtOnce}
}

// take waits for a turn, which done ends. The zero address is the operator's own. Error: ErrBusy.
func (t *turns) take(ctx context.Context, addr netip.Addr) error {
	network := limit.Network(limit.Line(addr))
	w := &waiter{network, limit.Provider(network), make(chan bool, 1)}
	if !t.wait(w) {
		return ErrBusy
	}
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	select {
	case ok := <-w.turn:
		if !ok {
			return ErrBusy
		}
		return nil
	case <-ctx.Done():
		t.leave(w)
		return ErrBusy
	}
}

// wait adds w to the waiters, and reports whether there is room. Otherwise it removes the
// last waiter in the order of turns, which may be w.
func (t *turns) wait(w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, w)
	if t.free > 0 {
		t.free--
		t.next()
		return true
	}
	if len(t.waiting) <= mostWaiting {
		return true
	}
	last, loads := 0, t.loads()
	for i := range loads {
		if !loads[i].less(loads[last]) {
			last = i
		}
	}
	gone := t.remove(last)
	gone.turn <- false
	return gone != w
}

// leave removes a waiter that gives up.
func (t *turns) leave(w *waiter) {
	t.mu.Lock()
	for i := range t.waiting {
		if t.waiting[i] == w {
			t.remove(i)
			t.mu.Unlock()
			return
		}
	}
	t.mu.Unlock()
	if <-w.turn { // it came just then
		t.done()
	}
}

// done ends a turn.
func (t *turns) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.free++
		return
	}
	t.next()
}

// next gives a turn to the first waiter. The caller holds mu.
func (t *turns) next() {
	first, loads := 0, t.loads()
	for i := range loads {
		if loads[i].less(loads[first]) {
			first = i
		}
	}
	w, now := t.remove(first), t.now()
	t.hashed.Add(w.network, now)
	t.hashed.Add(w.provider, now)
	w.turn <- true
}

// A load is how many passwords of a provider and of a network were hashed in this minute or wait.
type load struct{ provider, network int }

func (l load) less(other load) bool {
	return l.provider < other.provider || l.provider == other.provider && l.network < other.network
}

// loads returns the load of each waiter. The caller holds mu.
func (t *turns) loads() []load {
	now, waiting := t.now(), map[netip.Prefix]int{}
	for _, w := range t.waiting {
		waiting[w.provider]++
		waiting[w.network]++
	}
	list := make([]load, len(t.waiting))
	for i, w := range t.waiting {
		list[i] = load{t.hashed.Count(w.provider, now) + waiting[w.provider],
			t.hashed.Count(w.network, now) + waiting[w.network]}
	}
	return list
}

// remove removes a waiter. The caller holds mu.
func (t *turns) remove(i int) *waiter {
	w := t.waiting[i]
	t.waiting = append(t.waiting[:i], t.waiting[i+1:]...)
	return w
}
