package archive

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/archive/change"
	"relais/internal/store"
	"relais/market"
	"relais/site"
)

// mustHaveTold compares what was told of an edition with texts: those before its first correction, then those of each
// correction. nil means that no list is kept.
func mustHaveTold(t *testing.T, s *Store, code market.Code, date string, corrected int, want ...[]string) {
	t.Helper()
	all, err := s.Editions(code)
	day := site.ParseDate([]byte(date))
	i := slices.IndexFunc(all, func(e Edition) bool { return e.Date == day })
	if err != nil || i < 0 || all[i].Corrected != corrected {
		t.Fatalf("%s %s: got the editions %+v, %v, want %d corrections", code, date, all, err, corrected)
	}
	for n := range len(want) + 1 {
		var l *change.List
		must(t, s.view(func(tx *store.Tx) (err error) {
			l, err = s.told(t.Context(), tx, code, day, n)
			return err
		}))
		var got, texts []string
		if l != nil {
			got = append([]string{}, textsOf(l)...)
		}
		if n < len(want) {
			texts = want[n]
		}
		if diff := cmp.Diff(texts, got); diff != "" {
			t.Errorf("%s %s, correction %d (-want +got):\n%s", code, date, n, diff)
		}
	}
	if _, _, _, err := s.CheckRecords(); err != nil {
		t.Error(err)
	}
}

// What corrects the newest edition is told apart from what the edition changed when it came. Of an old edition that is
// replaced, and of one before which another comes, nothing is kept, and numbers are not used again.
func TestCorrections(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s, _ := opened(t)
			r := rand.New(rand.NewPCG(seed, 33))
			note := func(date string, form listed) { t.Helper(); mustNote(t, s, snapshotOf(t, date, form), true) }
			forms := []listed{randomListed(r, listed{})}
			note("2026-07-02", randomListed(r, forms[0]))
			note("2026-07-02", forms[0]) // nothing was told of the first edition
			mustHaveTold(t, s, market.CH, "2026-07-02", 0)
			var want [][]string
			for i := range 3 {
				forms = append(forms, randomListed(r, forms[i]))
				want = append(want, forms[i].differences(forms[i+1]))
				note("2026-07-16", forms[i+1])
				if i > 0 {
					mustHaveTold(t, s, market.CH, "2026-07-16", i, want...)
				}
			}
			mustDiffer(t, s, []string{"2026-07-02", "2026-07-16"}, []listed{forms[0], forms[3]})
			late := randomListed(r, forms[0])
			note("2026-07-09", late)
			mustHaveTold(t, s, market.CH, "2026-07-16", 2)
			next := randomListed(r, forms[3])
			note("2026-07-16", next)
			mustHaveTold(t, s, market.CH, "2026-07-16", 3, late.differences(forms[3]), nil, nil, forms[3].differences(next))
			note("2026-07-23", randomListed(r, next))
			mustHaveTold(t, s, market.CH, "2026-07-16", 3, late.differences(forms[3]), nil, nil, forms[3].differences(next))
			note("2026-07-16", forms[1])
			mustHaveTold(t, s, market.CH, "2026-07-16", 3)
		})
	}
}

// Publications are corrected likewise, with and without force.
func TestCorrectedPublications(t *testing.T) {
	week := func(date, status, system string) string {
		return publication(t, date, line("SFR", "1", system, "0031300001", "En service"),
			line("SFR", "2", "LTE 800", "0031300002", status))
	}
	// The same forms as editions of their own.
	apart, _ := opened(t)
	var want [][]string
	mustAdd(t, apart, week("2026-07-02", "Projet approuvé", "LTE 700"), Options{})
	for _, form := range [][3]string{{"2026-07-09", "En service", "LTE 700"}, {"2026-07-10", "Projet approuvé", "LTE 2600"},
		{"2026-07-11", "Techniquement opérationnel", "LTE 2600"}} {
		mustAdd(t, apart, week(form[0], form[1], form[2]), Options{})
		day := site.ParseDate([]byte(form[0]))
		span, err := apart.Between(t.Context(), market.FR, day-1, day)
		must(t, err)
		texts := textsOf(span.Lists[0].List)
		if len(texts) == 0 {
			t.Fatalf("%s changes nothing", form[0])
		}
		want = append(want, texts)
	}
	nothing := [][]string{{}, {}, {}} // of the other market
	s, db := opened(t)
	mustAdd(t, s, week("2026-07-02", "Projet approuvé", "LTE 700"), Options{})
	mustAdd(t, s, week("2026-07-09", "En service", "LTE 700"), Options{})
	mustAdd(t, s, week("2026-07-09", "Projet approuvé", "LTE 2600"), Options{Newest: true})
	mustAdd(t, s, week("2026-07-09", "Techniquement opérationnel", "LTE 2600"), Options{Force: true})
	mustHaveTold(t, s, market.FR, "2026-07-09", 2, want...)
	mustHaveTold(t, s, market.DROM, "2026-07-09", 2, nothing...)
	mustAdd(t, s, week("2026-07-05", "En service", "LTE 1800"), Options{}) // between
	mustHaveTold(t, s, market.FR, "2026-07-09", 2)
	// What replaces damaged differences is the cure.
	must(t, db.Update(func(tx *store.Tx) error {
		return tx.Bucket([]byte(differencesBucket)).Delete(marketKey(market.FR, site.DateOf(2026, 7, 9)))
	}))
	if _, _, _, err := s.CheckRecords(); !errors.Is(err, errDamaged) {
		t.Errorf("check: got %v, want errDamaged", err)
	}
	mustAdd(t, s, week("2026-07-09", "En service", "LTE 2600"), Options{Newest: true})
	mustBeWhole(t, s, 3)
}
