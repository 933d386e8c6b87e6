package measure

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
)

// Points come from all of a place, also where they are chosen from few of its rows, and
// are those of Coverage where all are shown.
func TestSurveyedPoints(t *testing.T) {
	text, _ := dense(40_000)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", text))
	q := Query{Market: market.FR, Limit: 64}
	groups, points, err := s.CoverageCounts(q)
	if err != nil || len(points) != 64 || len(groups) != 2 || groups[0].Count+groups[1].Count != 40_000 {
		t.Fatalf("%d points, %+v, %v", len(points), groups, err)
	}
	quarters := map[[2]bool]int{}
	for _, p := range points {
		quarters[[2]bool{p.Position.Lat > 45.76, p.Position.Lng > 4.86}]++
	}
	for quarter, n := range quarters {
		if n < 12 || n > 20 {
			t.Errorf("%d of 64 points in the quarter %v", n, quarter)
		}
	}
	q.Disc = &geo.Disc{Center: geo.Point{Lat: 45.76, Lng: 4.86}, Radius: 30}
	want, err := s.Coverage(q)
	if err != nil || len(want) < 10 || len(want) == 64 {
		t.Fatal(len(want), err)
	}
	if _, points, err = s.CoverageCounts(q); err != nil || !slices.EqualFunc(points, want, func(a, b Point) bool { return a.ID == b.ID }) {
		t.Errorf("%d points, Coverage has %d, %v", len(points), len(want), err)
	}
}

// However few of the points around match, and whichever: all that are shown do, and there are
// as many as there can be.
func TestSurveyedPointsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	list := random(r, 30_000)
	for i := range list {
		list[i].time = now.Add(-time.Duration(r.IntN(40)) * 10 * 24 * time.Hour)
		if r.IntN(10) > 0 { // one operator and generation has most of them
			list[i].mnc, list[i].tech = 1, "LTE"
		}
	}
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(list[:9000])), write(t, "b.csv", coverageOf(list[9000:])))
	for range 300 {
		q := randomQuery(r)
		q.Limit = 1 + r.IntN(12)
		want, n := map[string]int{}, 0
		for _, m := range list {
			if matches(&q, &m, generationOf[m.tech]) {
				want[m.key()]++
				n++
			}
		}
		groups, points, err := s.CoverageCounts(q)
		if err != nil || len(points) != min(q.Limit, n) {
			t.Fatalf("%+v: %d points, %d match (%v)", q, len(points), n, err)
		}
		for _, g := range groups {
			n -= g.Count
		}
		if n != 0 {
			t.Errorf("%+v: %d more match than %+v", q, n, groups)
		}
		for _, p := range points {
			if want[p.key()]--; want[p.key()] < 0 {
				t.Errorf("%+v: %s twice, or it does not match", q, p.key())
			}
		}
		all, err := s.Coverage(q)
		if err != nil || !slices.EqualFunc(points, all, func(a, b Point) bool { return a.ID == b.ID }) {
			t.Errorf("%+v: the points are not those of Coverage (%v)", q, err)
		}
	}
}

// Points that lie close together in a large place are shown from one end to the other, also
// where the newest are all at one.
func TestSurveyedPointsOfARoad(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, n := range []int{60, 200, 1000, 5000} {
		var b strings.Builder
		b.WriteString("timestamp,lat,lng,technology,mcc,mnc,rsrp\n")
		for i := range 20_000 {
			fmt.Fprintf(&b, "%s,%.6f,%.6f,LTE,208,1,-90\n", now.Add(-time.Duration(i)*time.Minute).Format(time.RFC3339), 45.66+r.Float64()*0.18, 4.73+r.Float64()*0.26)
		}
		for i := range n {
			fmt.Fprintf(&b, "%s,%.6f,4.86,LTE,208,10,-90\n", now.Add(-time.Duration(n-i)*time.Minute).Format(time.RFC3339), 45.75+0.003*float64(i)/float64(n))
		}
		s := openStore(t, t.TempDir())
		imported(t, s, market.FR, write(t, "a.csv", b.String()))
		_, points, err := s.CoverageCounts(Query{Market: market.FR, Operator: "SFR", Limit: 10, Disc: &geo.Disc{Center: geo.Point{Lat: 45.75, Lng: 4.86}, Radius: 10_000}})
		if err != nil || len(points) != 10 {
			t.Fatalf("%d points, %v", len(points), err)
		}
		thirds := map[int]int{}
		for _, p := range points {
			thirds[int((p.Position.Lat-45.75)/0.001)]++
		}
		if thirds[0] < 2 || thirds[1] < 2 || thirds[2] < 2 {
			t.Errorf("of %d, points of the thirds of the road: %v", n, thirds)
		}
	}
}
