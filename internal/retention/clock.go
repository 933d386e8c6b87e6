// Package retention reckons how old data is. A machine with an empty clock battery starts in the
// wrong year, and would otherwise delete everything within seconds. The package deletes nothing
// itself.
package retention

import "time"

const (
	// ahead is how far the system clock may be ahead of the newest data.
	ahead = 7 * 24 * time.Hour
	// longest is by how much Keep lengthens a time at most: a time.Duration ends at 292 years.
	longest = 200 * 365 * 24 * time.Hour
)

// A Clock is the system clock of a process, and the newest data that the process found at its start.
type Clock struct {
	now    func() time.Time
	newest time.Time
	ran    func() time.Duration // since the start, by the monotonic clock
}

// NewClock returns the clock of a process that starts now. newest is the date of the newest data;
// zero for no data.
func NewClock(newest time.Time, now func() time.Time) *Clock {
	start := time.Now()
	return &Clock{now, newest, func() time.Duration { return time.Since(start) }}
}

// HasData reports whether there was data to reckon from.
func (c *Clock) HasData() bool { return !c.newest.IsZero() }

// Keep returns how old data must be, by the system clock, to be deleted. That is d, unless the
// system clock is later than the date of the newest data + the time that the process has run +
// 7 days: then ages are reckoned from that, and Keep returns more.
func (c *Clock) Keep(d time.Duration) time.Duration {
	behind := c.now().Sub(c.newest) - c.ran() - ahead
	return d + min(max(behind, 0), longest)
}
