package archive

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"relais/market"
	"relais/site"
)

// mustHaveTold compares what was told of an edition with texts: of the edition as it came, then of each correction.
func mustHaveTold(t *testing.T, s *Store, code market.Code, date string, want ...[]string) {
	t.Helper()
	all, err := s.Editions(code)
	day := site.ParseDate([]byte(date))
	i := slices.IndexFunc(all, func(e Edition) bool { return e.Date == day })
	if err != nil || i < 0 || all[i].Corrected != max(0, len(want)-1) {
		t.Fatalf("%s %s: got the editions %+v, %v, want %d corrections", code, date, all, err, len(want)-1)
	}
	for n := range max(1, len(want)+1) {
		l, err := s.Told(t.Context(), code, day, n)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		if n < len(want) {
			texts = want[n]
		}
		if got := textsOf(l); !slices.Equal(got, texts) {
			t.Errorf("%s %s, correction %d: got %q, want %q", code, date, n, got, texts)
		}
	}
	if _, _, _, err := s.CheckRecords(); err != nil {
		t.Error(err)
	}
}

// What corrects the newest edition is told apart from what the edition changed when it came. An old edition that is
// replaced was not told otherwise.
func TestCorrections(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s, _ := opened(t)
			r := rand.New(rand.NewPCG(seed, 33))
			forms := []listed{randomListed(r, listed{})}
			mustNote(t, s, snapshotOf(t, "2026-07-02", randomListed(r, forms[0])), true)
			mustNote(t, s, snapshotOf(t, "2026-07-02", forms[0]), true) // nothing was told of the first edition
			mustHaveTold(t, s, market.CH, "2026-07-02")
			var want [][]string
			for i := range 3 {
				forms = append(forms, randomListed(r, forms[i]))
				want = append(want, forms[i].differences(forms[i+1]))
				mustNote(t, s, snapshotOf(t, "2026-07-09", forms[i+1]), true)
				if i > 0 {
					mustHaveTold(t, s, market.CH, "2026-07-09", want...)
				}
			}
			mustDiffer(t, s, []string{"2026-07-02", "2026-07-09"}, []listed{forms[0], forms[3]})
			mustNote(t, s, snapshotOf(t, "2026-07-16", randomListed(r, forms[3])), true)
			mustHaveTold(t, s, market.CH, "2026-07-09", want...)
			mustNote(t, s, snapshotOf(t, "2026-07-09", forms[1]), true)
			mustHaveTold(t, s, market.CH, "2026-07-09")
		})
	}
}

// Publications are corrected likewise, with and without force.
func TestCorrectedPublications(t *testing.T) {
	s, _ := opened(t)
	week := func(date, status, system string) string {
		return publication(t, date, line("SFR", "1", system, "0031300001", "En service"),
			line("SFR", "2", "LTE 800", "0031300002", status))
	}
	mustAdd(t, s, week("2026-07-02", "Projet approuvé", "LTE 700"), Options{})
	mustAdd(t, s, week("2026-07-09", "En service", "LTE 700"), Options{})
	mustAdd(t, s, week("2026-07-09", "Projet approuvé", "LTE 2600"), Options{Newest: true})
	mustAdd(t, s, week("2026-07-09", "Techniquement opérationnel", "LTE 2600"), Options{Force: true})

	// The same forms as editions of their own.
	apart, _ := opened(t)
	var want [][]string
	mustAdd(t, apart, week("2026-07-02", "Projet approuvé", "LTE 700"), Options{})
	for _, form := range [][3]string{{"2026-07-09", "En service", "LTE 700"}, {"2026-07-10", "Projet approuvé", "LTE 2600"},
		{"2026-07-11", "Techniquement opérationnel", "LTE 2600"}} {
		mustAdd(t, apart, week(form[0], form[1], form[2]), Options{})
		day := site.ParseDate([]byte(form[0]))
		span, err := apart.Between(t.Context(), market.FR, day-1, day)
		if err != nil {
			t.Fatal(err)
		}
		texts := textsOf(span.Lists[0].List)
		if len(texts) == 0 {
			t.Fatalf("%s changes nothing", form[0])
		}
		want = append(want, texts)
	}
	mustHaveTold(t, s, market.FR, "2026-07-09", want...)
	mustHaveTold(t, s, market.DROM, "2026-07-09", nil, nil, nil)
}
