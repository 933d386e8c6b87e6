// Package tallytest has an admit.Tally in memory, for tests of limits that servers share.
package tallytest

import (
	"context"
	"sync"
	"time"

	"relais/internal/store"
)

// A Tally is an admit.Tally in memory. Its members are set and read while nobody calls Add.
type Tally struct {
	Counts map[string]int // by key and window
	Away   bool           // makes Add fail with store.ErrAway
	Asked  int            // calls of Add
	mu     sync.Mutex
}

// New returns an empty tally.
func New() *Tally { return &Tally{Counts: map[string]int{}} }

// Add is that of admit.Tally.
func (t *Tally) Add(_ context.Context, window time.Duration, now time.Time, n int, keys ...string) ([]int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Asked++; t.Away {
		return nil, store.ErrAway
	}
	var list []int
	for _, key := range keys {
		key += " " + now.Truncate(window).String()
		t.Counts[key] += n
		list = append(list, t.Counts[key])
	}
	return list, nil
}
