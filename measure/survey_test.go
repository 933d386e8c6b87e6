package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
)

// nearest is the value at rank ⌈p·n⌉, in tenths, of sorted values.
func nearest(sorted []float64, tenths int) float64 {
	rank := 1
	for 10*rank < tenths*len(sorted) {
		rank++
	}
	return sorted[rank-1]
}

func sameQuantiles(t *testing.T, what string, got Quantiles, values []float64) {
	t.Helper()
	slices.Sort(values)
	want := Quantiles{Of: len(values)}
	if len(values) > 0 {
		want.P10, want.Median, want.P90 = nearest(values, 1), nearest(values, 5), nearest(values, 9)
	}
	if got != want {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

type groupKey struct {
	operator   string
	generation Generation
}

func TestSurveyCountsEachMeasure(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s, list := openStore(t, t.TempDir()), random(r, 4_800)
	half := len(list) / 2 // in two segments
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(list[:half])), write(t, "b.csv", testsOf(list[:half])))
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(list[half:])), write(t, "b.csv", testsOf(list[half:])))
	for i := range 60 {
		q := randomQuery(r)
		if i%3 == 0 { // large enough for whole tiles
			q.Box, q.Disc = nil, &geo.Disc{Center: geo.Point{Lat: 45.75, Lng: 4.85}, Radius: 1000 + r.Float64()*200_000}
		}
		for _, kind := range []Kind{Coverage, Speedtest} {
			mustSurvey(t, s, kind, q, list)
		}
	}
}

// mustSurvey compares a survey with what was imported, taken one by one.
func mustSurvey(t *testing.T, s *Store, kind Kind, q Query, list []made) {
	t.Helper()
	if kind == Speedtest {
		q.Generations = nil // all say 4G
	}
	want := map[groupKey][3][]float64{}
	counts := map[groupKey]int{}
	for i, m := range list {
		g := generationOf[m.tech]
		if kind == Speedtest {
			g = 4
		}
		if !matches(&q, &m, g) {
			continue
		}
		k := groupKey{keyOf[m.mnc], g}
		i %= len(list) / 2
		v := want[k]
		if kind == Speedtest {
			v = [3][]float64{append(v[0], m.down), append(v[1], float64(i%50)), append(v[2], float64(10+i%40))}
		} else {
			if g >= 4 { // of others the column is another quantity
				v[0] = append(v[0], float64(m.rsrp))
			}
			v[2] = append(v[2], float64(i%30))
		}
		want[k] = v
		counts[k]++
	}
	groups, err := s.Survey(kind, q)
	must(t, err)
	for _, g := range groups {
		k := groupKey{g.Operator, g.Technology}
		what := fmt.Sprintf("%s %+v of %+v", kind, k, q)
		if g.Count != counts[k] || g.Count == 0 || g.Sampled {
			t.Errorf("%s: %d, sampled %v, want %d", what, g.Count, g.Sampled, counts[k])
		}
		for i := range g.Values {
			sameQuantiles(t, what, g.Values[i], want[k][i])
		}
		delete(counts, k)
	}
	if len(counts) > 0 {
		t.Errorf("%s: groups lack %v, want none", kind, counts)
	}
}

// dense is points of one operator in a town, with levels that a test knows.
func dense(n int) (text string, levels []float64) {
	r := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("timestamp,lat,lng,technology,mcc,mnc,rsrp\n")
	for i := range n {
		level := math.Round(max(-140, min(-50, -95+12*r.NormFloat64())))
		levels = append(levels, level)
		mnc := 1
		if i%100 == 0 {
			mnc = 10
		}
		fmt.Fprintf(&b, "%s,%.5f,%.5f,LTE,208,%d,%.0f\n", now.Add(-time.Duration(i)*time.Minute).Format(time.RFC3339),
			45.75+r.Float64()*0.02, 4.85+r.Float64()*0.02, mnc, level)
	}
	return b.String(), levels
}

// Of many measures the counts are exact and the quantiles those of an even sample; of
// few of another operator among them nothing is left out.
func TestSurveyOfMany(t *testing.T) {
	const n = 40_000
	text, levels := dense(n)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", text))
	for _, days := range []int{0, 20} {
		want := map[string][]float64{}
		for i, v := range levels {
			if days == 0 || i <= days*24*60 {
				key := "ORANGE"
				if i%100 == 0 {
					key = "SFR"
				}
				want[key] = append(want[key], v)
			}
		}
		groups, err := s.Survey(Coverage,
			Query{Market: market.FR, Since: since(days),
				Disc: &geo.Disc{Center: geo.Point{Lat: 45.76, Lng: 4.86}, Radius: 5000}})
		if err != nil || len(groups) != 2 {
			t.Fatalf("%d groups, %v, want 2", len(groups), err)
		}
		many, few := groups[slices.IndexFunc(groups,
			func(g Group) bool { return g.Operator == "ORANGE" })], groups[slices.IndexFunc(groups,
			func(g Group) bool { return g.Operator == "SFR" })]
		if many.Count != len(want["ORANGE"]) || few.Count != len(want["SFR"]) || !many.Sampled || few.Sampled {
			t.Errorf("%d days: %+v and %+v, want %d and %d", days, many, few, len(want["ORANGE"]), len(want["SFR"]))
		}
		sameQuantiles(t, "few", few.Values[0], want["SFR"])
		if of := many.Values[0].Of; of < sampleRows/2 || of > sampleRows {
			t.Errorf("quantiles of %d values, want half a sample or more", of)
		}
		slices.Sort(want["ORANGE"])
		for _, tt := range []struct {
			tenths int
			got    float64
		}{{1, many.Values[0].P10}, {5, many.Values[0].Median}, {9, many.Values[0].P90}} {
			if exact := nearest(want["ORANGE"],
				tt.tenths); math.Abs(tt.got-exact) > 2.5 { // four times the error that a thousand of them have
				t.Errorf("%d days: quantile %d of ten = %v, that of all values is %v, want near it", days, tt.tenths,
					tt.got, exact)
			}
		}
	}
}

func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		values, want := make([]int32, 1+r.IntN(3000)), []float64{}
		for i := range values {
			values[i] = int32(r.IntN(1<<31) - 1<<30)
			want = append(want, float64(values[i]))
		}
		sameQuantiles(t, fmt.Sprint(len(values), " values"), quantiles(values, 1), want)
	}
	if q := quantiles(nil, 1); q != (Quantiles{}) {
		t.Errorf("quantiles of no values = %+v, want zeros", q)
	}
}

// What was made up for a demonstration is told apart, also among what was measured.
func TestSurveyTellsWhatIsSynthetic(t *testing.T) {
	s := openStore(t, t.TempDir())
	head := "timestamp,lat,lng,technology,mcc,mnc,rsrp\n"
	imported(t, s, market.FR, write(t, "SYNTHETIC_a.csv", head+"2026-11-20T00:00:00Z,45,4,LTE,208,1,-90\n"))
	imported(t, s, market.FR, write(t, "b.csv",
		head+"2026-11-20T00:00:01Z,45,4,LTE,208,1,-91\n2026-11-20T00:00:02Z,45,4,LTE,208,10,-92\n"))
	groups, err := s.Survey(Coverage, Query{Market: market.FR})
	if err != nil || len(groups) != 2 {
		t.Fatalf("groups = %+v, %v, want 2", groups, err)
	}
	for _, g := range groups {
		if g.Synthetic != (g.Operator == "ORANGE") {
			t.Errorf("group = %+v, want Synthetic for ORANGE only", g)
		}
	}
}

// since is when a window of so many days begins, of any age with 0.
func since(days int) time.Time {
	if days == 0 {
		return time.Time{}
	}
	return now.Add(-time.Duration(days) * 24 * time.Hour)
}

// Points come from all of a place.
func TestSampledPoints(t *testing.T) {
	text, _ := dense(40_000)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", text))
	q := Query{Market: market.FR, Limit: 64}
	points, err := s.Coverage(q)
	if err != nil || len(points) != 64 {
		t.Fatalf("%d points, %v, want 64", len(points), err)
	}
	quarters := map[[2]bool]int{}
	for _, p := range points {
		quarters[[2]bool{p.Position.Lat > 45.76, p.Position.Lng > 4.86}]++
	}
	for quarter, n := range quarters {
		if n < 12 || n > 20 {
			t.Errorf("%d of 64 points in the quarter %v, want 12 to 20", n, quarter)
		}
	}
}

// Points that lie close together in a large place are shown from one end to the other, also
// where the newest are all at one.
func TestSampledPointsOfARoad(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, n := range []int{60, 200, 1000, 5000} {
		var b strings.Builder
		b.WriteString("timestamp,lat,lng,technology,mcc,mnc,rsrp\n")
		for i := range 20_000 {
			fmt.Fprintf(&b, "%s,%.6f,%.6f,LTE,208,1,-90\n", now.Add(-time.Duration(i)*time.Minute).Format(time.RFC3339),
				45.66+r.Float64()*0.18, 4.73+r.Float64()*0.26)
		}
		for i := range n {
			fmt.Fprintf(&b, "%s,%.6f,4.86,LTE,208,10,-90\n",
				now.Add(-time.Duration(n-i)*time.Minute).Format(time.RFC3339), 45.75+0.003*float64(i)/float64(n))
		}
		s := openStore(t, t.TempDir())
		imported(t, s, market.FR, write(t, "a.csv", b.String()))
		points, err := s.Coverage(Query{Market: market.FR, Among: []string{"SFR"}, Limit: 10,
			Disc: &geo.Disc{Center: geo.Point{Lat: 45.75, Lng: 4.86}, Radius: 10_000}})
		if err != nil || len(points) != 10 {
			t.Fatalf("%d points, %v, want 10", len(points), err)
		}
		thirds := map[int]int{}
		for _, p := range points {
			thirds[int((p.Position.Lat-45.75)/0.001)]++
		}
		if thirds[0] < 2 || thirds[1] < 2 || thirds[2] < 2 {
			t.Errorf("limit %d: points of the thirds of the road = %v, want 2 or more of each", n, thirds)
		}
	}
}
