package measure

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
	"relais/site/observation"
)

// better is the order of the API: average speed, download speed, the newest.
func better(a, b made) int {
	return cmp.Or(cmp.Compare(b.mean, a.mean), cmp.Compare(b.down, a.down), b.time.Compare(a.time))
}

func newer(a, b made) int { return b.time.Compare(a.time) }

func TestSpeedtestsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	list := random(r, 3000)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", testsOf(list[:1000])), write(t, "b.csv", testsOf(list[1000:])))
	for range 600 {
		q := randomQuery(r)
		q.Best = r.IntN(3) == 0
		var want []made
		for _, m := range list {
			if matches(&q, &m, 4) {
				want = append(want, m)
			}
		}
		slices.SortFunc(want, newer)
		if q.Best {
			slices.SortFunc(want, better)
		}
		got, total, err := s.Speedtests(q)
		if err != nil || total != len(want) {
			t.Fatalf("%+v: %d match, want %d (%v)", q, total, len(want), err)
		}
		if n := min(len(want), q.Limit); q.Best && len(got) != min(1, n) || !q.Best && len(got) != n {
			t.Fatalf("%+v: got %d tests, want %d, or the best of them", q, len(got), n)
		}
		for i := range got {
			if got[i].key() != want[i].key() || got[i].Average != want[i].mean || got[i].Download != want[i].down {
				t.Fatalf("%+v: at %d %s, want %s", q, i, got[i].key(), want[i].key())
			}
		}
	}
}

// Pages of speedtests with mostly equal times are parts of one list.
func TestSpeedtestsOfOneMoment(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	list := random(r, 6000)
	for i := range list {
		list[i].time = now.Add(-time.Duration(r.IntN(12)) * time.Hour)
		list[i].mnc = []int{1, 10}[r.IntN(2)]
	}
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", testsOf(list[:2500])), write(t, "b.csv", testsOf(list[2500:])))
	for _, q := range []Query{{Market: market.FR}, {Market: market.FR, Among: []string{"SFR"}},
		{Market: market.FR, Disc: &geo.Disc{Center: geo.Point{Lat: 45.75, Lng: 4.85}, Radius: 3000}}} {
		want := map[string]int{}
		n := 0
		for _, m := range list {
			if matches(&q, &m, 4) {
				want[m.key()]++
				n++
			}
		}
		q.Limit = maxLimit
		whole, total, err := s.Speedtests(q)
		if err != nil || total != n || len(whole) != min(n, maxLimit) {
			t.Fatalf("%d tests of %d, want %d (%v)", len(whole), total, n, err)
		}
		if !slices.IsSortedFunc(whole, func(a, b Test) int { return b.Time.Compare(a.Time) }) {
			t.Error("speedtests are not ordered by age, want the newest first")
		}
		for q.Offset = 0; q.Offset < len(whole); q.Offset += q.Limit {
			q.Limit = 1 + r.IntN(400)
			page, _, err := s.Speedtests(q)
			if err != nil || !slices.EqualFunc(page, whole[q.Offset:min(q.Offset+q.Limit, len(whole))],
				func(a, b Test) bool { return a.ID == b.ID }) {
				t.Fatalf("%d at %d: got %v, %v, want that part of the %d", q.Limit, q.Offset, page, err, len(whole))
			}
			for _, x := range page {
				if want[x.key()]--; want[x.key()] < 0 {
					t.Fatalf("%s does not match or is there twice", x.key())
				}
			}
		}
	}
}

// The tests of ten thousand random sites, with or without base stations.
func TestSitesAgainstBruteForce(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(25, 26))
	list := random(r, 800)
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "speedtests.csv", testsOf(list)))
	orange, _ := market.Get(market.FR).Operator("ORANGE")
	sfr, _ := market.Get(market.FR).Operator("SFR")
	named, around, none := 0, 0, 0
	rounds := 10000
	for range rounds {
		q := SiteQuery{Query: Query{Market: market.FR, Limit: 1 + r.IntN(5), Best: r.IntN(2) == 0, Offset: r.IntN(3)}}
		near := list[r.IntN(len(list))]
		q.Center = &geo.Point{Lat: near.lat + r.NormFloat64()*0.01, Lng: near.lng + r.NormFloat64()*0.01}
		for range r.IntN(3) {
			id := site.RadioID{Kind: site.ENB, Operator: []int{-1, orange, sfr}[r.IntN(3)],
				Value: uint64(1000 + r.IntN(600))}
			if r.IntN(8) == 0 {
				id.Kind = site.GNB
			}
			q.Radio = append(q.Radio, id)
		}
		if r.IntN(3) == 0 {
			q.Operators = []string{"FREE", "ORANGE"}
		}
		if r.IntN(3) == 0 {
			q.Among = []string{"SFR"}
		}
		var want []made
		for _, m := range list {
			if matches(&q.Query, &m, 4) && slices.ContainsFunc(q.Radio, func(id site.RadioID) bool {
				return id.Kind == site.ENB && int(id.Value) == m.enb &&
					(id.Operator < 0 || market.Get(market.FR).Operators[id.Operator].Key == keyOf[m.mnc])
			}) {
				want = append(want, m)
			}
		}
		if named++; len(want) == 0 {
			named--
			for _, m := range list {
				if matches(&q.Query, &m, 4) && geo.Distance(*q.Center, geo.Point{Lat: m.lat, Lng: m.lng}) <= 1000 &&
					(q.Operators == nil || slices.Contains(q.Operators, keyOf[m.mnc])) {
					want = append(want, m)
				}
			}
			if around++; len(want) == 0 {
				none++
			}
		}
		slices.SortFunc(want, newer)
		page := want[min(q.Offset, len(want)):min(q.Offset+q.Limit, len(want))]
		if q.Best && len(want) > 0 {
			slices.SortFunc(want, better)
			page = want[:1]
		}
		got, total, err := s.SpeedtestsOfSite(q)
		if err != nil || total != len(want) || len(got) != len(page) {
			t.Fatalf("%+v: %d of %d tests, want %d of %d (%v)", q, len(got), total, len(page), len(want), err)
		}
		for i := range got {
			if got[i].key() != page[i].key() {
				t.Fatalf("%+v: at %d %s, want %s", q, i, got[i].key(), page[i].key())
			}
		}
	}
	if named < rounds/20 || around-none < rounds/20 || none < rounds/100 {
		t.Errorf("%d sites with tests that name them, %d with tests around, %d without, want more", named, around-none,
			none)
	}
}

// A gNB is found in an NCI by how many of its bits are the base station's, where that is
// not stated by any number of them, but only when nothing is certain; an eNB in an ECI
// always.
func TestNodesInCells(t *testing.T) {
	const nci = 4886718336
	text := testHead +
		"a,2026-11-01T00:00:00Z,45,4,1,,,,,208,1,,5G,,,,4886718336,,,,\n" +
		"b,2026-11-02T00:00:00Z,45,4,1,,,,,208,1,,4G,,,,256002,,,,\n" +
		"c,2026-11-03T00:00:00Z,45,4,1,,,,,208,1,,5G,,,77,4886718336,,,,\n" +
		"d,2026-11-04T00:00:00Z,45,4,1,,,,,208,1,,5G,,,,19712,,,,\n" // 77<<8: may be of 77
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "speedtests.csv", text))
	orange, _ := market.Get(market.FR).Operator("ORANGE")
	for _, tt := range []struct {
		kind     site.RadioKind
		operator int
		value    uint64
		bits     uint8
		want     string // days of November
	}{
		{site.GNB, -1, nci >> 11, 25, "1"}, {site.GNB, -1, nci >> 12, 24, "1"}, {site.GNB, -1, nci >> 11, 24, ""},
		{site.GNB, -1, nci >> 11, 0, "1"}, {site.GNB, -1, nci >> 4, 0, "1"}, {site.GNB, -1, nci >> 14, 0, "1"},
		{site.GNB, -1, nci >> 3, 0, ""}, {site.GNB, -1, nci >> 15, 0, ""},
		{site.GNB, -1, 77, 0, "3"}, {site.GNB, orange, 77, 28, "4 3"}, {site.GNB, orange + 1, 77, 0, ""},
		{site.ENB, -1, 1000, 0, "2"}, {site.ENB, orange, 1000, 0, "2"}, {site.ENB, orange + 1, 1000, 0, ""},
		{site.Cell, orange, nci, 0, "3 1"}, {site.Cell, orange, 256002, 0, "2"}, {site.Cell, orange, 256003, 0, ""},
		{site.PCI, -1, 77, 0, ""},
		{site.ENB, -1, 0, 0, ""}, {site.GNB, -1, 0, 0, ""}, {site.GNB, -1, 5, 255, ""},
	} {
		id := site.RadioID{Kind: tt.kind, Operator: tt.operator, Value: tt.value, Bits: tt.bits}
		tests, _, err := s.SpeedtestsOfSite(SiteQuery{Query: Query{Market: market.FR, Limit: 5},
			Radio: []site.RadioID{id}})
		var days []string
		for _, x := range tests {
			days = append(days, fmt.Sprint(x.Time.Day()))
		}
		if got := strings.Join(days, " "); got != tt.want || err != nil {
			t.Errorf("%+v: tests of %q, want %q (%v)", id, got, tt.want, err)
		}
	}
}

// What measures say of cells: an eNB of an ECI, whatever the technology; the NCI and the
// gNB of 5G; rows without an operator or an identifier are left out.
func TestCellObservations(t *testing.T) {
	text := testHead +
		"a,2026-11-01T00:00:00Z,45,4,1,,,,,208,1,,5G,,,,4886718336,12,,,\n" +
		"b,2026-11-02T00:00:00Z,45,4,1,,,,,208,1,,4G,,,,256002,0,,,\n" +
		"c,2026-11-03T00:00:00Z,45,4,1,,,,,208,10,,5G,,2000,77,512003,900,,,\n" +
		"d,2026-11-04T00:00:00Z,45,4,1,,,,,208,10,,4G,,3000,,,,,,\n" +
		"e,2026-11-05T00:00:00Z,45,4,1,,,,,208,77,,4G,,3000,,,,,,\n" +
		"f,2026-11-06T00:00:00Z,45,4,1,,,,,208,1,,3G,,,,70000,,,,\n" +
		"g,2026-11-07T00:00:00Z,45,4,1,,,,,208,1,,4G,,,,,,,,\n"
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "speedtests.csv", text))
	at := func(key string) int {
		i, ok := market.Get(market.FR).Operator(key)
		if !ok {
			t.Fatalf("operator %s is unknown", key)
		}
		return i
	}
	var seen []observation.Cell
	for c, p := range s.CellObservations(market.FR) {
		if (p != geo.Point{Lat: 45, Lng: 4}) {
			t.Errorf("observation %+v at %v, want it at 45, 4", c, p)
		}
		seen = append(seen, c)
	}
	slices.SortFunc(seen, func(a, b observation.Cell) int { return cmp.Compare(a.Node, b.Node) })
	want := []observation.Cell{
		{Operator: at("ORANGE"), NR: true, ID: 4886718336, PCI: 12},
		{Operator: at("SFR"), NR: true, Node: 77, PCI: 900},
		{Operator: at("ORANGE"), Node: 1000, ID: 256002, PCI: 0},
		{Operator: at("SFR"), Node: 2000, ID: 512003, PCI: -1},
		{Operator: at("SFR"), Node: 3000, PCI: -1},
	}
	if !slices.Equal(seen, want) {
		t.Errorf("%+v\nwant %+v", seen, want)
	}
	for range s.CellObservations(market.FR) {
		break
	}
}
