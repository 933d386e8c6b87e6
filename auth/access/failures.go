package access

import (
	"net/netip"
	"time"

	"relais/internal/admit"
)

// MaxFailures is how many authentications may fail from one address in a minute of
// the wall clock.
const MaxFailures = 30

// Failures counts failed authentications by client address: one IPv4 address, or one
// /64 of IPv6. The count restarts each minute. It may be used by several goroutines.
type Failures struct{ rate *admit.Rate }

// NewFailures returns an empty count.
func NewFailures() *Failures { return &Failures{admit.NewRate(time.Minute)} }

// Add counts a failure. It returns the number of failures in the minute of now, including this one.
func (f *Failures) Add(addr netip.Addr, now time.Time) int {
	return f.rate.Add(now, admit.Line(addr).String(), 1)
}

// Count returns the number of failures in the minute of now.
func (f *Failures) Count(addr netip.Addr, now time.Time) int {
	return f.rate.Count(now, admit.Line(addr).String())
}
