package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/fold"
	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

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
			Place:   []string{"", "Le Bouchereaud", "Z.A. du Pré"}[r.IntN(3)],
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
					s.Emissions = append(s.Emissions, site.Emission{Station: k, System: systems[e], Generation: gens[e], Status: r.IntN(3)})
				}
			}
		}
		s.SourceCode = s.Stations[0].Code
		for k := range r.IntN(3) {
			s.Radio = append(s.Radio, site.RadioID{Kind: site.RadioKind(k), Operator: s.Stations[0].Operator, Value: uint64(r.IntN(3000))})
		}
		sites[i] = s
	}
	return sites
}

// load indexes sites; the fragment of a site is its id and a comma.
func load(t testing.TB, code market.Code, sites []site.Site) *Market {
	t.Helper()
	b := snapshot.NewBuilder(market.Get(code), statuses)
	b.SourceDate = "2026-08-27"
	for i := range sites {
		if err := b.Add(&sites[i]); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.snap")
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Load(s, func(*snapshot.Snapshot) Encode {
		return func(dst []byte, s *site.Site) ([]byte, error) { return append(append(dst, s.ID...), ','), nil }
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return m
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
	return f.Operator == Any && f.Generation == Any && f.Status == Any || slices.ContainsFunc(s.Emissions, func(e site.Emission) bool {
		return (f.Operator == Any || s.Stations[e.Station].Operator == f.Operator) &&
			(f.Generation == Any || int(e.Generation) == f.Generation) && (f.Status == Any || e.Status == f.Status)
	})
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
				t.Fatalf("%+v: pages of %d give %d sites, total %d", q, limit, len(list), h.Total)
			}
			if after := m.Find(q, h.Total+5, limit); len(after.Sites) != 0 || after.Total != h.Total {
				t.Fatalf("%+v: past the end: %+v", q, after)
			}
			return list
		}
	}
}

func TestBoxesAndFiltersAgainstAScan(t *testing.T) {
	for _, code := range []market.Code{market.FR, market.DROM} {
		m := load(t, code, register(code, 9001, 5))
		r := rand.New(rand.NewPCG(11, 12))
		found := 0
		for range 400 {
			f := randomFilter(r, m.Table)
			a, b := m.space.position(uint32(r.IntN(m.Len()))), m.space.position(uint32(r.IntN(m.Len())))
			box := geo.Box{South: min(a.Lat, b.Lat), North: max(a.Lat, b.Lat), West: a.Lng, East: b.Lng} // corners on sites; some cross the antimeridian
			want := scan(m, func(s *site.Site) bool { return box.Contains(s.Position) && satisfies(s, f) })
			got := pages(t, m, Query{Filter: f, Box: &box}, 1+r.IntN(3000))
			if !slices.Equal(got, want) {
				t.Fatalf("%v %+v: %d sites, want %d", box, f, len(got), len(want))
			}
			found += len(want)
			want = scan(m, func(s *site.Site) bool { return satisfies(s, f) })
			if got = pages(t, m, Query{Filter: f}, 1000); !slices.Equal(got, want) {
				t.Fatalf("%+v: %d sites, want %d", f, len(got), len(want))
			}
		}
		if found < 10000 {
			t.Errorf("only %d sites were in the boxes", found)
		}
	}
}

func TestDiscsAgainstAScan(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 9001, 6))
	r := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		f := randomFilter(r, m.Table)
		d := geo.Disc{Center: m.space.position(uint32(r.IntN(m.Len()))), Radius: 50000 * r.Float64() * r.Float64()}
		type hit struct {
			id     string
			metres float64
		}
		var want []hit
		for _, id := range scan(m, func(s *site.Site) bool { return satisfies(s, f) }) {
			i, _ := m.ByID(id)
			if metres := geo.Distance(d.Center, m.space.position(i)); metres <= d.Radius {
				want = append(want, hit{id, metres})
			}
		}
		slices.SortStableFunc(want, func(a, b hit) int { return cmp.Compare(a.metres, b.metres) })
		var wantIDs []string
		for _, h := range want {
			wantIDs = append(wantIDs, h.id)
		}
		if got := pages(t, m, Query{Filter: f, Disc: &d}, 1+r.IntN(500)); !slices.Equal(got, wantIDs) {
			t.Fatalf("%v %+v: %v, want %v", d, f, got, wantIDs)
		}
		if f.Area == Any && f.Status != NoStatus {
			var near []string
			for _, n := range m.Nearest(d.Center, len(want), f) {
				near = append(near, m.Snap.ID(int(n.Site)))
			}
			if !slices.Equal(near, wantIDs) {
				t.Fatalf("nearest %d to %v %+v: %v, want %v", len(want), d.Center, f, near, wantIDs)
			}
		}
	}
}

func TestTextAgainstAScan(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 5003, 7))
	for _, q := range []string{"lyon", "LYON", "l", "ly", "rue", "RUE  église", "saint-denis", "denis saint", "hay", "L'Haÿ", "œuilly", "oeuilly",
		"6900", "69003", "107", "zz", "z.a.", "pré", "é", "1 rue", "%", "\u00a0", "lyon\nrue", "Ain", "ain rue lyon", "12 rue de l'église", "ŕue", "日本", "rue 日"} {
		want := scan(m, func(s *site.Site) bool {
			fields := []string{s.ID, s.SourceCode, s.Commune, s.PostalCode, s.Place, s.Address[0], m.Table.Areas[s.Area].Label}
			for _, st := range s.Stations {
				fields = append(fields, st.Code)
			}
			text := fold.String(strings.Join(fields, "\x00"))
			for _, w := range fold.Words(q) {
				if !strings.Contains(text, w) {
					return false
				}
			}
			return true
		})
		if len(fold.Words(q)) == 0 {
			want = scan(m, func(*site.Site) bool { return true })
		}
		if got := pages(t, m, Query{Filter: All, Text: q}, 997); !slices.Equal(got, want) {
			t.Errorf("%q: %d sites, want %d", q, len(got), len(want))
		}
	}
}

func TestSearchRanks(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 2000, 8))
	first := m.Snap.ID(1500)
	h := m.Find(Query{Filter: All, Text: first, Ranked: true}, 0, 5)
	if len(h.Sites) == 0 || ids(m, h.Sites)[0] != first {
		t.Errorf("an id does not come first: %v, want %s", ids(m, h.Sites), first)
	}
	whole := scan(m, func(s *site.Site) bool { return s.Commune == "Lyon" })
	rest := scan(m, func(s *site.Site) bool { return s.Commune == "Lyons-la-Forêt" })
	for name, q := range map[string]Query{"q": {Text: "LYON"}, "commune": {Commune: "lyon"}} {
		q.Filter, q.Ranked = All, true
		if got := pages(t, m, q, 100); !slices.Equal(got, append(slices.Clone(whole), rest...)) {
			t.Errorf("%s: %d sites, want %d of the commune and %d more", name, len(got), len(whole), len(rest))
		}
	}
	for _, tt := range []struct {
		q    Query
		keep func(*site.Site) bool
	}{
		{Query{Commune: "Saint Denis"}, func(s *site.Site) bool { return s.Commune == "Saint-Denis" }},
		{Query{Commune: "denis"}, func(s *site.Site) bool { return false }},
		{Query{Commune: "lyon", PostalCode: "69003"}, func(s *site.Site) bool {
			return strings.HasPrefix(s.Commune, "Lyon") && s.PostalCode == "69003"
		}},
		{Query{PostalCode: "6900"}, func(s *site.Site) bool { return false }},
		{Query{ID: first}, func(s *site.Site) bool { return s.ID == first }},
		{Query{ID: "FR-" + first}, func(s *site.Site) bool { return s.ID == first }},
		{Query{NationalCode: first, Commune: "nowhere"}, func(s *site.Site) bool { return false }},
		{Query{StationCodes: []string{m.Snap.StationCode(77)}}, func(s *site.Site) bool {
			return slices.ContainsFunc(s.Stations, func(st site.Station) bool { return st.Code == m.Snap.StationCode(77) })
		}},
	} {
		tt.q.Filter, tt.q.Ranked = All, true
		got, want := pages(t, m, tt.q, 50), scan(m, tt.keep)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", tt.q, got, want)
		}
	}
}

func TestByID(t *testing.T) {
	sites := register(market.FR, 3000, 9)
	m := load(t, market.FR, sites)
	holders := map[string][]string{}
	for _, s := range sites {
		for _, st := range s.Stations {
			holders[st.Code] = append(holders[st.Code], s.ID)
		}
	}
	for _, s := range sites {
		for _, name := range []string{s.ID, "fr-" + s.ID, "FR-" + s.ID} {
			if i, ok := m.ByID(name); !ok || m.Snap.ID(int(i)) != s.ID {
				t.Fatalf("%s: not found", name)
			}
		}
		for _, st := range s.Stations {
			if i, ok := m.ByID(strings.ToLower(st.Code)); !ok || !slices.Contains(holders[st.Code], m.Snap.ID(int(i))) {
				t.Fatalf("station %s: not found", st.Code)
			}
		}
	}
	for _, name := range []string{"", "1", "fr-", "fr-1", "drom-100", "100 ", "１００", strings.Repeat("1", 500)} {
		if i, ok := m.ByID(name); ok {
			t.Errorf("%q is taken for site %s", name, m.Snap.ID(int(i)))
		}
	}
}

func TestDepartmentsAgainstAScan(t *testing.T) {
	for _, code := range []market.Code{market.FR, market.DROM} {
		m := load(t, code, register(code, 4000, 10))
		for o := Any; o < len(m.Table.Operators); o++ {
			sum := 0
			for area, got := range m.Departments(o) {
				has := func(what func(site.Emission) bool) int {
					return len(scan(m, func(s *site.Site) bool {
						return s.Area == area && slices.ContainsFunc(s.Emissions, func(e site.Emission) bool {
							return (o == Any || s.Stations[e.Station].Operator == o) && what(e)
						})
					}))
				}
				live := func(what func(site.Emission) bool) int {
					return has(func(e site.Emission) bool { return e.Status > 0 && what(e) })
				}
				want := Counts{
					Total:     has(func(site.Emission) bool { return true }),
					FiveG3500: live(func(e site.Emission) bool { return e.System == "5G NR 3500" }),
					FiveG2100: live(func(e site.Emission) bool { return e.System == "5G NR 2100" }),
					FiveG:     live(func(e site.Emission) bool { return e.Generation == site.G5 }),
					FourG:     live(func(e site.Emission) bool { return e.Generation == site.G4 }),
					ThreeG:    live(func(e site.Emission) bool { return e.Generation == site.G3 }),
					InService: has(func(e site.Emission) bool { return e.Status == 2 }),
				}
				want.Operational = has(func(e site.Emission) bool { return e.Status >= 1 }) - want.InService
				want.Projects = want.Total - want.InService - want.Operational
				if got != want {
					t.Fatalf("%s operator %d area %d: %+v, want %+v", code, o, area, got, want)
				}
				sum += got.Total
			}
			if want := len(scan(m, func(s *site.Site) bool { return satisfies(s, Filter{o, Any, Any, Any}) && len(s.Emissions) > 0 })); sum != want {
				t.Errorf("%s operator %d: departments have %d sites, the market %d", code, o, sum, want)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	at := geo.Point{Lat: 48, Lng: 2}
	one := func(id string, radio ...site.RadioID) site.Site {
		return site.Site{ID: id, Position: at, Area: 0, Height: site.Unknown, AntennaHeight: site.Unknown,
			Stations: []site.Station{{Code: id, Operator: 0}, {Code: id + "b", Operator: 1}}, Radio: radio}
	}
	m := load(t, market.FR, []site.Site{
		one("1", site.RadioID{Kind: site.ENB, Operator: 0, Value: 1000}, site.RadioID{Kind: site.GNB, Operator: 0, Value: 1000}),
		one("2", site.RadioID{Kind: site.ENB, Operator: 1, Value: 1000}, site.RadioID{Kind: site.PCI, Operator: 1, Value: 17}),
		one("3", site.RadioID{Kind: site.GNB, Operator: 0, Value: 70000, Bits: 24}),
		one("4", site.RadioID{Kind: site.GNB, Operator: 0, Value: 9000000}),
		one("5", site.RadioID{Kind: site.Cell, Operator: 0, Value: 987654321}),
	})
	every := RadioTypes
	for _, tt := range []struct {
		value    uint64
		types    []RadioType
		operator int
		want     string
	}{
		{1000, []RadioType{LookupENB}, Any, "1 enb, 2 enb"},
		{1000, []RadioType{LookupENB}, 1, "2 enb"},
		{1000, every, Any, "1 enb gnb, 2 enb"},
		{1000<<8 + 3, []RadioType{LookupCI}, Any, "1 ci, 2 ci"},
		{1000<<8 + 3, every, 0, "1 ci cellid"},
		{17, []RadioType{LookupPCI}, Any, "2 pci"},
		{70000<<12 + 5, []RadioType{LookupCI}, Any, "3 ci"}, // 24 bits of gNB: 12 of cell
		{70000<<14 + 5, []RadioType{LookupCI}, Any, ""},
		{9000000<<4 + 1, []RadioType{LookupCI}, Any, "4 ci"}, // length not stated: every length is tried
		{9000000<<12 + 1, []RadioType{LookupCI}, Any, "4 ci"},
		{9000000<<3 + 1, []RadioType{LookupCI}, Any, ""}, // 33 bits are too many
		{987654321, []RadioType{LookupCellID}, Any, "5 cellid"},
		{0, every, Any, ""},
		{1<<36 - 1, every, Any, ""},
	} {
		var got []string
		for _, f := range m.Lookup(tt.value, tt.types, tt.operator) {
			text := m.Snap.ID(int(f.Site))
			for _, typ := range f.Types {
				text += " " + string(typ)
			}
			got = append(got, text)
		}
		slices.Sort(got)
		if g := strings.Join(got, ", "); g != tt.want {
			t.Errorf("%d as %v for %d: %q, want %q", tt.value, tt.types, tt.operator, g, tt.want)
		}
	}
}

func TestFragmentsStandInSiteOrder(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 2*shardSites+3, 15))
	var all []byte
	for at := uint32(0); at < uint32(m.Len()); {
		var text []byte
		text, at = m.FragmentRun(at, uint32(m.Len()))
		all = append(all, text...)
	}
	want := strings.Join(scan(m, func(*site.Site) bool { return true }), ",") + ","
	if string(all) != want {
		t.Errorf("the runs give %d bytes, the sites %d", len(all), len(want))
	}
	if got := string(m.Fragment(shardSites)); got != m.Snap.ID(shardSites)+"," {
		t.Errorf("the first fragment of the second shard is %q", got)
	}
}

func TestEmptyMarket(t *testing.T) {
	m := load(t, market.FR, nil)
	box := geo.Box{South: -90, West: -180, North: 90, East: 180}
	for _, q := range []Query{{}, {Box: &box}, {Disc: &geo.Disc{Radius: 1000}}, {Text: "x"}, {Text: "xyz", Ranked: true}, {Commune: "x"}} {
		q.Filter = All
		if h := m.Find(q, 0, 10); h.Total != 0 || len(h.Sites) != 0 {
			t.Errorf("%+v: %+v", q, h)
		}
	}
	if n := m.Nearest(geo.Point{}, 5, All); len(n) != 0 {
		t.Errorf("nearest: %v", n)
	}
}
