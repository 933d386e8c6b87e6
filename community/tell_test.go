package community

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
	"relais/geo"
	"relais/market"
	"relais/outage"
)

// What several people say of one place and operator is one report with confirmations.
func TestTell(t *testing.T) {
	c := newClock()
	s, db := opened(t, c)
	place := geo.Point{Lat: 45.77, Lng: 3.08}
	ids := map[string]string{}
	for _, step := range []struct {
		user, token, operator string
		north                 float64 // metres
		after                 time.Duration
		as                    string // the report that it is
		made                  bool
		want                  string
	}{
		{"ann", "1", "sfr", 0, 0, "first", true, "reported 1 2"},
		{"ann", "1", "sfr", 0, 0, "first", false, "reported 1 2"},   // once more
		{"ann", "2", "sfr", 100, 0, "first", false, "reported 1 2"}, // who reports has confirmed it
		{"bob", "1", "SFR", 290, 0, "first", false, "reported 2 1"},
		{"bob", "1", "SFR", 290, 0, "first", false, "reported 2 1"},
		{"bob", "2", "orange", 0, 0, "other", true, "reported 1 2"},
		{"cy", "1", "sfr", 310, 0, "further", true, "reported 1 2"},
		{"di", "1", "sfr", 200, 0, "further", false, "reported 2 1"}, // which is nearer
		{"di", "2", "sfr", 20, 20 * time.Hour, "first", false, "confirmed 3 0"},
		{"ed", "1", "orange", 0, 5 * time.Hour, "later", true, "reported 1 2"}, // the other has had no news for a day
		{"ed", "2", "sfr", 0, 0, "first", false, "confirmed 4 0"},
		{"ann", "1", "sfr", 0, 0, "first", false, "confirmed 4 0"}, // the first token, still
	} {
		c.at = c.at.Add(step.after)
		n := said(step.user)
		n.Operator, n.Token, n.At = step.operator, step.token, geo.Point{Lat: place.Lat + step.north/111_195,
			Lng: place.Lng}
		r, made, err := s.ReportOrConfirm(n)
		must(t, err)
		if ids[step.as] == "" {
			ids[step.as] = r.ID
		}
		if got := look(r, err); r.ID != ids[step.as] || made != step.made || got != step.want {
			t.Errorf("%+v: %s, %v, want %s, %v and ID = %v", step, got, made, step.want, step.made, ids[step.as])
		}
		if again, err := reopen(t, db, c).Report(r.ID); look(again, err) != step.want {
			t.Errorf("%+v: stored as %s, want %s", step, look(again, err), step.want)
		}
	}
	if list := s.Outages().Reports(outage.Query{Market: market.FR}); len(list) != 2 {
		t.Errorf("%d are shown, want 2", len(list))
	}
	if _, err := s.ResolveAs(ids["first"], audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	n := said("flo")
	if _, made, err := s.ReportOrConfirm(n); !made || err != nil { // and nobody said anything of the further one for a day
		t.Errorf("of one that is over: %v, %v, want true and no error", made, err)
	}
	if n, err := s.Forget("ann"); n != 1 || err != nil {
		t.Errorf("got %d, %v, want 1 and no error", n, err)
	}
}

// However many tell of it at once, one report is made.
func TestTellAtOnce(t *testing.T) {
	s, _ := opened(t, newClock())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, _, err := s.ReportOrConfirm(said(fmt.Sprint("user", i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list := s.Outages().Reports(outage.Query{Market: market.FR}); len(list) != 1 || list[0].Confirms != 8 ||
		list[0].State != Confirmed {
		t.Errorf("got %+v, want len(list) = 1, Confirms = 8 and State = %v", list, Confirmed)
	}
}

func TestWrong(t *testing.T) {
	s, _ := opened(t, newClock())
	n := said("ann")
	if err := s.ValidateReport(n); err != nil {
		t.Error(err)
	}
	n.At = geo.Point{Lat: 10, Lng: 10}
	if err := s.ValidateReport(n); err == nil {
		t.Error("a place in no market is taken")
	}
	if list := s.Outages().Reports(outage.Query{Market: market.FR}); len(list) != 0 {
		t.Error("something was reported")
	}
}

// A program can report, but confirms neither its own report nor another's.
func TestProgramsConfirmNothing(t *testing.T) {
	s, _ := opened(t, newClock())
	tell := func(user string, program bool) *Report {
		t.Helper()
		n := said(user)
		n.Program = program
		r, _, err := s.ReportOrConfirm(n)
		must(t, err)
		return r
	}
	for i := range 5 {
		if r := tell(fmt.Sprint("program", i), true); r.Confirms != 0 || r.State != Reported {
			t.Errorf("after %d programs: %s with %d confirmations, want %s and 0", i+1, r.State, r.Confirms, Reported)
		}
	}
	for i, want := range []ReportState{Reported, Reported, Confirmed} {
		if r := tell(fmt.Sprint("person", i), false); r.Confirms != i+1 || r.State != want {
			t.Errorf("after %d people: %s with %d confirmations, want %s and %d", i+1, r.State, r.Confirms, want, i+1)
		}
	}
	if list := s.Outages().Reports(outage.Query{Market: market.FR}); len(list) != 1 {
		t.Errorf("%d reports, want 1", len(list))
	}
}
