// Package retention decides whether the system clock can be trusted with deleting what is
// too old. A machine whose clock battery is dead starts years from now or years ago, and
// would otherwise delete everything within seconds. The package deletes nothing itself.
package retention

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// Near is how far from the newest evidence of time the clock may be.
	Near = 30 * 24 * time.Hour
	// Proof is how long a clock that was far must go on before it is trusted again.
	Proof = 7 * 24 * time.Hour
	// silence is how long nobody may have looked at the clock during the proof: the time
	// may have been another meanwhile.
	silence = 3 * 24 * time.Hour
	// watched is how old Seen may be: it is written to disk.
	watched = 10 * time.Minute
	// correction is how far back the clock may be set during the proof.
	correction = time.Hour
)

// ErrUnproven says that nothing shows yet that the clock is right: the folder is new, or
// of a version that kept no record of time.
var ErrUnproven = errors.New("nothing shows yet that the system clock is right: nothing is deleted for its age until it has run for 7 days, or until relais check --accept")

// A FarError says that the clock is more than 30 days from the newest evidence of time.
type FarError struct{ Now, Evidence time.Time }

func (e *FarError) Error() string {
	return fmt.Sprintf("the system clock says %s, but the last data came at %s: nothing is deleted for its age; set the clock, or, when it is right, run relais check --accept",
		e.Now.Format(time.RFC3339), e.Evidence.Format(time.RFC3339))
}

// State is what a folder remembers of time. The zero State has no evidence.
type State struct {
	Receipt time.Time `json:"receipt,omitzero"` // when data was received last
	Ran     time.Time `json:"ran,omitzero"`     // when old data was last deleted
	// Since is the time from which an untrusted clock is watched, Seen when it was looked
	// at last.
	Since time.Time `json:"since,omitzero"`
	Seen  time.Time `json:"seen,omitzero"`
}

// evidence is the newest evidence of time, zero when there is none.
func (s State) evidence() time.Time {
	if s.Ran.After(s.Receipt) {
		return s.Ran
	}
	return s.Receipt
}

func (s State) near(now time.Time) bool {
	e := s.evidence()
	return !e.IsZero() && now.Sub(e).Abs() <= Near
}

// A Clock is the system clock and what is known about it. Its methods may be called from
// several goroutines.
type Clock struct {
	now   func() time.Time
	mu    sync.Mutex
	state State // under mu
}

// NewClock returns a clock that goes on from a state.
func NewClock(state State, now func() time.Time) *Clock { return &Clock{now: now, state: state} }

// State is what must be kept for the next start.
func (c *Clock) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Receipt notes that data was received: imported, submitted or ingested. Only the moment
// counts, not the dates in the data. Far from earlier evidence it proves nothing yet: the
// clock is watched from there.
func (c *Clock) Receipt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.see()
	switch {
	case c.state.near(now):
		c.state.Receipt = later(c.state.Receipt, now)
	case c.state.Since.IsZero():
		c.state.Since, c.state.Seen = now, now
	}
}

// See looks at the clock, so that a time which it leaves again is not believed. It should
// be called every minute, and when a process begins and ends.
func (c *Clock) See() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.see()
}

// Now returns the time, from which old data may be deleted. Errors: ErrUnproven and
// *FarError, which forbid it.
func (c *Clock) Now() (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.see()
	switch {
	case c.state.evidence().IsZero():
		return time.Time{}, ErrUnproven
	case !c.state.near(now):
		return time.Time{}, &FarError{now, c.state.evidence()}
	}
	return now, nil
}

// Trusts returns the error of Now.
func (c *Clock) Trusts() error {
	_, err := c.Now()
	return err
}

// Ran notes that old data was looked for and deleted.
func (c *Clock) Ran() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.see(); c.state.near(now) {
		c.state.Ran = later(c.state.Ran, now)
	}
}

// Accept trusts the clock as it is, because an operator says so.
func (c *Clock) Accept() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = State{Receipt: c.wall()}
}

// wall is the time without its monotonic part, which would hide that the clock was set.
func (c *Clock) wall() time.Time { return c.now().UTC().Truncate(time.Second) }

// see returns the time after it went on with the proof of an untrusted clock, or ended it.
func (c *Clock) see() time.Time {
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
	case now.Sub(s.Since) >= Proof:
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
