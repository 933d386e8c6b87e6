package account

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"relais/internal/limit"
)

// turns let so many passwords be hashed at once, and so many wait for that. The next is one
// of the provider, and there of the network, that hashed and waits least: a flood waits for
// itself, and a newcomer from elsewhere hardly at all.
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

// take waits for a turn, which ends with done. No address is the operator's own. Error:
// ErrBusy.
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

// wait takes w in among those that wait, and reports whether there is room. Where there is
// none the last of them goes, which may be w.
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

// leave is for a waiter who does not wait any longer.
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

// next gives a turn to the first of those that wait. It needs mu.
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

// A load is how much a provider and a network have hashed in this minute or wait to hash.
type load struct{ provider, network int }

func (l load) less(other load) bool {
	return l.provider < other.provider || l.provider == other.provider && l.network < other.network
}

// loads are those of everybody who waits. It needs mu.
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

// remove needs mu.
func (t *turns) remove(i int) *waiter {
	w := t.waiting[i]
	t.waiting = append(t.waiting[:i], t.waiting[i+1:]...)
	return w
}
