package admit_test

import (
	"errors"
	"testing"
	"time"

	"relais/internal/admit"
	"relais/internal/admit/tallytest"
	"relais/internal/store"
)

// Servers have one count. A flood over the limit asks the tally only once, and what is refused is not counted.
func TestSharedRate(t *testing.T) {
	tally, now := tallytest.New(), time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	here, there := admit.NewSharedRate(time.Hour, tally), admit.NewSharedRate(time.Hour, tally)
	address, network := admit.Limit{Name: "address", Most: 2}, admit.Limit{Name: "network", Most: 9}
	for i, want := range []bool{true, true, false, false, false, false} {
		r := []*admit.SharedRate{here, there}[i%2]
		if ok, err := r.Take(t.Context(), now, address, network); ok != want || err != nil {
			t.Errorf("request %d: got %t, %v, want %t", i, ok, err, want)
		}
	}
	if tally.Asked != 2+2*2 { // one refusal of each server, which is taken back
		t.Errorf("the tally was asked %d times, want 6", tally.Asked)
	}
	here.GiveBack(t.Context(), now, address, network)
	for name, want := range map[string]int{"address": 1, "network": 1} {
		if n, err := there.Count(t.Context(), now, name); n != want || err != nil {
			t.Errorf("%s has %d, %v, want %d", name, n, err, want)
		}
	}
	tally.Away = true
	if _, err := here.Take(t.Context(), now.Add(time.Hour), network); !errors.Is(err, store.ErrAway) {
		t.Errorf("while the tally is away: %v, want store.ErrAway", err)
	}
}
