package archive

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sinceDates = []string{"2026-07-30", "2026-08-06", "2026-08-13", "2026-08-20", "2026-08-27"}

// randomWeeks adds weeks of random changes, in a random order.
func randomWeeks(t *testing.T, r *rand.Rand) (s *Store, weeks [][]emission) {
	t.Helper()
	s, _ = opened(t)
	return s, addWeeks(t, s, r)
}

func addWeeks(t *testing.T, s *Store, r *rand.Rand) (weeks [][]emission) {
	t.Helper()
	var week []emission
	for support := range 60 {
		week = append(week, newEmissions(r, 1000+support)...)
	}
	for i, date := range sinceDates {
		if i > 0 {
			week = nextWeek(r, week, date, 2000+1000*i)
		}
		weeks = append(weeks, week)
	}
	for _, i := range r.Perm(len(weeks)) {
		var lines []string
		for _, e := range weeks[i] {
			row := line(e.operator, e.support, e.system, e.station, e.status)
			lines = append(lines, strings.Replace(row, "27,2", e.height, 1))
		}
		mustAdd(t, s, publication(t, sinceDates[i], lines...), Options{Force: true})
	}
	return weeks
}

func TestCensusOfNothing(t *testing.T) {
	c, err := Open(nil, november).Census(context.Background(), 1, func(*Row) int { return 0 })
	if err != nil || len(c.Dates) != 0 {
		t.Errorf("a census without a file: %v, %v, want no dates", c, err)
	}
}

// A census counts every row of the files, also repeated ones.
func TestCensus(t *testing.T) {
	s, weeks := randomWeeks(t, rand.New(rand.NewPCG(19, 4)))
	groups := []string{"SFR LTE 800 " + planned, "ORANGE LTE 800 En service", "FREE MOBILE UMTS 900 En service"}
	c, err := s.Census(context.Background(), len(groups), func(r *Row) int {
		if r.Department != "003" || r.Insee != "03258" || r.Generation != "4G" {
			t.Errorf("got a row %+v, want department 003, INSEE code 03258 and 4G", *r)
		}
		return slices.Index(groups, fmt.Sprintf("%s %s %s", r.Operator, r.System, r.Status))
	})
	must(t, err)
	want := make([][]int, len(weeks))
	for i, week := range weeks {
		want[i] = make([]int, len(groups))
		for _, e := range week {
			if g := slices.Index(groups, fmt.Sprintf("%s %s %s", e.operator, e.system, e.status)); g >= 0 {
				want[i][g]++
			}
		}
	}
	if diff := cmp.Diff(&Census{sinceDates, want}, c); diff != "" {
		t.Errorf("the census (-want +got):\n%s", diff)
	}
}
