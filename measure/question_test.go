package measure

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/internal/tier"
	"relais/market"
)

var keyOf = map[int]string{1: "ORANGE", 10: "SFR", 15: "FREE", 20: "BOUYGUES"}

var generationOf = map[string]Generation{"LTE": 4, "NR": 5, "4G": 4, "5G": 5, "UMTS": 3, "GSM": 2, "LTE-A": 4,
	"NR NSA": 5}

// matches tests a query on an imported row, by other code than the store's.
func matches(q *Query, m *made, tech Generation) bool {
	p := geo.Point{Lat: m.lat, Lng: m.lng}
	return (q.Box == nil || q.Box.Contains(p)) && (q.Disc == nil || geo.Distance(q.Disc.Center, p) <= q.Disc.Radius) &&
		(q.Among == nil || slices.Contains(q.Among, keyOf[m.mnc])) && (q.MNC == nil || *q.MNC == m.mnc) &&
		(q.MCC == nil || *q.MCC == 208) &&
		(q.Generations == nil || slices.Contains(q.Generations, tech)) && !m.time.Before(q.Since)
}

func randomQuery(r *rand.Rand) Query {
	q := Query{Market: market.FR, Limit: 1 + r.IntN(400)}
	if r.IntN(4) > 0 {
		south, west := 43+r.Float64()*6, -1+r.Float64()*6
		if r.IntN(2) == 0 {
			south, west = 45.7+r.Float64()*0.05, 4.8+r.Float64()*0.05
		}
		size := r.Float64() * []float64{0.05, 0.5, 8}[r.IntN(3)]
		q.Box = &geo.Box{South: south, West: west, North: south + size, East: west + size}
	}
	if r.IntN(4) == 0 {
		q.Disc = &geo.Disc{Center: geo.Point{Lat: 45.75, Lng: 4.85}, Radius: r.Float64() * 5000}
	}
	if r.IntN(3) == 0 {
		q.Among = []string{"ORANGE", "SFR", "FREE", "BOUYGUES"}[r.IntN(4):]
	}
	if r.IntN(5) == 0 {
		mnc := []int{1, 10, 15, 20, 26, 99}[r.IntN(6)]
		q.MNC = &mnc
	}
	if r.IntN(6) == 0 {
		mcc := 208 + r.IntN(2)
		q.MCC = &mcc
	}
	if r.IntN(2) == 0 {
		q.Since = now.Add(-time.Duration(r.IntN(365*86400)) * time.Second / 2)
	}
	if r.IntN(3) == 0 {
		q.Generations = []Generation{2, 3, 4, 5}[r.IntN(4):]
	}
	return q
}

func (m *made) key() string {
	return fmt.Sprintf("%.5f %.5f %d %d", m.lat, m.lng, m.time.Unix(), m.mnc)
}

func (m *Measurement) key() string {
	return fmt.Sprintf("%.5f %.5f %d %d", m.Position.Lat, m.Position.Lng, m.Time.Unix(), m.MNC)
}

// Points are compared with what was imported, and samples with how many of each cell
// there are.
func TestCoverageAgainstBruteForce(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(5, 6))
	list := random(r, 6000)
	s := openStore(t, t.TempDir())
	for i := range 3 { // three segments
		imported(t, s, market.FR, write(t, "coverage.csv", coverageOf(list[i*2000:(i+1)*2000])))
	}
	whole, samples := 0, 0
	rounds := 600
	for range rounds {
		q := randomQuery(r)
		want := map[string]time.Time{}
		for _, m := range list {
			if matches(&q, &m, generationOf[m.tech]) {
				want[m.key()] = m.time
			}
		}
		got, err := s.Coverage(q)
		must(t, err)
		seen := map[string]bool{}
		for _, p := range got {
			if _, ok := want[p.key()]; !ok || seen[p.key()] {
				t.Fatalf("%+v: %s does not match or is there twice", q, p.key())
			}
			seen[p.key()] = true
		}
		if len(got) != min(len(want), q.Limit) {
			t.Fatalf("%+v: %d points, %d match, want %d", q, len(got), len(want), min(len(want), q.Limit))
		}
		if !slices.IsSortedFunc(got, func(a, b Point) int { return b.Time.Compare(a.Time) }) {
			t.Errorf("%+v: points are not ordered by age, want the newest first", q)
		}
		if len(want) <= q.Limit {
			whole++
			continue
		}
		samples++
		even(t, s, &q, list, got)
	}
	if whole < rounds/12 || samples < rounds/12 {
		t.Errorf("%d whole answers and %d samples, want more of both", whole, samples)
	}
}

// even makes sure that a sample takes of each cell the newest, and of no cell two more
// than of one that has more to give.
func even(t *testing.T, s *Store, q *Query, list []made, got []Point) {
	t.Helper()
	g := newGrid(s.view().filters(Coverage, q), q.Limit)
	cell := func(p geo.Point) int { return g.cell(geo.Fix(p.Lat), geo.Fix(p.Lng)) }
	there, taken := map[int][]int64{}, map[int][]int64{}
	for _, m := range list {
		if matches(q, &m, generationOf[m.tech]) {
			c := cell(geo.Point{Lat: m.lat, Lng: m.lng})
			there[c] = append(there[c], m.time.Unix())
		}
	}
	for _, p := range got {
		c := cell(p.Position)
		taken[c] = append(taken[c], p.Time.Unix())
	}
	most := 0
	for _, list := range taken {
		most = max(most, len(list))
	}
	for c, times := range there {
		slices.SortFunc(times, func(a, b int64) int { return cmp.Compare(b, a) })
		if n := len(taken[c]); !slices.Equal(times[:n], taken[c]) {
			t.Errorf("%+v: newest of cell %d are %v, the answer has %v, want the same", q, c, times, taken[c])
		} else if n < most-1 && n < len(times) {
			t.Errorf("%+v: %d of %d rows of cell %d, %d of another cell, want equal shares", q, n, len(times), c, most)
		}
	}
}

// Of a town and a country with as many points, a sample shows the country: each of 25
// parts as well as any other.
func TestSampleIsOfThePlace(t *testing.T) {
	list := random(rand.New(rand.NewPCG(7, 8)), 20000)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "coverage.csv", coverageOf(list)))
	got, err := s.Coverage(Query{Market: market.FR, Limit: 1000,
		Box: &geo.Box{South: 43, West: -1, North: 50, East: 6}})
	if err != nil || len(got) != 1000 {
		t.Fatalf("%d points, %v, want 1000", len(got), err)
	}
	parts := map[[2]int]int{}
	for _, p := range got {
		parts[[2]int{int((p.Position.Lat - 43) / 7 * 5), int((p.Position.Lng + 1) / 7 * 5)}]++
	}
	for x := range 5 {
		for y := range 5 {
			if n := parts[[2]int{x, y}]; n < 25 || n > 60 {
				t.Errorf("part %d, %d has %d of 1000 points, want 25 to 60", x, y, n)
			}
		}
	}
}

// Of places far from each other, a sample shows each as it is: all hundred towns of
// one, though another one is a quarter of the globe away.
func TestSampleOfIslands(t *testing.T) {
	var b strings.Builder
	b.WriteString(coverageHead)
	for island, at := range []geo.Point{{Lat: 16, Lng: -61.5}, {Lat: -21, Lng: 54.5}} {
		for town := range 100 {
			for i := range 50 { // the first towns were measured last
				fmt.Fprintf(&b, "a,%s,%.5f,%.5f,-60,%d,,LTE,CELLULAR,340,%d,,,,\n",
					now.Add(-time.Duration(town)*time.Hour).Format(time.RFC3339),
					at.Lat+float64(town/10)*0.2+float64(i)*1e-4, at.Lng+float64(town%10)*0.2, -80-i, 1+island)
			}
		}
	}
	s := openStore(t, t.TempDir())
	imported(t, s, market.DROM, write(t, "coverage.csv", strings.ReplaceAll(b.String(), "340,2,", "647,10,")))
	got, err := s.Coverage(Query{Market: market.DROM, Limit: 600})
	if err != nil || len(got) != 600 {
		t.Fatalf("%d points, %v, want 600", len(got), err)
	}
	towns := map[[2]int]int{}
	for _, p := range got {
		towns[[2]int{int(math.Round(p.Position.Lat * 5)), int(math.Round(p.Position.Lng * 5))}]++
	}
	for town, n := range towns {
		if len(towns) != 200 || n < 2 || n > 6 {
			t.Fatalf("%d towns of 200, %v with %d of 600 points, want all with 2 to 6", len(towns), town, n)
		}
	}
}

func TestQueriesThatCannotBe(t *testing.T) {
	s := openStore(t, t.TempDir())
	for _, q := range []Query{{Market: "XX", Limit: 1}, {Market: market.FR}, {Market: market.FR, Limit: maxLimit + 1}} {
		if _, err := s.Coverage(q); err == nil {
			t.Errorf("Coverage(%+v) = nil error, want one", q)
		}
		if _, _, err := s.Speedtests(q); err == nil {
			t.Errorf("Speedtests(%+v) = nil error, want one", q)
		}
	}
	if got, err := s.Coverage(Query{Market: market.FR, Limit: 1}); err != nil || got == nil || len(got) != 0 {
		t.Errorf("Coverage() of an empty store = %v, %v, want no points", got, err)
	}
}

func TestTechnologies(t *testing.T) {
	for _, tt := range []struct {
		name string
		want Generation
	}{
		{"2g", 2},
		{"GSM", 2},
		{"edge", 2},
		{"3G", 3},
		{"HSPA+", 3},
		{"td-scdma", 3},
		{"LTE", 4},
		{"lte_ca", 4},
		{"4G+", 4},
		{"NR", 5},
		{"5g", 5},
		{"5G NSA", 5},
		{"nr-sa", 5},
		{"", 0},
		{"6G", 0},
		{"WIFI", 0},
		{"LTELTELTELTELTELTELTE", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, g, ok := Technologies(tt.name); g != tt.want || ok != (tt.want > 0) {
				t.Errorf("Technologies(%q) = generation %d, %v, want %d", tt.name, g, ok, tt.want)
			}
		})
	}
}

func TestInferMCC(t *testing.T) {
	for _, tt := range []struct {
		code market.Code
		want int // 0: none
	}{{market.FR, 208}, {market.CA, 302}, {market.CH, 228}, {market.DROM, 0}, {market.PT, 0}, {"XX", 0}} {
		if got, ok := InferMCC(tt.code); got != tt.want || ok != (tt.want > 0) {
			t.Errorf("InferMCC(%s) = %d, %t, want %d", tt.code, got, ok, tt.want)
		}
	}
}

// The fixed points of a box are those that the box holds.
func TestFixedBox(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 20000 {
		lat, lng := int32(r.IntN(1800000001)-900000000), int32(r.IntN(3600000001)-1800000000)
		edge := func(v int32) float64 {
			return geo.Degrees(v) + float64(r.IntN(3)-1)*[]float64{0, 1e-7, 1e-12, 0.4e-7}[r.IntN(4)]
		}
		b := geo.Box{South: edge(lat), North: edge(lat) + 1e-7*float64(r.IntN(3)), West: edge(lng),
			East: edge(lng) + 1e-7*float64(r.IntN(3)-1)}
		for _, d := range []int32{-1, 0, 1, 2} {
			want := b.Contains(geo.Point{Lat: geo.Degrees(lat + d), Lng: geo.Degrees(lng + d)})
			got := slices.ContainsFunc(fixedBoxes(b), func(r rectangle) bool { return r.holds(lat+d, lng+d) })
			if in := lat+d >= -90e7 && lat+d <= 90e7 && lng+d >= -180e7 && lng+d <= 180e7; in && got != want {
				t.Fatalf("%v holds %d, %d: %v, want %v", b, lat+d, lng+d, got, want)
			}
		}
	}
}
