package source

import (
	"testing"
	"time"
)

func TestDateBy(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	day := func(text string) time.Time {
		d, err := time.Parse(time.DateOnly, text)
		must(t, err)
		return d
	}
	rows := func(n int, date string, more ...string) *Days {
		d := NewDays(now)
		for range n {
			d.Add(day(date))
		}
		for _, m := range more {
			d.Add(day(m))
		}
		d.Add(time.Time{})
		return d
	}
	for _, tt := range []struct {
		name string
		rows *Days
		date string
		of   Edition
	}{
		{"x.json", rows(0, ""), "", Edition{}},
		{"x.json", rows(1, "2020-01-02"), "2020-01-02", Edition{"", "2020-01-02", "2020-01-02"}},
		// one of 99
		{"x.json", rows(98, "2020-01-02", "2024-05-06"), "2024-05-06", Edition{"", "2024-05-06", "2024-05-06"}},
		// one of 100
		{"x.json", rows(99, "2020-01-02", "2024-05-06"), "2024-05-06", Edition{"", "2024-05-06", "2020-01-02"}},
		{"x.json", rows(198, "2020-01-02", "2024-05-06", "2023-01-01"), "2024-05-06",
			Edition{"", "2024-05-06", "2020-01-02"}},
		{"x.json", rows(197, "2020-01-02", "2024-05-06", "2023-01-01"), "2024-05-06",
			Edition{"", "2024-05-06", "2023-01-01"}},
		{"x.json", rows(1, "2020-01-02", "2026-03-03", "9999-12-31"), "2020-01-02",
			Edition{"", "2020-01-02", "2020-01-02"}}, // the future
		{"x_20251231.json", rows(99, "2020-01-02", "2024-05-06"), "2025-12-31",
			Edition{"2025-12-31", "2024-05-06", "2020-01-02"}},
		{"x_20130101.json", rows(99, "2020-01-02", "2024-05-06"), "2024-05-06",
			Edition{"", "2024-05-06", "2020-01-02"}}, // no date of the file
		{"x_20130101.json", rows(0, ""), "2013-01-01", Edition{"2013-01-01", "", ""}},
	} {
		var r Report
		if r.DateBy(&Input{Path: tt.name}, tt.rows); r.Date != tt.date || r.Edition != tt.of {
			t.Errorf("%s, %d rows: %q, %q, want %q, %q", tt.name, len(tt.rows.all), r.Date, r.Edition, tt.date, tt.of)
		}
	}
}
