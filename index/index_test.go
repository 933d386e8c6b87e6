package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"relais/geo"
	"relais/internal/errtest"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

var statuses = []string{"Projet approuvé", "Techniquement opérationnel", "En service"}

var communes = []string{"Lyon", "Lyons-la-Forêt", "Saint-Denis", "L'Haÿ-les-Roses", "Œuilly", ""}

// register makes n sites of a market, dense in a few places, some of them at
// one and the same position.
func register(code market.Code, n int, seed uint64) []site.Site {
	r := rand.New(rand.NewPCG(seed, 1))
	m := market.Get(code)
	systems := []string{"GSM 900", "UMTS 2100", "LTE 800", "LTE 2600", "5G NR 2100", "5G NR 3500"}
	gens := []site.Generation{site.G2, site.G3, site.G4, site.G4, site.G5, site.G5}
	sites := make([]site.Site, n)
	for i := range sites {
		town := r.IntN(8)
		s := site.Site{
			ID: fmt.Sprint(100 + i*7), Area: r.IntN(len(m.Areas)),
			Position: geo.Point{
				Lat: m.Box.South + (m.Box.North-m.Box.South)*(float64(town)+r.Float64()*r.Float64())/9,
				Lng: m.Box.West + (m.Box.East-m.Box.West)*(float64(town*3%8)+r.Float64()*r.Float64())/9},
			Commune: communes[r.IntN(len(communes))], PostalCode: fmt.Sprintf("%05d", 69000+r.IntN(9)),
			Place:   []string{"", "Le Bouchereaud", "Z.A. du Pré ~~~ €"}[r.IntN(3)],
			Address: [3]string{fmt.Sprintf("%d rue de l'Église", r.IntN(200)), "", ""},
			Height:  site.Unknown, AntennaHeight: site.Unknown,
		}
		if i > 0 && r.IntN(20) == 0 {
			s.Position = sites[i-1].Position
		}
		for k := range 1 + r.IntN(3) {
			code := fmt.Sprintf("%03d%03d%04d", s.Area, k, i)
			if k == 0 && i > 0 && r.IntN(50) == 0 { // a station that spans two supports
				code = sites[i-1].Stations[0].Code
			}
			s.Stations = append(s.Stations, site.Station{Code: code, Operator: r.IntN(len(m.Operators))})
			for e := range systems {
				if r.IntN(3) == 0 {
					s.Emissions = append(s.Emissions,
						site.Emission{Station: k, System: systems[e], Generation: gens[e], Status: r.IntN(3)})
				}
			}
		}
		s.SourceCode = s.Stations[0].Code
		for range r.IntN(3) {
			id := site.RadioID{Kind: site.RadioKind(r.IntN(site.RadioKinds)), Operator: s.Stations[0].Operator,
				Value: uint64(r.IntN(1000))}
			if id.Kind == site.GNB {
				id.Bits = []uint8{0, 22, 24, 32}[r.IntN(4)]
			}
			s.Radio = append(s.Radio, id)
		}
		sites[i] = s
	}
	return sites
}

// write writes sites to a snapshot file at path.
func write(t testing.TB, path string, code market.Code, sites []site.Site) {
	t.Helper()
	b := snapshot.NewBuilder(market.Get(code), statuses)
	b.SourceDate = "2026-08-27"
	for i := range sites {
		must(t, b.Add(&sites[i]))
	}
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
}

// load indexes sites.
func load(t testing.TB, code market.Code, sites []site.Site) *Market {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.snap")
	write(t, path, code, sites)
	s, err := snapshot.ReadFile(path, code)
	must(t, err)
	m, err := Load(s, idEncoder, time.Now())
	must(t, err)
	return m
}

// idEncoder makes the fragment of a site its id and a comma.
func idEncoder(*snapshot.Snapshot) Encode {
	return func(dst []byte, s *site.Site) []byte { return append(append(dst, s.ID...), ',') }
}

// ids returns the ids of sites of m.
func ids(m *Market, sites []uint32) []string {
	list := make([]string, len(sites))
	for i, s := range sites {
		list[i] = m.Snap.ID(int(s))
	}
	return list
}

// scan returns the ids of the sites that keep accepts, in the order of m.
func scan(m *Market, keep func(*site.Site) bool) (list []string) {
	var s site.Site
	for i := range m.Len() {
		if m.Site(uint32(i), &s); keep(&s) {
			list = append(list, s.ID)
		}
	}
	return list
}

// satisfies is what a filter means, said in another way than the index does.
func satisfies(s *site.Site, f Filter) bool {
	if f.Area != Any && s.Area != f.Area {
		return false
	}
	in := func(list []int, v int) bool { return list == nil || slices.Contains(list, v) }
	var c Choices
	if f.OneOf != nil {
		c = *f.OneOf
	}
	if f.Operator == Any && f.Generation == Any && f.Status == Any && f.OneOf == nil {
		return true
	}
	var selected []site.Emission
	for _, e := range s.Emissions {
		if in(c.Operators, s.Stations[e.Station].Operator) && in(c.Generations, int(e.Generation)) &&
			in(c.Statuses, e.Status) && in(c.Systems, e.Order) &&
			(f.Operator == Any || s.Stations[e.Station].Operator == f.Operator) &&
			(f.Generation == Any || int(e.Generation) == f.Generation) && (f.Status == Any || e.Status == f.Status) {
			selected = append(selected, e)
		}
	}
	for _, also := range c.Together {
		if !slices.ContainsFunc(selected, func(e site.Emission) bool {
			return in(also.Operators, s.Stations[e.Station].Operator) && in(also.Generations, int(e.Generation)) &&
				in(also.Systems, e.Order)
		}) {
			return false
		}
	}
	return len(selected) > 0
}

func randomFilter(r *rand.Rand, m *market.Market) Filter {
	f := All
	if r.IntN(2) == 0 {
		f.Operator = r.IntN(len(m.Operators))
	}
	if r.IntN(2) == 0 {
		f.Generation = 1 + r.IntN(5)
	}
	if r.IntN(3) == 0 {
		f.Status = r.IntN(5) - 2
	}
	if r.IntN(4) == 0 {
		f.Area = r.IntN(len(m.Areas))
	}
	if r.IntN(2) == 0 {
		choice := func(n int) (c Choice) {
			if r.IntN(2) == 0 {
				return nil
			}
			for c = (Choice{}); r.IntN(3) > 0; {
				c = append(c, r.IntN(n))
			}
			return c
		}
		f.OneOf = &Choices{
			Operators: choice(len(m.Operators)), Generations: choice(6), Statuses: choice(4),
			Systems: append(choice(6), r.IntN(6)),
		}
		for r.IntN(3) == 0 {
			f.OneOf.Together = append(f.OneOf.Together, Choices{Operators: choice(len(m.Operators)), Generations: choice(6),
				Systems: choice(6)})
		}
	}
	return f
}

// pages walks a query page by page and returns all that it answers.
func pages(t *testing.T, m *Market, q Query, limit int) (list []string) {
	t.Helper()
	for offset := 0; ; offset += limit {
		h := m.Find(q, offset, limit)
		list = append(list, ids(m, h.Sites)...)
		if offset+limit >= h.Total {
			if len(list) != h.Total {
				t.Fatalf("%+v: pages of %d have %d sites, want the total of %d", q, limit, len(list), h.Total)
			}
			for _, past := range []int{h.Total, h.Total + 5, math.MaxInt} {
				if after := m.Find(q, past, limit); len(after.Sites) != 0 || len(after.Metres) != 0 ||
					after.Total != h.Total {
					t.Fatalf("%+v: page from %d = %+v, want an empty one with the total %d", q, past, after, h.Total)
				}
			}
			return list
		}
	}
}
