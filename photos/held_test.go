package photos

import (
	"errors"
	"slices"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/folder"
)

// decisions lists what the log of the store has: who, what, from which state to which.
func decisions(t *testing.T, s *Store) (list []string) {
	t.Helper()
	entries, _, err := audit.Open(s.db).List(audit.Filter{}, 100, 0)
	must(t, err)
	for _, e := range slices.Backward(entries) {
		list = append(list, e.By+" "+e.Act+" "+e.Before+" "+e.After)
	}
	return list
}

// shownSomewhere returns where a photo of fr-1 can be seen.
func shownSomewhere(t *testing.T, s *Store, id string) (places []string) {
	t.Helper()
	count := func(place string, n int, err error) {
		t.Helper()
		must(t, err)
		if n > 0 {
			places = append(places, place)
		}
	}
	_, n, err := s.List("fr-1", nil, 10, 0)
	count("the list of its site", n, err)
	_, n, err = s.ListSites([]string{"fr-1"}, nil, 10)
	count("the list of sites", n, err)
	_, n, err = s.Find(func(*Brief) bool { return true }, 10, 0)
	count("the search", n, err)
	n, _, err = s.CopyShown(t.Context(), folder.Dir(t.TempDir()), func(string) bool { return true })
	count("a pack", n, err)
	for _, size := range Sizes {
		if _, err := s.Image(id, size); err == nil {
			places = append(places, "the image "+string(size))
		}
	}
	return places
}

// A photo that is held is shown nowhere until it is approved, and waits in the order in which it came.
func TestHeld(t *testing.T) {
	s, c := fresh(t)
	n := newOf("fr-1", "SFR", 1)
	n.Held = true
	p := add(t, s, n)
	c.set(noon.Add(time.Minute))
	n = newOf("ca-2", "BELL", 2)
	n.Held = true
	second := add(t, s, n)
	if got := shownSomewhere(t, s, p.ID); len(got) > 0 {
		t.Errorf("a photo that is held is seen in %q", got)
	}
	if _, err := s.Report(NewReport{p.ID, "a", "A", "spam", nil}); !errors.Is(err, ErrNoPhoto) {
		t.Errorf("it is reported: %v, want ErrNoPhoto", err)
	}
	if image, err := s.AnyImage(p.ID, Main); err != nil || len(image) == 0 {
		t.Errorf("a moderator does not see it: %v", err)
	}
	for _, tt := range []struct {
		name string
		f    Filter
		want []string
	}{
		{"waiting", Filter{State: Held}, []string{p.ID, second.ID}},
		{"not shown", Filter{Hidden: true}, []string{second.ID, p.ID}},
		{"waiting in Canada", Filter{State: Held, Market: "CA"}, []string{second.ID}},
		{"waiting at a site", Filter{State: Held, SiteKey: "fr-1"}, []string{p.ID}},
		{"hidden by somebody", Filter{State: Concealed}, nil},
		{"all", Filter{}, []string{second.ID, p.ID}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, total, err := s.All(tt.f, 10, 0)
			var got []string
			for _, p := range list {
				got = append(got, p.ID)
			}
			if !slices.Equal(got, tt.want) || total != len(tt.want) || err != nil {
				t.Errorf("got %q of %d, %v; want %q", got, total, err, tt.want)
			}
		})
	}
	if n, err := s.Held(); n != 2 || err != nil {
		t.Errorf("%d photos are held, %v; want 2", n, err)
	}
	if _, err := s.Show(p.ID, audit.Decision{By: "alice"}); err != nil {
		t.Fatal(err)
	}
	if got := shownSomewhere(t, s, p.ID); len(got) != 4+len(Sizes) {
		t.Errorf("after it is approved it is seen in %q alone", got)
	}
	mustBeWhole(t, s, 2)
}

// A decision names the version that it was made on. Of two on one version the second is refused, and
// so is the first one again.
func TestDecisions(t *testing.T) {
	s, _ := fresh(t)
	p := add(t, s, newOf("fr-1", "SFR", 1))
	r := report(t, s, p.ID, "a", "privacy", "my face")
	seen, seenReport := p.Version(), r.Version()
	if _, err := s.Hide(p.ID, audit.Decision{By: "alice", Why: "a face", On: seen}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{errorOf(s.Hide(p.ID, audit.Decision{By: "bob", On: seen})),
		errorOf(s.Delete(p.ID, audit.Decision{By: "bob", On: seen}))} {
		if !errors.Is(err, audit.ErrChanged) {
			t.Errorf("on a version of before: %v, want ErrChanged", err)
		}
	}
	again, err := s.Show(p.ID, audit.Decision{By: "bob"})
	if err != nil || again.Version() == seen {
		t.Errorf("%v; the version is that of before: a form could be sent again", err)
	}
	if _, err := s.Accept(r.ID, audit.Decision{By: "alice", On: seenReport}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Dismiss(r.ID, audit.Decision{By: "bob", On: seenReport}); !errors.Is(err, audit.ErrChanged) {
		t.Errorf("a report that was decided: %v, want ErrChanged", err)
	}
	want := []string{"alice photo.hide shown hidden", "bob photo.show hidden shown", "alice report.accept pending accepted"}
	if got := decisions(t, s); !slices.Equal(got, want) {
		t.Errorf("the log has %q, want %q", got, want)
	}
	mustBeWhole(t, s, 1)
}

// What was decided about a report is taken back: the photo is what it was.
func TestReopen(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(s *Store, id string) error
		want   State
	}{
		{"shown", func(*Store, string) error { return nil }, Shown},
		{"held", func(s *Store, id string) error { return errorOf(s.Hold(id, audit.Decision{})) }, Held},
		{"hidden for another reason", func(s *Store, id string) error {
			return errorOf(s.Hide(id, audit.Decision{Why: "blurred"}))
		}, Concealed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := fresh(t)
			p := add(t, s, newOf("fr-1", "SFR", 1))
			r := report(t, s, p.ID, "a", "spam", "x")
			must(t, tt.before(s, p.ID))
			if _, err := s.Accept(r.ID, audit.Decision{}); err != nil {
				t.Fatal(err)
			}
			if got, _ := s.get(p.ID); got.State() != Concealed {
				t.Errorf("accepted: the photo is %s, want hidden", got.State())
			}
			back, err := s.Reopen(r.ID, audit.Decision{By: "alice"})
			if err != nil || !back.Pending() {
				t.Errorf("%+v, %v; want it pending", back, err)
			}
			if got, _ := s.get(p.ID); got.State() != tt.want {
				t.Errorf("reopened: the photo is %s, want %s", got.State(), tt.want)
			}
			wantQueue(t, s, true, "x")
			mustBeWhole(t, s, 1)
		})
	}
}

// Who sent a photo deletes it: the client, or who has the token.
func TestWithdraw(t *testing.T) {
	s, _ := fresh(t)
	n := newOf("fr-1", "SFR", 1)
	n.DeleteToken = "a secret of 128 bits"
	p := add(t, s, n)
	report(t, s, p.ID, "a", "spam", "x")
	for _, tt := range []struct{ name, client, token string }{
		{"nobody", "", ""}, {"another client", "c2", ""}, {"a wrong token", "c2", "a secret of 129 bits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := s.Withdraw(p.ID, tt.client, tt.token); !errors.Is(err, ErrNoPhoto) {
				t.Errorf("got %v, want ErrNoPhoto", err)
			}
		})
	}
	other := add(t, s, newOf("fr-1", "SFR", 2)) // without a token
	if _, err := s.Withdraw(other.ID, "", ""); !errors.Is(err, ErrNoPhoto) {
		t.Errorf("a photo without a token: %v, want ErrNoPhoto", err)
	}
	if _, err := s.Withdraw(p.ID, "", "a secret of 128 bits"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Withdraw(other.ID, "c1", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Withdraw(other.ID, "c1", ""); !errors.Is(err, ErrNoPhoto) {
		t.Errorf("twice: %v, want ErrNoPhoto", err)
	}
	wantQueue(t, s, true)
	if got := decisions(t, s); len(got) != 0 {
		t.Errorf("the log of moderators has %q", got)
	}
	mustBeWhole(t, s, 0)
}

// Hooks are told of a photo that waits, and of one that is shown for the first time.
func TestNewsOfHeldPhotos(t *testing.T) {
	s, _ := fresh(t)
	s.db.Journal().SetNews(News)
	told := func() (list []string) {
		entries, err := s.db.Journal().After(0, 100)
		must(t, err)
		for _, e := range entries {
			list = append(list, e.Text)
		}
		return list
	}
	n := newOf("fr-1", "SFR", 1)
	n.Held = true
	p := add(t, s, n)
	steps := []func() error{
		func() error { return errorOf(s.Hide(p.ID, audit.Decision{})) },
		func() error { return errorOf(s.Hold(p.ID, audit.Decision{})) },
		func() error { return errorOf(s.Show(p.ID, audit.Decision{})) },
		func() error { return errorOf(s.Hide(p.ID, audit.Decision{})) },
		func() error { return errorOf(s.Show(p.ID, audit.Decision{})) },
	}
	for _, step := range steps {
		must(t, step())
	}
	if got, want := told(), []string{"held " + p.ID, "photo " + p.ID}; !slices.Equal(got, want) {
		t.Errorf("hooks are told %q, want %q", got, want)
	}
}
