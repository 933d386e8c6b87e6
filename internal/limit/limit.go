// Package limit counts events by key, such as a client address, in windows of time. Its
// callers decide what to refuse. The counts are kept in memory only.
package limit

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// maxKeys bounds the memory of a Counter to a few megabytes.
const maxKeys = 1 << 16

// A Counter counts by key. The counts begin at zero with each window of the wall clock.
// It may be used by several goroutines.
//
// At most 65536 keys have a count in a window. Beyond that, the keys of a wider group share
// one count, the largest groups first; other keys keep their own. The count of a group is
// the average of its members, so that a newcomer is not refused for what a few others did.
// If all groups have only one member, the smallest counts are forgotten.
type Counter[K comparable] struct {
	seconds int64 // of a window
	wider   []func(K) K
	mu      sync.Mutex
	window  int64 // since 1970
	counts  map[K]tally
	levels  int // how many of wider have groups in counts
}

// A tally is the count of a key, or of a group of keys together.
type tally struct{ n, members int }

// average returns the count of an average member, rounded up.
func (t tally) average() int { return (t.n + t.members - 1) / t.members }

// New returns an empty counter. The window is in whole seconds. The functions return the
// groups of a key, from the narrowest to the widest. A group must differ from all keys, and
// a function must return the same for a key and for the narrower groups of that key.
func New[K comparable](window time.Duration, wider ...func(K) K) *Counter[K] {
	return &Counter[K]{seconds: int64(window / time.Second), wider: wider, counts: map[K]tally{}}
}

// Add adds one and returns the count in the window of now.
func (c *Counter[K]) Add(key K, now time.Time) int { return c.add(key, now, 1) }

// TakeBack subtracts one in the window of now.
func (c *Counter[K]) TakeBack(key K, now time.Time) { c.add(key, now, -1) }

// Count returns the count in the window of now.
func (c *Counter[K]) Count(key K, now time.Time) int { return c.add(key, now, 0) }

// End returns the end of the window of now.
func (c *Counter[K]) End(now time.Time) time.Time {
	return time.Unix((now.Unix()/c.seconds+1)*c.seconds, 0)
}

func (c *Counter[K]) add(key K, now time.Time, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startWindow(now)
	t, key := c.find(key)
	if t.members == 0 {
		if n <= 0 {
			return 0
		}
		if len(c.counts) >= maxKeys {
			c.makeRoom()
			t, key = c.find(key)
		}
	}
	t.n, t.members = max(0, t.n+n), max(1, t.members)
	if t.n == 0 { // a key that was taken back takes no memory
		delete(c.counts, key)
	} else {
		c.counts[key] = t
	}
	return t.average()
}

// find returns the tally of key and key itself. If the key shares the count of a group, it
// returns the widest such group instead.
func (c *Counter[K]) find(key K) (tally, K) {
	for i := c.levels - 1; i >= 0; i-- {
		group := c.wider[i](key)
		if t, together := c.counts[group]; together {
			return t, group
		}
	}
	return c.counts[key], key
}

// makeRoom joins groups until a quarter of the keys is free again. It is slow but rare, as
// it takes many new keys to fill them.
func (c *Counter[K]) makeRoom() {
	const most = maxKeys - maxKeys/4
	for i, wider := range c.wider {
		if len(c.counts) <= most {
			return
		}
		c.levels = max(c.levels, i+1)
		c.joinGroups(wider, most)
	}
	if len(c.counts) > most {
		c.forget(most)
	}
}

// joinGroups joins the largest groups until at most so many keys are left.
func (c *Counter[K]) joinGroups(wider func(K) K, most int) {
	groups := map[K][]K{}
	for key := range c.counts {
		group := wider(key)
		groups[group] = append(groups[group], key)
	}
	bySize := make([]K, 0, len(groups))
	for group, keys := range groups {
		if len(keys) > 1 {
			bySize = append(bySize, group)
		}
	}
	slices.SortFunc(bySize, func(a, b K) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	for _, group := range bySize {
		if len(c.counts) <= most {
			return
		}
		var sum tally
		for _, key := range groups[group] {
			t := c.counts[key]
			sum.n, sum.members = sum.n+t.n, sum.members+t.members
			delete(c.counts, key)
		}
		c.counts[group] = sum
	}
}

// forget forgets the smallest counts until at most so many keys are left.
func (c *Counter[K]) forget(most int) {
	keys := make([]K, 0, len(c.counts))
	for key := range c.counts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b K) int { return cmp.Compare(c.counts[a].average(), c.counts[b].average()) })
	for _, key := range keys[:len(keys)-most] {
		delete(c.counts, key)
	}
}

// startWindow starts a new window if now is in one. A time in the previous window comes from a
// request that waited for the lock; an earlier one from a clock that was set back.
func (c *Counter[K]) startWindow(now time.Time) {
	window := now.Unix() / c.seconds
	if window > c.window || window < c.window-1 {
		c.window, c.levels = window, 0
		c.counts = map[K]tally{} // not cleared: after a flood the memory goes back
	}
}
