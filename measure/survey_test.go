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
			surveyed(t, s, kind, q, list)
		}
	}
}

// surveyed compares a survey with what was imported, taken one by one.
func surveyed(t *testing.T, s *Store, kind Kind, q Query, list []made) {
	t.Helper()
	if kind == Speedtest {
		q.Technology = 0 // all say 4G
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
	if err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("%s: missing %v", kind, counts)
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
		fmt.Fprintf(&b, "%s,%.5f,%.5f,LTE,208,%d,%.0f\n", now.Add(-time.Duration(i)*time.Minute).Format(time.RFC3339), 45.75+r.Float64()*0.02, 4.85+r.Float64()*0.02, mnc, level)
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
		groups, err := s.Survey(Coverage, Query{Market: market.FR, Since: since(days), Disc: &geo.Disc{Center: geo.Point{Lat: 45.76, Lng: 4.86}, Radius: 5000}})
		if err != nil || len(groups) != 2 {
			t.Fatalf("%d groups, %v", len(groups), err)
		}
		many, few := groups[slices.IndexFunc(groups, func(g Group) bool { return g.Operator == "ORANGE" })], groups[slices.IndexFunc(groups, func(g Group) bool { return g.Operator == "SFR" })]
		if many.Count != len(want["ORANGE"]) || few.Count != len(want["SFR"]) || !many.Sampled || few.Sampled {
			t.Errorf("%d days: %+v and %+v, want %d and %d", days, many, few, len(want["ORANGE"]), len(want["SFR"]))
		}
		sameQuantiles(t, "few", few.Values[0], want["SFR"])
		if of := many.Values[0].Of; of < sampleRows/2 || of > sampleRows {
			t.Errorf("quantiles of %d", of)
		}
		slices.Sort(want["ORANGE"])
		for tenths, got := range map[int]float64{1: many.Values[0].P10, 5: many.Values[0].Median, 9: many.Values[0].P90} {
			if exact := nearest(want["ORANGE"], tenths); math.Abs(got-exact) > 2.5 { // four times the error that a thousand of them have
				t.Errorf("%d days: quantile %d of ten is %v, of all %v", days, tenths, got, exact)
			}
		}
	}
}

// A sample has of each step rows that match the first, or, of a run, a notch or a mark that
// stands for the same rows, and matches.
func TestStratumKeepsEvenly(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const rows = 1 << 18
	s := segment{meta: meta{Kind: Coverage}, columns: columns{rsrp: make([]int16, rows), rsrq: make([]int16, rows), snr: make([]int16, rows)}}
	for i := range rows {
		s.rsrp[i], s.rsrq[i] = int16(i>>8), int16(i&0xff)
	}
	sparse := 0
	for range 20 {
		const most = 512
		runs := 0
		c := stratum{sampler: sampler[[3]int32]{step: 1, most: most}}
		at, order, group := 0, []int(nil), map[int]int{} // rows that match, and which marks can stand for which
		for len(order) < r.IntN(60_000) {
			if r.IntN(2) == 0 {
				if c.next(0) == 0 {
					c.take(&s, at)
				}
				c.count++
				order = append(order, at)
				at++
				continue
			}
			run := make([]uint16, r.IntN(5000))
			older := r.IntN(len(run) + 1)
			runs++
			rows := runRows{from: at, byTime: run, older: older, since: uint32(older), of: &tiling{}}
			for i := range run {
				run[i] = uint16(i)
				if i%notchRows == 0 {
					rows.of.notches = append(rows.of.notches, notch{uint32(i), s.values(at + i)})
				}
				if i%markRows == 0 {
					k := i + r.IntN(min(markRows, len(run)-i))
					rows.of.marks = append(rows.of.marks, notch{uint32(k), s.values(at + k)})
				}
				if group[at+i] = runs<<16 | i/markRows; i >= older {
					order = append(order, at+i)
				}
			}
			c.addAll(&s, &rows)
			at += len(run)
		}
		if n := len(order); c.count != n || len(c.list) >= most || len(c.list) != (n+c.step-1)/c.step || c.step > 1 && len(c.list) < most/2 {
			t.Fatalf("%d of %d rows, step %d, counted %d", len(c.list), n, c.step, c.count)
		}
		seen := map[int]bool{}
		for i, v := range c.list {
			row := int(v[0])<<8 | int(v[1])
			if seen[row] {
				t.Fatalf("row %d is in the sample twice, step %d", row, c.step)
			}
			seen[row] = true
			at := order[i*c.step]
			if _, matches := slices.BinarySearch(order, row); !matches || at != row && (group[at] == 0 || group[at] != group[row]) {
				t.Fatalf("row %d is %d, step %d", i, row, c.step)
			} else if at != row {
				sparse++
			}
		}
	}
	if sparse == 0 {
		t.Error("no row stood for another")
	}
}

func TestRanked(t *testing.T) {
	var ranks ranker
	r := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		width := []int{1, 3, 1000, 1 << 20, 1 << 31}[r.IntN(5)]
		rows, column, none := make([][3]int32, 1+r.IntN(3000)), r.IntN(3), int32(r.IntN(width)-width/2)
		var want []float64
		for i := range rows {
			v := int32(r.IntN(width) - width/2)
			if rows[i][column] = v; v != none {
				want = append(want, float64(v))
			}
		}
		sameQuantiles(t, fmt.Sprint(len(rows), " rows"), ranks.quantiles(rows, column, none, 1), want)
	}
	if q := ranks.quantiles(nil, 0, 0, 1); q != (Quantiles{}) {
		t.Errorf("of nothing: %+v", q)
	}
}

// A disc that covers a block holds all of it, one that misses it nothing of it, and many
// blocks are covered, and missed.
func TestRoundCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	covered, missed := 0, 0
	for range 6000 {
		d := geo.Disc{Center: geo.Point{Lat: r.Float64()*180 - 90, Lng: r.Float64()*360 - 180}, Radius: math.Pow(10, 1+r.Float64()*5.5)}
		near := func(middle, half float64) (low, high int32) {
			a, b := geo.Fix(middle+(r.Float64()-0.5)*2*half), geo.Fix(middle+(r.Float64()-0.5)*2*half)
			return min(a, b), max(a, b)
		}
		half := d.Radius / 111_000 * (1 + r.Float64()/3)
		var b block
		b.south, b.north = near(d.Center.Lat, half)
		if b.west, b.east = near(d.Center.Lng, half/math.Cos(d.Center.Lat*math.Pi/180)); r.IntN(5) == 0 {
			b.west, b.east = -180e7+int32(r.IntN(1000)), 180e7-int32(r.IntN(1000)) // around the Earth
		}
		if r.IntN(2) == 0 { // a small one, mostly at the rim or beyond
			b.north, b.east = b.south+(b.north-b.south)/16, b.west+int32((int64(b.east)-int64(b.west))/16)
		}
		if b.south < -90e7 || b.north > 90e7 || b.west < -180e7 || b.east > 180e7 {
			continue
		}
		f := newRound(&d)
		covers, misses := f.covers(&b.rectangle), f.misses(&b.rectangle)
		if !covers && !misses {
			continue
		}
		if covers {
			covered++
		} else {
			missed++
		}
		for i := range 30 {
			p := geo.Point{Lat: geo.Degrees(b.south + int32(r.Int64N(int64(b.north)-int64(b.south)+1))), Lng: geo.Degrees(b.west + int32(r.Int64N(int64(b.east)-int64(b.west)+1)))}
			if i < 4 { // corners, and the nearest point
				p.Lat, p.Lng = geo.Degrees([]int32{b.south, b.north}[i%2]), geo.Degrees([]int32{b.west, b.east}[i/2])
			} else if i == 4 {
				p.Lat = min(max(d.Center.Lat, geo.Degrees(b.south)), geo.Degrees(b.north))
				p.Lng = min(max(d.Center.Lng, geo.Degrees(b.west)), geo.Degrees(b.east))
			}
			if metres := geo.Distance(d.Center, p); covers && metres > d.Radius*(1+1e-12) || misses && metres <= d.Radius {
				t.Fatalf("%+v covers %+v: %v, misses it: %v, but not %v", d, b, covers, misses, p)
			}
		}
	}
	if covered < 300 || missed < 300 {
		t.Errorf("only %d blocks are covered, %d missed", covered, missed)
	}
}

// What was made up for a demonstration is told apart, also among what was measured.
func TestSurveyTellsWhatIsSynthetic(t *testing.T) {
	s := openStore(t, t.TempDir())
	head := "timestamp,lat,lng,technology,mcc,mnc,rsrp\n"
	imported(t, s, market.FR, write(t, "SYNTHETIC_a.csv", head+"2026-11-20T00:00:00Z,45,4,LTE,208,1,-90\n"))
	imported(t, s, market.FR, write(t, "b.csv", head+"2026-11-20T00:00:01Z,45,4,LTE,208,1,-91\n2026-11-20T00:00:02Z,45,4,LTE,208,10,-92\n"))
	groups, err := s.Survey(Coverage, Query{Market: market.FR})
	if err != nil || len(groups) != 2 {
		t.Fatalf("%+v, %v", groups, err)
	}
	for _, g := range groups {
		if g.Synthetic != (g.Operator == "ORANGE") {
			t.Errorf("%+v", g)
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

func BenchmarkSurvey(b *testing.B) {
	text, _ := dense(points())
	s := openStore(b, b.TempDir())
	imported(b, s, market.FR, write(b, "a.csv", text))
	for _, days := range []int{0, 40} {
		for _, km := range []float64{0.5, 1, 2} {
			b.Run(fmt.Sprint(days, "days", km, "km"), func(b *testing.B) {
				n, used := 0, cpu()
				for b.Loop() {
					groups, err := s.Survey(Coverage, Query{Market: market.FR, Since: since(days), Disc: &geo.Disc{Center: geo.Point{Lat: 45.76, Lng: 4.86}, Radius: km * 1000}})
					if err != nil {
						b.Fatal(err)
					}
					n = groups[0].Count
				}
				b.ReportMetric(float64(n), "points")
				b.ReportMetric(float64(cpu()-used)/1e6/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// The order of a tile's rows has room for whatever a segment may have.
func TestTilesHaveRoom(t *testing.T) {
	if len(technologies) > 1<<6 || maxNetworks > 1<<12 || tileBits > 16 || tileBits+32+6+12 > 64 {
		t.Errorf("%d technologies, %d networks, %d bits of rows", len(technologies), maxNetworks, tileBits)
	}
	for _, m := range market.All {
		if n := (len(m.Operators) + 1) * generations; n > 1<<8 {
			t.Errorf("%s has %d groups", m.Code, n)
		}
	}
	for i, blocks := range tileBlocks {
		if blocks*blockRows > 1<<tileBits || i > 0 && tileBlocks[i-1]%blocks != 0 {
			t.Errorf("tiles of %v blocks", tileBlocks)
		}
	}
}
