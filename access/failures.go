package access

import (
	"net/netip"
	"sync"
	"time"
)

// MaxFailures is how many authentications may fail from one address in a minute of
// the wall clock.
const MaxFailures = 30

// maxAddresses bounds the memory of Failures to a few megabytes.
const maxAddresses = 1 << 16

// Failures counts failed authentications by client address: one IPv4 address, or
// one /64 of IPv6, which is what a single subscriber has. Each minute starts anew.
// At most 65536 addresses have a count of their own in a minute; those that come
// later in it share one, so that a flood from more of them meets the limit early
// and takes no memory. It may be used by several goroutines.
type Failures struct {
	mu     sync.Mutex
	minute int64 // since 1970
	counts map[netip.Addr]int
	others int // of those that found counts full
}

// NewFailures returns an empty count.
func NewFailures() *Failures { return &Failures{counts: map[netip.Addr]int{}} }

// Add counts a failure and returns the number of them in the minute of now, with
// this one.
func (f *Failures) Add(addr netip.Addr, now time.Time) int {
	addr = subscriber(addr)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn(now)
	n, known := f.counts[addr]
	if !known && len(f.counts) == maxAddresses {
		f.others++
		return f.others
	}
	f.counts[addr] = n + 1
	return n + 1
}

// Count returns the number of failures in the minute of now.
func (f *Failures) Count(addr netip.Addr, now time.Time) int {
	addr = subscriber(addr)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn(now)
	n, known := f.counts[addr]
	if !known {
		return f.others // 0 until counts is full
	}
	return n
}

// turn starts a new minute when there is one. A time just before it comes from a
// request that waited for the lock, one further back from a clock that was set.
func (f *Failures) turn(now time.Time) {
	minute := now.Unix() / minuteSeconds
	if minute > f.minute || minute < f.minute-1 {
		f.minute, f.others = minute, 0
		f.counts = map[netip.Addr]int{} // not cleared: after a flood the memory goes back
	}
}

// subscriber is what addresses are counted by.
func subscriber(addr netip.Addr) netip.Addr {
	addr = plain(addr)
	if addr.Is6() {
		network, _ := addr.Prefix(64) // fails for more than 128 bits only
		return network.Addr()
	}
	return addr
}
