package archive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sinceDates = []string{"2026-07-30", "2026-08-06", "2026-08-13", "2026-08-20", "2026-08-27"}

// randomWeeks adds weeks of random changes, in a random order.
func randomWeeks(t *testing.T, r *rand.Rand) (s *Store, weeks [][]emission) {
	t.Helper()
	s, _ = opened(t)
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
	return s, weeks
}

// rowsBySupport returns the rows of a week, without order and repetition.
func rowsBySupport(week []emission) map[string]map[emission]bool {
	rows := map[string]map[emission]bool{}
	for _, e := range week {
		if rows[e.support] == nil {
			rows[e.support] = map[emission]bool{}
		}
		rows[e.support][e] = true
	}
	return rows
}

// The supports are those whose rows differ from week to week, whichever weeks are asked for.
func TestSince(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 2))
	s, weeks := randomWeeks(t, r)
	for from := range sinceDates {
		for to := range sinceDates {
			changed := map[uint32]bool{}
			for i := from + 1; i <= to; i++ {
				before, after := rowsBySupport(weeks[i-1]), rowsBySupport(weeks[i])
				for _, of := range []map[string]map[emission]bool{before, after} {
					for support := range of {
						if n, err := strconv.ParseUint(support, 10, 32); err != nil {
							t.Fatal(err)
						} else if !maps.Equal(before[support], after[support]) {
							changed[uint32(n)] = true
						}
					}
				}
			}
			since, err := s.Since(sinceDates[from], sinceDates[to])
			if err != nil || since.Whole {
				t.Fatalf("from %s to %s: whole %v, %v", sinceDates[from], sinceDates[to], since.Whole, err)
			}
			got, err := since.Supports(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(changed)), got); diff != "" {
				t.Errorf("from %s to %s (-want +got):\n%s", sinceDates[from], sinceDates[to], diff)
			}
		}
	}
}

func TestSinceOutside(t *testing.T) {
	s, _ := randomWeeks(t, rand.New(rand.NewPCG(19, 3)))
	for _, tt := range []struct {
		date, current string
		whole         bool
		editions      int
		err           error
	}{
		{"2026-07-29", "2026-08-27", true, 0, nil},
		{"0000-01-01", "2026-07-30", true, 0, nil},
		{"2026-07-31", "2026-08-13", false, 2, nil},
		{"2026-08-27", "2026-08-27", false, 0, nil},
		{"9999-12-31", "2026-08-27", false, 0, nil},
		{"9999-12-31", "2026-08-28", false, 0, nil},
		{"2026-08-27", "2026-08-28", false, 0, ErrNoArchive},
		{"2026-07-01", "2026-07-02", false, 0, ErrNoArchive},
	} {
		t.Run(tt.date+" "+tt.current, func(t *testing.T) {
			since, err := s.Since(tt.date, tt.current)
			if since.Whole != tt.whole || len(since.Editions) != tt.editions || !errors.Is(err, tt.err) {
				t.Errorf("got whole %v, editions %q, %v; want %v, %d of them, %v", since.Whole, since.Editions, err, tt.whole,
					tt.editions, tt.err)
			}
		})
	}
	empty := Open(nil, november)
	if _, err := empty.Since("2026-08-01", "2026-08-27"); !errors.Is(err, ErrNoArchive) {
		t.Errorf("without a file: %v, want ErrNoArchive", err)
	}
	if c, err := empty.Census(context.Background(), 1, func(*Row) int { return 0 }); err != nil || len(c.Dates) != 0 {
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
	if err != nil {
		t.Fatal(err)
	}
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
