// Package limit counts by key in windows of time: how often an address, or somebody
// else, did something. It decides nothing and keeps nothing.
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
// At most 65536 keys have a count in a window. When these are used up, those of one wider
// group are counted together, the largest groups first: other keys keep counts of their
// own. A group is let do as much as all who were in it, so it is counted as the average
// of these: who comes later from it is not refused for what a few others did. Keys of
// groups with one member each are forgotten, the smallest counts first.
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

// each is the count of an average member, rounded up.
func (t tally) each() int { return (t.n + t.members - 1) / t.members }

// New returns an empty count by windows of so many whole seconds. The functions return the
// groups that a key is in, from the narrowest to the widest; a group is no key of its own,
// and a function returns the same for a key and for the narrower groups of that key.
func New[K comparable](window time.Duration, wider ...func(K) K) *Counter[K] {
	return &Counter[K]{seconds: int64(window / time.Second), wider: wider, counts: map[K]tally{}}
}

// Add counts one more and returns how many there are in the window of now, with this
// one.
func (c *Counter[K]) Add(key K, now time.Time) int { return c.add(key, now, 1) }

// TakeBack counts one less in the window of now.
func (c *Counter[K]) TakeBack(key K, now time.Time) { c.add(key, now, -1) }

// Count returns how many there are in the window of now.
func (c *Counter[K]) Count(key K, now time.Time) int { return c.add(key, now, 0) }

// End is when the window of now ends.
func (c *Counter[K]) End(now time.Time) time.Time {
	return time.Unix((now.Unix()/c.seconds+1)*c.seconds, 0)
}

func (c *Counter[K]) add(key K, now time.Time, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(now)
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
	if t.n == 0 { // what was taken back takes no room
		delete(c.counts, key)
	} else {
		c.counts[key] = t
	}
	return t.each()
}

// find returns the tally of the widest group with the key that is counted together, and
// that group, else those of the key.
func (c *Counter[K]) find(key K) (tally, K) {
	for i := c.levels - 1; i >= 0; i-- {
		group := c.wider[i](key)
		if t, together := c.counts[group]; together {
			return t, group
		}
	}
	return c.counts[key], key
}

// makeRoom counts so many groups together that a quarter of the keys is free again. It
// looks at all keys, which so many new ones pay for.
func (c *Counter[K]) makeRoom() {
	const most = maxKeys - maxKeys/4
	for i, wider := range c.wider {
		if len(c.counts) <= most {
			return
		}
		c.levels = max(c.levels, i+1)
		c.join(wider, most)
	}
	if len(c.counts) > most {
		c.forget(most)
	}
}

// join counts the largest groups together until no more than so many keys are left.
func (c *Counter[K]) join(wider func(K) K, most int) {
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

// forget forgets the smallest counts until no more than so many keys are left.
func (c *Counter[K]) forget(most int) {
	keys := make([]K, 0, len(c.counts))
	for key := range c.counts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b K) int { return cmp.Compare(c.counts[a].each(), c.counts[b].each()) })
	for _, key := range keys[:len(keys)-most] {
		delete(c.counts, key)
	}
}

// turn starts a new window when there is one. A time just before it comes from a
// request that waited for the lock, one further back from a clock that was set.
func (c *Counter[K]) turn(now time.Time) {
	window := now.Unix() / c.seconds
	if window > c.window || window < c.window-1 {
		c.window, c.levels = window, 0
		c.counts = map[K]tally{} // not cleared: after a flood the memory goes back
	}
}
