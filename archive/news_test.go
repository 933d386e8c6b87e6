package archive

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/site"
)

// An edition is news, and so is a correction of the newest one, if no later one was there when it came. The clocks
// of the nodes do not matter. What an old edition changes in the records of its neighbours is not told.
func TestNews(t *testing.T) {
	_, db := opened(t)
	db.Journal().SetNews(News)
	clock := november()
	s := Open(db, func() time.Time { clock = clock.Add(-time.Hour); return clock }) // it runs backwards
	week := func(date, system string) string {
		return publication(t, date, line("SFR", "1", system, "0031300001", "En service"),
			line("SFR", "2", "LTE 800", "0031300002", "En service"))
	}
	mustAdd(t, s, week("2026-07-02", "LTE 700"), Options{})
	mustAdd(t, s, week("2026-07-16", "LTE 1800"), Options{})
	mustAdd(t, s, week("2026-07-09", "LTE 2100"), Options{}) // before the newest, whose record changes
	mustAdd(t, s, week("2026-06-25", "LTE 2600"), Options{})
	mustAdd(t, s, week("2026-07-16", "LTE 2600"), Options{Force: true})
	mustAdd(t, s, week("2026-07-02", "LTE 2600"), Options{Force: true}) // replaces an old one
	mustAdd(t, s, week("2026-07-23", "LTE 700"), Options{})

	sites := func(n int) listed { return listed{"a": {systems: map[string]int{"LTE": n}}} }
	mustNote(t, s, snapshotOf(t, "2026-07-02", sites(0)), true)
	mustNote(t, s, snapshotOf(t, "2026-07-16", sites(1)), true)
	mustNote(t, s, snapshotOf(t, "2026-07-09", sites(2)), true)
	mustNote(t, s, snapshotOf(t, "2026-07-16", sites(2)), true)
	mustNote(t, s, snapshotOf(t, "2026-07-02", sites(1)), true)
	mustNote(t, s, snapshotOf(t, "2026-07-02", sites(1)), false)

	entries, err := db.Journal().After(0, 100)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Text)
	}
	want := []string{"edition FR,DROM 2026-07-02", "edition FR,DROM 2026-07-16", "correction FR,DROM 2026-07-16 1",
		"edition FR,DROM 2026-07-23", "edition CH 2026-07-02", "edition CH 2026-07-16", "correction CH 2026-07-16 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the journal (-want +got):\n%s", diff)
	}
	all, err := s.Editions("FR")
	if dates := datesOf(all); err != nil || len(dates) != 5 || !slices.IsSorted(dates) {
		t.Errorf("got the editions %v, %v, want five", dates, err)
	}
}

func datesOf(all []Edition) (list []site.Date) {
	for _, e := range all {
		list = append(list, e.Date)
	}
	return list
}
