package community

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/community/audit"
	"relais/geo"
	"relais/market"
	"relais/outage"
)

// said is a report of a user in the middle of France, of SFR.
func said(user string) NewReport {
	return NewReport{Market: market.FR, Operator: "sfr", At: geo.Point{Lat: 45.77, Lng: 3.08}, User: user,
		Services: []string{"sms", "data"}, Technologies: []string{"5g", "4g", "4g"}}
}

func made(t *testing.T, s *Store, n NewReport) *Report {
	t.Helper()
	r, made, err := s.AddReport(n)
	if err != nil || !made {
		t.Fatalf("got %v, %v, want true and no error", made, err)
	}
	return r
}

// look is a report in short.
func look(r *Report, err error) string {
	if err != nil {
		return err.Error()
	}
	remaining := "none"
	if n := r.Remaining(); n != nil {
		remaining = fmt.Sprint(*n)
	}
	return fmt.Sprint(r.State, " ", r.Confirms, " ", remaining)
}

func TestLife(t *testing.T) {
	c := newClock()
	s, db := opened(t, c)
	r := made(t, s, said("ann"))
	if !strings.HasPrefix(r.ID, "community:") || r.Operator != "SFR" ||
		fmt.Sprintln(r.Services, r.Technologies, r.Severity) != "[data sms] [4g 5g] down\n" {
		t.Errorf("got %+v, want data and sms of SFR down on 4g and 5g", r)
	}
	steps := []struct {
		what string
		do   func() (*Report, error)
		want string
	}{
		{"made", func() (*Report, error) { return s.Report(r.ID) }, "reported 0 3"},
		{"confirmed by who made it", func() (*Report, error) { return s.Confirm(r.ID, "ann") }, "reported 0 3"},
		{"bob", func() (*Report, error) { return s.Confirm(r.ID, "bob") }, "reported 1 2"},
		{"bob again", func() (*Report, error) { return s.Confirm(r.ID, "bob") }, "reported 1 2"},
		{"cy", func() (*Report, error) { return s.Confirm(r.ID, "cy") }, "reported 2 1"},
		{"a day and a second later",
			func() (*Report, error) { c.at = c.at.Add(24*time.Hour + time.Second); return s.Report(r.ID) },
			"dormant 2 1"},
		{"di wakes it", func() (*Report, error) { return s.Confirm(r.ID, "di") }, "confirmed 3 0"},
		{"ed", func() (*Report, error) { return s.Confirm(r.ID, "ed") }, "confirmed 4 0"},
		{"a day later", func() (*Report, error) { c.at = c.at.Add(24 * time.Hour); return s.Report(r.ID) },
			"confirmed 4 0"},
		{"a second more", func() (*Report, error) { c.at = c.at.Add(time.Second); return s.Report(r.ID) },
			"dormant 4 0"},
		{"over", func() (*Report, error) { return s.ResolveAs(r.ID, audit.Decision{}) }, "resolved 4 none"},
		{"once more", func() (*Report, error) { return s.ResolveAs(r.ID, audit.Decision{}) }, "resolved 4 none"},
		{"too late", func() (*Report, error) { return s.Confirm(r.ID, "flo") }, errClosed.Error()},
		{"a moderator", func() (*Report, error) { return s.Reject(r.ID, audit.Decision{Why: "spam"}) }, "rejected 4 none"},
		{"not resolved", func() (*Report, error) { return s.ResolveAs(r.ID, audit.Decision{}) }, errClosed.Error()},
		{"none", func() (*Report, error) { return s.Confirm(strings.TrimPrefix(r.ID, "community:"), "bob") },
			ErrNoReport.Error()},
		{"none such", func() (*Report, error) {
			return s.Reject("community:00000000-0000-7000-8000-000000000000", audit.Decision{})
		},
			ErrNoReport.Error()},
	}
	for _, step := range steps {
		before := s.Outages().Version()
		got, err := step.do()
		if look(got, err) != step.want {
			t.Errorf("%s: %s, want %s", step.what, look(got, err), step.want)
		}
		if err != nil && s.Outages().Version() != before {
			t.Errorf("%s: an error changed the version", step.what)
		}
		again := reopen(t, db, c)
		for _, states := range [][]ReportState{nil, {Dormant}} {
			a := s.Outages().Reports(outage.Query{Market: market.FR}, states...)
			b := again.Outages().Reports(outage.Query{Market: market.FR}, states...)
			if fmt.Sprint(len(a)) != fmt.Sprint(len(b)) {
				t.Errorf("%s: %d, after opening it again %d, want %d", step.what, len(a), len(b), len(b))
			}
		}
	}
	if l := s.Outages().Reports(outage.Query{Market: market.FR}, reportStates...); len(l) != 0 {
		t.Errorf("what is closed is answered: %v, want none", l)
	}
	rejected := ReportFilter{Market: market.FR, States: []ReportState{Rejected}}
	if l, total, err := s.Reports(rejected, 10, 0); err != nil || total != 1 || l[0].Why != "spam" {
		t.Errorf("got %v, %v, %v, want 1, no error and Why = spam", l, total, err)
	}
}

// A dormant report is not among those that are answered, and the version says so.
func TestDormant(t *testing.T) {
	c := newClock()
	s, _ := opened(t, c)
	made(t, s, said("ann"))
	count := func() string {
		l := s.Outages().Reports(outage.Query{Market: market.FR})
		d := s.Outages().Reports(outage.Query{Market: market.FR}, Dormant)
		return fmt.Sprint(len(l), " ", len(d))
	}
	before := s.Outages().Version()
	c.at = c.at.Add(patience)
	if count() != "1 0" || s.Outages().Version() != before {
		t.Errorf("got %s, %s, want 1 0 and %s", count(), s.Outages().Version(), before)
	}
	c.at = c.at.Add(time.Second)
	if count() != "0 1" || s.Outages().Version() == before {
		t.Errorf("got %s, %s, want 0 1 and other than %s", count(), s.Outages().Version(), before)
	}
}

func TestToken(t *testing.T) {
	s, db := opened(t, newClock())
	n := said("ann")
	n.Token = "t1"
	first := made(t, s, n)
	if _, err := s.Confirm(first.ID, "bob"); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{s, reopen(t, db, newClock())} {
		if again, made, err := s.AddReport(n); made || err != nil || again.ID != first.ID || again.Confirms != 1 {
			t.Errorf("got %v, %v, %v, want false, no error, ID = %v and Confirms = 1", again, made, err, first.ID)
		}
	}
	other := said("bob")
	other.Token = "t1"
	if made(t, s, other).ID == first.ID {
		t.Error("the token is that of another user")
	}
	if l := s.Outages().Reports(outage.Query{Market: market.FR}); len(l) != 2 {
		t.Errorf("%d reports, want 2", len(l))
	}
}

// An entry of the same operator within 300 m confirms, whichever came first.
func TestOperatorConfirmed(t *testing.T) {
	s, db := opened(t, newClock())
	at := func(metres float64) NewReport {
		n := said("ann")
		n.At.Lat += metres / geo.EarthRadius * 180 / math.Pi
		return n
	}
	close, far := made(t, s, at(299)), made(t, s, at(301))
	orange := said("ann")
	orange.Operator = "ORANGE"
	other := made(t, s, orange)
	check := func(when, want string) {
		t.Helper()
		for _, s := range []*Store{s, reopen(t, db, newClock())} {
			got := ""
			for _, id := range []string{close.ID, far.ID, other.ID} {
				r, err := s.Report(id)
				must(t, err)
				got += fmt.Sprint(r.OperatorConfirmed, " ")
			}
			if got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
		}
	}
	check("no feed", "false false false ")
	load(t, s, "SFR", rowOf("1"))
	check("SFR's feed", "true false false ")
	if !made(t, s, at(-299)).OperatorConfirmed {
		t.Error("a later report is not confirmed")
	}
	must(t, s.Feeds.Clear(market.FR, "SFR"))
	check("cleared", "false false false ")
}

// No user is in an answer or in the file, and one who is forgotten leaves the facts.
func TestUsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "community.db")
	db := database(t, path)
	defer db.Close()
	c := newClock()
	s := reopen(t, db, c)
	n := said("ann@planted.example")
	n.Token = "planted-token"
	r := made(t, s, n)
	for _, user := range []string{"bob-planted", "cy-planted", "di-planted"} {
		if _, err := s.Confirm(r.ID, user); err != nil {
			t.Fatal(err)
		}
	}
	all := s.Outages().All(outage.Query{Market: market.FR})
	list, _, err := s.Reports(ReportFilter{}, 10, 0)
	must(t, err)
	answers, err := json.Marshal([]any{all, list, r})
	must(t, err)
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(append(answers, text...), []byte("planted")) {
		t.Errorf("a user is in an answer or the file: %v\n%s", err, answers)
	}
	for _, user := range []string{"bob-planted", "ann@planted.example"} {
		for _, want := range []int{1, 0} {
			if n, err := s.Forget(user); n != want || err != nil {
				t.Errorf("%d reports, %v, want %d and no error", n, err, want)
			}
		}
	}
	again := reopen(t, db, c)
	if got, err := again.Report(r.ID); look(got, err) != "confirmed 3 0" {
		t.Errorf("got %v, want confirmed 3 0", look(got, err))
	}
	if _, made, err := again.AddReport(n); !made || err != nil {
		t.Errorf("the token outlived its user: %v, made %v, want no error and made = true", err, made)
	}
	if got, err := again.Confirm(r.ID, "cy-planted"); look(got, err) != "confirmed 3 0" {
		t.Errorf("got %v, want confirmed 3 0", look(got, err))
	}
	// Nothing says any more that this user made the report.
	if got, err := again.Confirm(r.ID, "ann@planted.example"); look(got, err) != "confirmed 4 0" {
		t.Errorf("got %v, want confirmed 4 0", look(got, err))
	}
}

func TestOutOfBounds(t *testing.T) {
	c := newClock()
	s, _ := opened(t, c)
	for _, tt := range []struct {
		name   string
		change func(n *NewReport)
	}{
		{"no market", func(n *NewReport) { n.Market = "XX" }},
		{"no operators", func(n *NewReport) { n.Market, n.Operator = market.PT, "ALL" }},
		{"no operator", func(n *NewReport) { n.Operator = "" }},
		{"another market", func(n *NewReport) { n.At = geo.Point{Lat: 50.8, Lng: 20} }},
		{"no number", func(n *NewReport) { n.At.Lat = math.NaN() }},
		{"a service", func(n *NewReport) { n.Services = []string{"fax"} }},
		{"a technology", func(n *NewReport) { n.Technologies = []string{"5G"} }},
		{"a severity", func(n *NewReport) { n.Severity = "bad" }},
		{"long ago", func(n *NewReport) { n.StartedAt = c.at.Add(-31 * 24 * time.Hour) }},
		{"not yet", func(n *NewReport) { n.StartedAt = c.at.Add(time.Hour) }},
		{"a long text", func(n *NewReport) { n.Reason = strings.Repeat("x", maxReportText+1) }},
		{"no text", func(n *NewReport) { n.Commune = "\xff" }},
		{"no user", func(n *NewReport) { n.User = "" }},
		{"a long user", func(n *NewReport) { n.User = strings.Repeat("x", maxID+1) }},
		{"a token with NUL", func(n *NewReport) { n.Token = "a\x00b" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := said("ann")
			tt.change(&n)
			if r, _, err := s.AddReport(n); err == nil {
				t.Errorf("%s: %+v, %v, want an error", tt.name, r, err)
			}
		})
	}
	if l, total, err := s.Reports(ReportFilter{}, 10, 0); len(l) != 0 || total != 0 || err != nil {
		t.Errorf("got %v, %v, %v, want none, 0 and no error", l, total, err)
	}
	n := said("ann")
	n.Market = market.PT
	if _, _, err := s.AddReport(n); err == nil || !strings.Contains(err.Error(), `"sfr" is not allowed; PT has none`) {
		t.Errorf(`got %v, want an error with "sfr" is not allowed; PT has none`, err)
	}
}
