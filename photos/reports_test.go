package photos

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/store"
)

func report(t testing.TB, s *Store, photo, client string, reason Reason, description string) *Report {
	t.Helper()
	r, err := s.Report(NewReport{photo, client, "The " + client, reason, &description})
	must(t, err)
	return r
}

// queue lists the descriptions of the reports.
func queue(t testing.TB, s *Store, pending bool, limit, offset int) (descriptions []string, total int) {
	t.Helper()
	l, total, err := s.Reports(ReportFilter{All: !pending}, limit, offset)
	must(t, err)
	for _, r := range l {
		if r.Photo.ID != r.Report.PhotoID || r.Photo.SiteKey != r.Report.SiteKey {
			t.Errorf("report %+v with the wrong photo %+v, want ID = %v and SiteKey = %v", r.Report, r.Photo,
				r.Report.PhotoID, r.Report.SiteKey)
		}
		descriptions = append(descriptions, r.Report.Description)
	}
	return descriptions, total
}

// wantQueue compares what the reports say, in their order.
func wantQueue(t *testing.T, s *Store, pending bool, want ...string) {
	t.Helper()
	if got, total := queue(t, s, pending, 10, 0); !slices.Equal(got, want) || total != len(want) {
		t.Errorf("reports with pending = %v: %q of %d, want %q", pending, got, total, want)
	}
}

func TestReports(t *testing.T) {
	s, c := fresh(t)
	one, two := add(t, s, newOf("fr-1", "", 1)).ID, add(t, s, newOf("fr-2", "", 2)).ID
	tick := func() { c.set(c.now().Add(time.Minute)) }
	a := report(t, s, one, "a", "spam", "first")
	tick()
	b := report(t, s, two, "a", "quality", "second")
	tick()
	other := report(t, s, one, "b", "copyright", "third")
	tick()
	again := report(t, s, one, "a", "other", "first, changed")
	for _, tt := range []struct {
		reason Reason
		want   []string // ids
	}{{"spam", []string{a.ID}}, {"other", []string{a.ID}}, {"copyright", []string{other.ID}}, {"privacy", nil}} {
		var ids []string
		l, _, err := s.Reports(ReportFilter{Reason: tt.reason}, 10, 0)
		must(t, err)
		for _, r := range l {
			ids = append(ids, r.Report.ID)
		}
		if !slices.Equal(ids, tt.want) {
			t.Errorf("reports with the reason %s, now or earlier: %q, want %q", tt.reason, ids, tt.want)
		}
	}
	if again.ID != a.ID || !again.CreatedAt.Equal(noon) || !again.UpdatedAt.Equal(noon.Add(3*time.Minute)) ||
		again.Reason != "other" || again.Status != pending || again.ClientName != "The a" {
		t.Errorf("wrong repeated report %+v, want ID = %v, CreatedAt = %v, UpdatedAt = %v, Reason = other, Status "+
			"= %v and ClientName = The a", again, a.ID, noon, noon.Add(3*time.Minute), pending)
	}
	if b.ID == a.ID || other.ID == a.ID {
		t.Error("two reports have the same id")
	}
	wantQueue(t, s, true, "first, changed", "second", "third")
	wantQueue(t, s, false, "third", "second", "first, changed")
	if got, total := queue(t, s, true, 1, 1); !slices.Equal(got, []string{"second"}) || total != 3 {
		t.Errorf("wrong queue %q of %d, want %q and 3", got, total, []string{"second"})
	}

	// A dismissed report leaves the queue. It returns to the end of the queue when its client insists.
	if r, err := s.Dismiss(a.ID, audit.Decision{}); err != nil || r.Status != dismissed {
		t.Errorf("got %+v, %v, want no error and Status = %v", r, err, dismissed)
	}
	wantQueue(t, s, true, "second", "third")
	tick()
	again = report(t, s, one, "a", "spam", "I insist")
	if again.ID != a.ID || again.Status != pending || !again.CreatedAt.Equal(noon) {
		t.Errorf("wrong report after dismissal: %+v, want ID = %v, Status = %v and CreatedAt = %v", again, a.ID,
			pending, noon)
	}
	wantQueue(t, s, true, "second", "third", "I insist")

}

// A client may report for many people: the reasons that it gave before stay, each once.
func TestEarlierReasons(t *testing.T) {
	s, _ := fresh(t)
	id := add(t, s, newOf("fr-1", "", 1)).ID
	for _, tt := range []struct {
		client  string
		reason  Reason
		earlier []Reason
	}{
		{"a", "privacy", nil},
		{"a", "privacy", nil},
		{"b", "copyright", nil},
		{"a", "spam", []Reason{"privacy"}},
		{"a", "quality", []Reason{"privacy", "spam"}},
		{"a", "privacy", []Reason{"spam", "quality"}},
		{"b", "copyright", nil},
	} {
		report(t, s, id, tt.client, tt.reason, "")
		l, total, err := s.Reports(ReportFilter{Photo: id}, 10, 0)
		must(t, err)
		i := slices.IndexFunc(l, func(r Reported) bool { return r.Report.ClientID == tt.client })
		if r := l[i].Report; r.Reason != tt.reason || !slices.Equal(r.Earlier, tt.earlier) || total > 2 {
			t.Errorf("%s reports %s: got %s after %s, of %d reports; want %s after %s", tt.client, tt.reason, r.Reason,
				r.Earlier, total, tt.reason, tt.earlier)
		}
	}
}

func TestAcceptedReport(t *testing.T) {
	s, c := fresh(t)
	one, two := add(t, s, newOf("fr-1", "", 1)).ID, add(t, s, newOf("fr-2", "", 2)).ID
	a := report(t, s, one, "a", "spam", "first")
	report(t, s, two, "a", "quality", "second")
	other := report(t, s, one, "b", "copyright", "third")
	if _, err := s.Dismiss(a.ID, audit.Decision{}); err != nil {
		t.Error(err)
	}
	c.set(noon.Add(4 * time.Minute))
	report(t, s, one, "a", "spam", "I insist")
	wantQueue(t, s, true, "second", "third", "I insist")
	// An accepted report hides the photo, and later decisions do not show it.
	if r, err := s.Accept(a.ID, audit.Decision{}); err != nil || r.Status != accepted {
		t.Errorf("got %+v, %v, want no error and Status = %v", r, err, accepted)
	}
	wantQueue(t, s, true, "second", "third")
	for _, client := range []string{"a", "c"} {
		if _, err := s.Report(NewReport{one, client, "x", "spam", nil}); !errors.Is(err, ErrNoPhoto) {
			t.Errorf("report of a hidden photo: error = %v, want ErrNoPhoto", err)
		}
	}
	if _, err := s.Dismiss(other.ID, audit.Decision{}); err != nil {
		t.Error(err)
	}
	if _, err := s.Dismiss(a.ID, audit.Decision{}); err != nil {
		t.Error(err)
	}
	p, err := s.get(one)
	if err != nil || p.Hidden == nil || !p.Hidden.At.Equal(noon.Add(4*time.Minute)) ||
		p.Hidden.Why != "report "+a.ID+": spam" {
		t.Errorf("photo = %+v, %v; want it hidden", p, err)
	}
	if _, err := s.Image(one, Main); !errors.Is(err, ErrNoPhoto) {
		t.Errorf("image of a hidden photo: error = %v, want ErrNoPhoto", err)
	}
	if _, err := s.Show(one, audit.Decision{}); err != nil {
		t.Error(err)
	}
	if _, err := s.Image(one, Main); err != nil {
		t.Error(err)
	}
	report(t, s, one, "b", "spam", "and again")
	wantQueue(t, s, true, "second", "and again")
	mustBeWhole(t, s, 2)

	if _, err := s.Delete(one, audit.Decision{}); err != nil {
		t.Error(err)
	}
	wantQueue(t, s, true, "second")
	wantQueue(t, s, false, "second")
	for _, err := range []error{errorOf(s.Accept(a.ID, audit.Decision{})), errorOf(s.Dismiss("x", audit.Decision{})),
		errorOf(s.Accept("", audit.Decision{}))} {
		if !errors.Is(err, ErrNoReport) {
			t.Error(err)
		}
	}
	mustBeWhole(t, s, 1)
}

func errorOf[T any](_ T, err error) error { return err }

func pointer(text string) *string { return &text }

func TestReportRefuses(t *testing.T) {
	s, _ := fresh(t)
	id := add(t, s, newOf("fr-1", "", 1)).ID
	report(t, s, id, "a", "spam", strings.Repeat("é", maxDescription))
	for _, tt := range []struct {
		name string
		n    NewReport
	}{
		{"too long", NewReport{id, "a", "A", "spam", pointer(strings.Repeat("é", maxDescription+1))}},
		{"no UTF-8", NewReport{id, "a", "A", "spam", pointer("\xff")}},
		{"reason", NewReport{id, "a", "A", "ugly", nil}},
		{"no client", NewReport{id, "", "A", "spam", nil}},
		{"no photo", NewReport{"00000000-0000-7000-8000-000000000000", "a", "A", "spam", nil}},
		{"strange id", NewReport{"../x", "a", "A", "spam", nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := s.Report(tt.n); err == nil {
				t.Errorf("%s was accepted, want an error", tt.name)
			}
		})
	}
	for _, tt := range []struct {
		text string
		want Reason
	}{
		{"spam", "spam"},
		{"Wrong-Location", "wrong-location"},
		{"privacy", "privacy"},
		{"ugly", ""},
		{"", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			var r Reason
			if err := r.UnmarshalText([]byte(tt.text)); r != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("unmarshal %q: got %q, %v, want %q", tt.text, r, err, tt.want)
			}
		})
	}
}

// One damaged record does not keep moderators from the other reports.
func TestReportsWithDamage(t *testing.T) {
	for _, tt := range []struct {
		name, bucket string
		key          func(r *Report) []byte
	}{
		{"report", reportsBucket, func(r *Report) []byte { return r.key() }},
		{"its entry", reportIDsBucket, func(r *Report) []byte { return key(r.ID) }},
		{"photo", photosBucket, func(r *Report) []byte { return key(r.PhotoID) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := fresh(t)
			broken := report(t, s, add(t, s, newOf("fr-1", "", 1)).ID, "a", "spam", "broken")
			report(t, s, add(t, s, newOf("fr-2", "", 2)).ID, "a", "spam", "whole")
			must(t, s.db.Update(func(tx *store.Tx) error {
				return tx.Bucket([]byte(tt.bucket)).Put(tt.key(broken), []byte("{"))
			}))
			wantQueue(t, s, true, "whole")
			wantQueue(t, s, false, "whole")
		})
	}
}
