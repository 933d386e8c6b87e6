package retention

import (
	"testing"
	"time"
)

// Ages are reckoned from the earlier of the clock and the newest data + the time run + 7 days.
func TestKeep(t *testing.T) {
	const day = 24 * time.Hour
	today := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		newest time.Time
		ran    time.Duration
		now    time.Time
		want   time.Time // before which data is deleted that is kept for 365 days
	}{
		{"data of today", today, 0, today, today.Add(-365 * day)},
		{"data of a week ago", today.Add(-7 * day), 0, today, today.Add(-365 * day)},
		{"data of a month ago", today.Add(-30 * day), 0, today, today.Add(-(365 + 23) * day)},
		{"data of a month ago, after 20 days", today.Add(-50 * day), 20 * day, today, today.Add(-(365 + 23) * day)},
		{"data of a month ago, after a year", today.Add(-395 * day), 365 * day, today, today.Add(-(365 + 23) * day)},
		{"400 days ahead", today, 0, today.Add(400 * day), today.Add((7 - 365) * day)},
		{"ten years ahead", today, time.Hour, today.AddDate(10, 0, 0), today.Add((7-365)*day + time.Hour)},
		{"74 years ahead", today, 0, today.AddDate(74, 0, 0), today.Add((7 - 365) * day)},
		{"set ahead while it runs", today, 3 * day, today.AddDate(74, 0, 0), today.Add((10 - 365) * day)},
		{"1970", today, 0, time.Unix(0, 0), time.Unix(0, 0).Add(-365 * day)},
		{"data of the future", today.AddDate(1, 0, 0), 0, today, today.Add(-365 * day)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := NewClock(tt.newest, func() time.Time { return tt.now })
			c.ran = func() time.Duration { return tt.ran }
			if got := tt.now.Add(-c.Keep(365 * day)); !got.Equal(tt.want) {
				t.Errorf("deleted before %s, want %s", got.UTC(), tt.want.UTC())
			}
		})
	}
	t.Run("no data", func(t *testing.T) {
		c := NewClock(time.Time{}, func() time.Time { return today })
		if got := today.Add(-c.Keep(365 * day)); got.After(today.AddDate(-100, 0, 0)) {
			t.Errorf("deleted before %s, want nothing of this century", got)
		}
	})
}
