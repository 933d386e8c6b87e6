// Package limit counts by key in windows of time: how often an address, or whoever
// else, did something. It decides nothing and keeps nothing.
package limit

import (
	"net/netip"
	"sync"
	"time"
)

// maxKeys bounds the memory of a Counter to a few megabytes.
const maxKeys = 1 << 16

// A Counter counts by key. Each window of the wall clock starts anew. At most 65536
// keys have a count of their own in a window; those that come later in it share one,
// so that a flood from more of them meets the limit early and takes no memory. It may
// be used by several goroutines.
type Counter[K comparable] struct {
	seconds int64 // of a window
	mu      sync.Mutex
	window  int64 // since 1970
	counts  map[K]int
	others  int // of those that found counts full
}

// New returns an empty count by windows of so many whole seconds.
func New[K comparable](window time.Duration) *Counter[K] {
	return &Counter[K]{seconds: int64(window / time.Second), counts: map[K]int{}}
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
	before, known := c.counts[key]
	switch {
	case !known && len(c.counts) == maxKeys:
		c.others = max(0, c.others+n)
		return c.others
	case known || n > 0:
		c.counts[key] = max(0, before+n)
	}
	return max(0, before+n)
}

// turn starts a new window when there is one. A time just before it comes from a
// request that waited for the lock, one further back from a clock that was set.
func (c *Counter[K]) turn(now time.Time) {
	window := now.Unix() / c.seconds
	if window > c.window || window < c.window-1 {
		c.window, c.others = window, 0
		c.counts = map[K]int{} // not cleared: after a flood the memory goes back
	}
}

// Subscriber is what addresses are counted by: one IPv4 address, or one /64 of IPv6,
// which is what a single subscriber has. IPv4-mapped IPv6 is IPv4; zones do not count.
func Subscriber(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		network, _ := addr.Prefix(64) // fails for more than 128 bits only
		return network.Addr()
	}
	return addr
}
