// Package retention decides whether the system clock can be trusted to delete old
// data. A machine with an empty clock battery starts in the wrong year, and
// would otherwise delete everything within seconds. The package deletes nothing itself.
package retention

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// tolerance is how far the clock may be from the newest evidence of time.
	tolerance = 30 * 24 * time.Hour
	// proofTime is how long a clock that was far must run steadily before it is trusted again.
	proofTime = 7 * 24 * time.Hour
	// silence is the longest gap between two observations during the proof: the clock
	// may have been wrong meanwhile.
	silence = 3 * 24 * time.Hour
	// watched is how old Seen may be: it is written to disk.
	watched = 10 * time.Minute
	// correction is how far the clock may be set back during the proof.
	correction = time.Hour
)

// ErrUnproven says that nothing shows yet that the clock is right: the folder is new, or
// of a version that kept no record of time.
var ErrUnproven = errors.New("the system clock is not proven right yet: no old data is deleted until it has run for 7 days, or until relais check --accept")

// A FarError says that the clock is more than 30 days from the newest evidence of time.
type FarError struct{ Now, Evidence time.Time }

func (e *FarError) Error() string {
	return fmt.Sprintf("the system clock says %s, but the last data came at %s: nothing is deleted for its age; set the clock, or, when it is right, run relais check --accept",
		e.Now.Format(time.RFC3339), e.Evidence.Format(time.RFC3339))
}

// State is a folder's record of time. The zero State has no evidence.
type State struct {
	Receipt time.Time `json:"receipt,omitzero"` // when data was received last
	Ran     time.Time `json:"ran,omitzero"`     // when old data was last deleted
	// Since is the time from which an untrusted clock is observed, Seen that of its last
	// observation.
	Since time.Time `json:"since,omitzero"`
	Seen  time.Time `json:"seen,omitzero"`
}

// evidence returns the newest evidence of time, or zero.
func (s State) evidence() time.Time {
	if s.Ran.After(s.Receipt) {
		return s.Ran
	}
	return s.Receipt
}

func (s State) near(now time.Time) bool {
	e := s.evidence()
	return !e.IsZero() && now.Sub(e).Abs() <= tolerance
}

// A Clock is the system clock with its record. It is safe for
// concurrent use.
type Clock struct {
	now   func() time.Time
	mu    sync.Mutex
	state State // under mu
}

// NewClock returns a clock that continues from a state.
func NewClock(state State, now func() time.Time) *Clock { return &Clock{now: now, state: state} }

// State returns the record to keep for the next start.
func (c *Clock) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Receipt notes that data was received: imported, submitted or ingested. Only the moment
// counts, not the dates in the data. Far from earlier evidence it proves nothing yet: the
// clock is observed from then on.
func (c *Clock) Receipt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.observe()
	switch {
	case c.state.near(now):
		c.state.Receipt = later(c.state.Receipt, now)
	case c.state.Since.IsZero():
		c.state.Since, c.state.Seen = now, now
	}
}

// Observe reads the clock, so that jumps during the proof are noticed. It should
// be called every minute, and when a process begins and ends.
func (c *Clock) Observe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe()
}

// Check returns nil if the clock may decide which data is old. Errors: ErrUnproven and
// *FarError, which forbid deleting.
func (c *Clock) Check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.observe()
	switch {
	case c.state.evidence().IsZero():
		return ErrUnproven
	case !c.state.near(now):
		return &FarError{now, c.state.evidence()}
	}
	return nil
}

// NoteDeletion notes that old data was deleted.
func (c *Clock) NoteDeletion() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.observe(); c.state.near(now) {
		c.state.Ran = later(c.state.Ran, now)
	}
}

// Accept trusts the clock as it is, on the word of an operator.
func (c *Clock) Accept() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = State{Receipt: c.wall()}
}

// wall returns the time without its monotonic part, which would hide that the clock was set.
func (c *Clock) wall() time.Time { return c.now().UTC().Truncate(time.Second) }

// observe returns the time. It continues or restarts the proof of an untrusted clock.
func (c *Clock) observe() time.Time {
	now, s := c.wall(), &c.state
	if s.evidence().IsZero() && s.Since.IsZero() {
		s.Since, s.Seen = now, now
	}
	switch elsewhere := now.Before(s.Seen.Add(-correction)) || now.After(s.Seen.Add(silence)); {
	case s.Since.IsZero():
	case s.near(now):
		s.Since, s.Seen = time.Time{}, time.Time{}
	case elsewhere && s.evidence().IsZero():
		s.Since, s.Seen = now, now
	case elsewhere:
		s.Since, s.Seen = time.Time{}, time.Time{}
	case now.Sub(s.Since) >= proofTime:
		*s = State{Receipt: now}
	case now.Sub(s.Seen) >= watched:
		s.Seen = now
	}
	return now
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
