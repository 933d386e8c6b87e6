package catalog

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/radio"
	"relais/site"
)

// cellTown is sites within some kilometres, each of two of four operators, that share few identifiers.
func cellTown(random *rand.Rand) (sites []site.Site) {
	for i := range 120 {
		s := site.Site{ID: fmt.Sprint(1000 + i), Area: -1,
			Position: geo.Point{Lat: 46 + 0.2*random.Float64(), Lng: 3 + 0.3*random.Float64()}}
		for k, o := range random.Perm(4)[:2] {
			s.Stations = append(s.Stations, site.Station{Code: fmt.Sprint(s.ID, k), Operator: o})
			s.Emissions = append(s.Emissions, site.Emission{Station: k, System: "LTE 800", Generation: site.G4, Status: random.IntN(3)})
			eNB := uint64(1 + random.IntN(40))
			s.Radio = append(s.Radio, []site.RadioID{{Kind: site.ENB, Operator: o, Value: eNB},
				{Kind: site.Cell, Operator: o, Value: eNB<<8 | 1}, {Kind: site.GNB, Operator: o, Value: 70000 + eNB, Bits: 24},
				{Kind: site.GNB, Operator: o, Value: 70000 + eNB}}[random.IntN(4)],
				site.RadioID{Kind: site.PCI, Operator: o, Value: uint64(random.IntN(8))})
		}
		sites = append(sites, s)
	}
	return sites
}

// has reports whether an identifier of a site may be one of a phone.
func has(x radio.Identifier, id site.RadioID) bool {
	switch id.Kind {
	case site.ENB:
		return x.Generation != site.G5 && (!x.Cell && id.Value == x.Value || x.Cell && x.Value < 1<<28 && id.Value == x.Value/256)
	case site.Cell:
		return x.Cell && id.Value == x.Value
	case site.GNB:
		for bits := 22; bits <= 32; bits++ {
			if x.Generation != site.G4 && x.Cell && (id.Bits == 0 || int(id.Bits) == bits) && x.Value>>(36-bits) == id.Value {
				return true
			}
		}
		return x.Generation != site.G4 && !x.Cell && id.Value == x.Value
	}
	return false
}

// Candidates are those that a look at every site finds, in the order of their scores.
func TestCandidates(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	m := indextest.Market(t, market.FR, cellTown(random)...)
	c := &Catalog{Set: index.NewSet([]*index.Market{m}, nil)}
	foreign, certain := 0, 0
	for range 400 {
		q := randomCell(random)
		all, err := c.Candidates(q)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint32
		for i, f := range all {
			if got = append(got, f.At); f.Foreign {
				foreign++
			}
			if i > 0 && f.Score.Points > all[i-1].Score.Points {
				t.Errorf("%+v: %v points after %v", q, f.Score.Points, all[i-1].Score.Points)
			}
		}
		if q.Certain(all) {
			certain++
		}
		slices.Sort(got)
		if want := everyCandidate(m, &q); !slices.Equal(got, want) {
			t.Errorf("%+v: got %v, want %v", q, got, want)
		}
	}
	if foreign == 0 || certain == 0 {
		t.Errorf("%d are foreign and %d certain: the test shows nothing of them", foreign, certain)
	}
}

// randomCell makes a question that names few sites or none.
func randomCell(random *rand.Rand) Cell {
	q := Cell{Nearest: random.IntN(4)}
	if random.IntN(2) == 0 {
		q.Market, q.Operators = market.Get(market.FR), index.Choice{random.IntN(4)}
	}
	eNB, g := uint64(1+random.IntN(50)), []site.Generation{0, site.G4, site.G5}[random.IntN(3)]
	switch q.Phone.Generation = g; random.IntN(5) {
	case 0:
		q.Phone.Identifiers = []radio.Identifier{{Generation: g, Value: eNB}}
	case 1:
		q.Phone.Identifiers = []radio.Identifier{{Cell: true, Generation: g, Value: eNB<<8 | uint64(random.IntN(2))}}
	case 2:
		q.Phone.Identifiers = []radio.Identifier{{Generation: site.G4, Value: eNB},
			{Cell: true, Generation: site.G5, Value: (70000+eNB)<<12 | 1}}
	case 3:
		q.Phone.Identifiers = []radio.Identifier{{Generation: g, Value: 70000 + eNB}}
	}
	if random.IntN(3) > 0 {
		q.Phone.Position = &geo.Point{Lat: 46 + 0.2*random.Float64(), Lng: 3 + 0.3*random.Float64()}
		q.Radius = 8000 * float64(random.IntN(3))
	}
	if random.IntN(2) == 0 {
		q.Phone.PCI = new(uint64(random.IntN(8)))
	}
	return q
}

// everyCandidate looks at every site of a market.
func everyCandidate(m *index.Market, q *Cell) (want []uint32) {
	var near []index.Near
	named := func(operators index.Choice, is func(site.RadioID) bool) (list []uint32) {
		for at := range uint32(m.Len()) {
			var s site.Site
			m.Site(at, &s)
			if slices.ContainsFunc(s.Radio, func(id site.RadioID) bool {
				return is(id) && (operators == nil || slices.Contains(operators, id.Operator))
			}) {
				list = append(list, at)
			}
		}
		return list
	}
	identifies := func(id site.RadioID) bool {
		return slices.ContainsFunc(q.Phone.Identifiers, func(x radio.Identifier) bool { return has(x, id) })
	}
	if want = named(q.Operators, identifies); len(want) == 0 {
		want = named(nil, identifies)
	}
	if q.Phone.Position == nil || q.Radius == 0 {
		return want
	}
	away := func(at uint32) float64 { return geo.Distance(*q.Phone.Position, m.Position(at)) }
	for at := range uint32(m.Len()) {
		if away(at) <= q.Radius && (q.Operators == nil || m.Has(at, q.Operators[0])) {
			near = append(near, index.Near{Site: at, Metres: away(at)})
		}
	}
	slices.SortFunc(near, func(a, b index.Near) int { return cmp.Compare(a.Metres, b.Metres) })
	for _, n := range near[:min(len(near), q.Nearest)] {
		want = append(want, n.Site)
	}
	for _, at := range named(q.Operators, func(id site.RadioID) bool {
		return q.Phone.PCI != nil && id.Kind == site.PCI && id.Value == *q.Phone.PCI
	}) {
		if away(at) <= q.Radius {
			want = append(want, at)
		}
	}
	slices.Sort(want)
	return slices.Compact(want)
}

// The order of few sites and their scores, by hand.
func TestCandidatesRanked(t *testing.T) {
	const sfr, orange = 0, 2
	near, far := geo.Point{Lat: 46, Lng: 3}, geo.Point{Lat: 46.27, Lng: 3} // 30 km to the north
	south := geo.Point{Lat: 45.2, Lng: 3}                                  // 89 km from near, 119 km from far
	farSouth := geo.Point{Lat: 44, Lng: 3}
	newSite := func(id string, at geo.Point, radio ...site.RadioID) site.Site {
		s := site.Site{ID: id, Area: -1, Position: at, Radio: radio,
			Stations: []site.Station{{Code: id + "o", Operator: orange}, {Code: id + "s", Operator: sfr}}}
		for k := range s.Stations {
			s.Emissions = append(s.Emissions,
				site.Emission{Station: k, System: "5G NR 3500", Generation: site.G5, Status: 2 * k}) // ORANGE only plans it
		}
		return s
	}
	gnb := func(value uint64, bits uint8) site.RadioID {
		return site.RadioID{Kind: site.GNB, Operator: orange, Value: value, Bits: bits}
	}
	m := indextest.Market(t, market.FR,
		newSite("far", far, gnb(70000, 24)),
		newSite("near", near, gnb(70000, 0), site.RadioID{Kind: site.PCI, Operator: orange, Value: 5}),
		newSite("lte", near, site.RadioID{Kind: site.ENB, Operator: orange, Value: 1009}))
	c := &Catalog{Set: index.NewSet([]*index.Market{m}, nil)}
	nci := []radio.Identifier{{Cell: true, Generation: site.G5, Value: 70000<<12 | 1}}
	five := uint64(5)
	for _, tt := range []struct {
		name  string
		phone radio.Phone
		want  string
	}{
		// 45 and 20 of 50
		{"what is stated before what is possible", radio.Phone{Identifiers: nci}, "far 90 near 40"},
		// 45+0.48 of 80+10 without a sector, and 20+15+15
		{"unless the place and the PCI speak against it", radio.Phone{Identifiers: nci, Position: &near, PCI: &five},
			"near 55.6 far 50.5"},
		// 20+0.17 and 45+0.13 of 75
		{"what no cell reaches comes last", radio.Phone{Identifiers: nci, Position: &south}, "near 26.9 far 60.2"},
		// 45+0.07 and 20+0.08 of 75
		{"where any is reached", radio.Phone{Identifiers: nci, Position: &farSouth}, "far 60.1 near 26.8"},
		// (45+3) and (20+3) of 60, for SFR it would be 10 of 60
		{"the operator that has the identifier counts", radio.Phone{Identifiers: nci, Generation: site.G5},
			"far 80 near 38.3"},
		{"a cell of 4G is not one of a gNB", radio.Phone{Identifiers: []radio.Identifier{
			{Cell: true, Generation: site.G4, Value: 70000 << 4}}}, ""},
		{"nor one of 5G of an eNB", radio.Phone{Identifiers: []radio.Identifier{
			{Cell: true, Generation: site.G5, Value: 1009 << 8}}}, ""},
		{"but a phone in 5G may show its anchor", radio.Phone{Identifiers: []radio.Identifier{
			{Cell: true, Value: 1009 << 8}}, Generation: site.G5}, "lte 80"}, // 45+3 of 60
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, err := c.Candidates(Cell{Phone: tt.phone})
			got := ""
			for _, f := range all {
				got += fmt.Sprint(" ", m.Snap.ID(int(f.At)), " ", f.Score.Points)
			}
			if got = strings.TrimSpace(got); err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
