// Package hook keeps webhooks and delivers to them: an operator's hook gets a signed POST for each
// event that it selects, at least once. The hooks and what is still to deliver are in hooks.db.
//
// Events come from the journals of other stores (store.DB.Journal), which are written with their
// cause. hooks.db has the position up to which it has read each journal, in the commit that queues
// the messages. So an event whose cause is on disk is delivered, whenever the process is killed.
//
// The package does not know what is in a message. It follows the Standard Webhooks specification.
package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// Errors that callers handle. Other errors are those of package store, and *InvalidError.
var (
	ErrNoHook   = errors.New("no such hook")
	errReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
)

// An InvalidError says what is wrong with a new hook.
type InvalidError struct{ Field, Want string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Want }

// A Kind is the kind of events that a hook selects.
type Kind string

// The kinds.
const (
	Changes      Kind = "changes"       // an edition of a market was noted
	Report       Kind = "report"        // a photo was reported
	Photo        Kind = "photo"         // a photo is shown for the first time, or waits for approval
	Outage       Kind = "outage"        // a person's report of an outage was made, or changed its state
	Bug          Kind = "bug"           // a bug was filed
	UpdateFailed Kind = "update-failed" // a scheduled update failed
)

// Values lists the kinds.
func (Kind) Values() []string {
	return []string{string(Changes), string(Report), string(Photo), string(Outage), string(Bug), string(UpdateFailed)}
}

// A Hook is where events are sent, and how that went. Times are UTC, to the second.
type Hook struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"` // as it may be shown: no user, no values of its query, one segment of its path
	Events  []Kind    `json:"events"`
	Filter  string    `json:"filter"` // query string; "" selects everything
	Format  Format    `json:"format,omitempty"`
	Created time.Time `json:"createdAt,omitzero"`
	Pending int       `json:"pending"`   // messages to deliver
	Done    uint64    `json:"delivered"` // messages
	// Dropped counts messages that were given up: after 24 hours of failures, because MostPending
	// newer ones wait, or because the hook was disabled.
	Dropped     uint64     `json:"dropped"`
	DroppedAt   *time.Time `json:"droppedAt"`
	DroppedWhy  string     `json:"droppedWhy,omitempty"`
	LastSuccess *time.Time `json:"lastSuccessAt"`
	LastFailure *time.Time `json:"lastFailureAt"`
	LastError   string     `json:"lastError,omitempty"`
	// Failures counts failed attempts since the last success. FailingSince is the first of them,
	// and Next when another one follows if the hook pauses.
	Failures     int        `json:"failures"`
	FailingSince *time.Time `json:"failingSince"`
	Next         *time.Time `json:"nextAttemptAt"`
	// DisabledAt is when the receiver answered 410: nothing more is sent.
	DisabledAt *time.Time `json:"disabledAt"`
	// Damaged says that the record in hooks.db cannot be read. Nothing is sent, and only ID and Pending are known.
	Damaged bool `json:"damaged,omitempty"`
}

// Enabled reports whether events are sent to the hook.
func (h *Hook) Enabled() bool { return h.DisabledAt == nil && !h.Damaged }

// Wants reports whether the hook selects events of a kind.
func (h *Hook) Wants(k Kind) bool { return h.Enabled() && slices.Contains(h.Events, k) }

func (h *Hook) succeed(now time.Time) {
	h.LastSuccess, h.Failures, h.FailingSince, h.Next = &now, 0, nil, nil
}

func (h *Hook) fail(now time.Time, o *outcome) {
	if h.Failures++; h.FailingSince == nil {
		h.FailingSince = &now
	}
	h.LastFailure, h.LastError, h.Next = &now, o.why, nil
	if h.Failures >= downAfter {
		next := now.Add(pause(h.Failures - downAfter + 1))
		h.Next = &next
	}
	if o.gone {
		h.DisabledAt, h.Next = &now, nil
	}
}

// drop counts messages that were given up.
func (h *Hook) drop(n int, at time.Time, why string) {
	if n > 0 {
		h.Dropped, h.DroppedAt, h.DroppedWhy = h.Dropped+uint64(n), &at, why
	}
}
