package retention

import (
	"errors"
	"testing"
	"time"
)

const day = 24 * time.Hour

// today is the true time of the tests.
var today = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A hand is a clock set by a test.
type hand struct{ time.Time }

func (h *hand) now() time.Time { return h.Time }

// goOn lets time pass in steps, and observes the clock like a running server.
func (h *hand) goOn(c *Clock, d, step time.Duration) {
	for end := h.Add(d); h.Before(end); {
		h.Time = h.Add(min(step, end.Sub(h.Time)))
		c.Observe()
	}
}

func TestTrusts(t *testing.T) {
	far, unproven := new(*FarError), ErrUnproven
	tests := []struct {
		name  string
		state State
		now   time.Time
		want  any // nil, far or unproven
	}{
		{"a receipt of yesterday", State{Receipt: today.Add(-day)}, today, nil},
		{"a receipt 30 days ago", State{Receipt: today.Add(-30 * day)}, today, nil},
		{"a receipt 30 days and a second ago", State{Receipt: today.Add(-30*day - time.Second)}, today, far},
		{"an old receipt and a run of yesterday", State{Receipt: today.Add(-400 * day), Ran: today.Add(-day)}, today,
			nil},
		{"400 days ahead", State{Receipt: today, Ran: today}, today.Add(400 * day), far},
		{"ten years ahead", State{Ran: today}, today.AddDate(10, 0, 0), far},
		{"1970", State{Receipt: today}, time.Unix(0, 0), far},
		{"no evidence", State{}, today, unproven},
		{"no evidence, watched for a day", State{Since: today.Add(-day), Seen: today.Add(-time.Minute)},
			today, unproven},
		{"no evidence, watched for 7 days", State{Since: today.Add(-7 * day), Seen: today.Add(-time.Minute)}, today,
			nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := NewClock(tt.state, func() time.Time { return tt.now }).Check()
			switch tt.want {
			case nil:
				if err != nil {
					t.Errorf("got %v, want no error", err)
				}
			case far:
				if !errors.As(err, far) {
					t.Errorf("got %v, want a FarError", err)
				}
			default:
				if !errors.Is(err, ErrUnproven) {
					t.Errorf("got %v, want ErrUnproven", err)
				}
			}
		})
	}
}

var wrong = today.Add(400 * day)

var runs = []struct {
	name string
	do   func(c *Clock, h *hand)
	want bool
}{
	{"a receipt proves nothing at once", func(c *Clock, h *hand) { c.Receipt() }, false},
	{"nor many", func(c *Clock, h *hand) {
		for range 100 {
			c.Receipt()
			h.goOn(c, time.Hour, time.Minute)
		}
	}, false},
	{"a run that was not allowed", func(c *Clock, h *hand) { c.NoteDeletion(); h.goOn(c, 8*day, time.Hour) },
		false},
	{"8 days without a receipt", func(c *Clock, h *hand) { h.goOn(c, 8*day, time.Hour) }, false},
	{"a receipt and 7 days", func(c *Clock, h *hand) { c.Receipt(); h.goOn(c, 7*day, time.Hour) }, true},
	{"a receipt and 7 days less a minute",
		func(c *Clock, h *hand) { c.Receipt(); h.goOn(c, 7*day-time.Minute, time.Hour) }, false},
	{"off at the weekend", func(c *Clock, h *hand) {
		c.Receipt()
		h.goOn(c, 4*day, time.Hour)
		h.goOn(c, 64*time.Hour, 64*time.Hour)
		h.goOn(c, day, time.Hour)
	}, true},
	{"wrong at each start and right in between", func(c *Clock, h *hand) {
		for range 3 {
			c.Receipt()
			h.Time = today
			h.goOn(c, 4*day, time.Hour)
			h.Time = wrong.Add(4 * day)
		}
		h.Time = wrong.Add(8 * day)
	}, false},
	{"wrong at two starts a week apart", func(c *Clock, h *hand) {
		c.Receipt()
		h.Time = wrong.Add(8 * day)
		c.Observe()
		c.Receipt()
	}, false},
	{"set back meanwhile", func(c *Clock, h *hand) {
		c.Receipt()
		h.goOn(c, 6*day, time.Hour)
		h.Time = h.Add(-2 * day)
		h.goOn(c, 6*day, time.Hour)
	}, false},
	{"corrected by a minute", func(c *Clock, h *hand) {
		c.Receipt()
		h.goOn(c, 6*day, time.Hour)
		h.Time = h.Add(-time.Minute)
		h.goOn(c, 2*day, time.Hour)
	}, true},
	{"accepted", func(c *Clock, _ *hand) { c.Accept() }, true},
	{"set right", func(_ *Clock, h *hand) { h.Time = today.Add(day) }, true},
}

// An untrusted clock is trusted after a steady run.
func TestSee(t *testing.T) {
	for _, tt := range runs {
		t.Run(tt.name, func(t *testing.T) {
			h := &hand{wrong}
			c := NewClock(State{Receipt: today, Ran: today}, h.now)
			tt.do(c, h)
			if err := NewClock(c.State(), h.now).Check(); (err == nil) != tt.want {
				t.Errorf("Check = %v, want trusted = %v", err, tt.want)
			}
		})
	}
}

// The clock of a new folder is trusted after 7 steady days, and receipts then
// keep it trusted.
func TestNewFolder(t *testing.T) {
	h := &hand{today.Add(400 * day)}
	c := NewClock(State{}, h.now)
	c.Observe()
	c.Receipt()
	h.goOn(c, time.Hour, time.Minute)
	h.Time = today // set right
	c.Observe()
	h.goOn(c, 7*day-time.Minute, time.Hour)
	if err := c.Check(); !errors.Is(err, ErrUnproven) {
		t.Errorf("before 7 days: error = %v, want ErrUnproven", err)
	}
	h.goOn(c, time.Minute, time.Minute)
	if err := c.Check(); err != nil {
		t.Errorf("after 7 days: error = %v, want nil", err)
	}
	for range 100 {
		h.Time = h.Add(20 * day)
		c.Receipt()
	}
	if err := c.Check(); err != nil {
		t.Errorf("with a receipt each 20 days: error = %v, want nil", err)
	}
}

// The monotonic part of a time does not hide that the clock was set.
func TestMonotonic(t *testing.T) {
	start := time.Now()
	if got := NewClock(State{}, time.Now).wall(); got.Sub(start.Round(0)).Abs() > time.Minute || got != got.Round(0) {
		t.Errorf("Now = %v after the clock was set back at %v, want %v and Abs at most %v", got, start, got.Round(0),
			time.Minute)
	}
}
