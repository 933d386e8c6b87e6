package admin

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"relais/internal/folder"
	"relais/market"
	"relais/outage/history/historytest"
)

// The command adds the lists of a folder under the days of their names, and says what a count of their rows says.
func TestAddOutageDays(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	country := historytest.Write(t, 150, now)
	first, newest := country.Days[0], country.Days[len(country.Days)-1]
	missing := 0
	for day, _ := time.Parse(time.DateOnly, first); day.Format(time.DateOnly) <= newest; day = day.AddDate(0, 0, 1) {
		if !slices.Contains(country.Days, day.Format(time.DateOnly)) {
			missing++
		}
	}
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		if served {
			serve(t, dir)
		}
		add := func(files ...string) (got OutageDays) {
			t.Helper()
			must(t, Call(t.Context(), dir, AddOutageDays{Market: market.FR, Files: files}, &got, quiet))
			return got
		}
		got := add(filepath.Dir(country.Files[0]))
		if got.Newest != newest || got.Read != len(country.Days) || got.Missing != missing {
			t.Errorf("served %v: newest %s, %d read, %d missing; want %s, %d, %d", served, got.Newest, got.Read, got.Missing, newest,
				len(country.Days), missing)
		}
		for _, d := range got.Days {
			if out := country.Out[d.Day]; (d.Refused != "") != (out == nil) || out != nil && d.Report.Served != len(out) {
				t.Errorf("%s: %+v, want %d sites", d.Day, d, len(out))
			}
			for _, o := range market.Get(market.FR).Operators {
				if slices.Contains(d.Operators, o.Key) != country.Names(d.Day, o.Key) {
					t.Errorf("%s: the list names %v, and %s: %v", d.Day, d.Operators, o.Key, country.Names(d.Day, o.Key))
				}
			}
		}
		if again := add(country.Files[3]); !again.Days[0].Unchanged || again.Read != len(country.Days) {
			t.Errorf("served %v: the same list again: %+v, want it unchanged", served, again)
		}
		if known := add(); !slices.Equal(known.Known, country.Days) {
			t.Errorf("served %v: the archive has %q, want %q", served, known.Known, country.Days)
		}
	}
}
