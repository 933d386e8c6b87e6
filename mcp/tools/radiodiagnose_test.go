package tools

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/internal/tier"
	"relais/market"
	"relais/radio"
	"relais/site"
)

// apart is the distance of two points by the chord between them.
func apart(a, b geo.Point) float64 {
	v := func(p geo.Point) (x, y, z float64) {
		lat, lng := p.Lat*math.Pi/180, p.Lng*math.Pi/180
		return math.Cos(lat) * math.Cos(lng), math.Cos(lat) * math.Sin(lng), math.Sin(lat)
	}
	ax, ay, az := v(a)
	bx, by, bz := v(b)
	return 2 * geo.EarthRadius * math.Asin(math.Sqrt((ax-bx)*(ax-bx)+(ay-by)*(ay-by)+(az-bz)*(az-bz))/2)
}

var generationOf = map[string]site.Generation{"LTE": site.G4, "NR": site.G5, "GSM": site.G2, "UMTS": site.G3}

// names are the base stations that a row names, "enb 12", and the cell where it names no
// base station of it.
func (x *radioRow) names() (list []string) {
	enb := x.enb
	if x.tech == "LTE" && enb == 0 {
		enb = x.cell / 256
	}
	if enb != 0 {
		list = append(list, fmt.Sprint("enb ", enb))
	}
	switch {
	case x.gnb != 0:
		list = append(list, fmt.Sprint("gnb ", x.gnb))
	case x.tech == "NR" && x.cell != 0 && (enb == 0 || x.cell/256 != enb):
		list = append(list, fmt.Sprint("cell ", x.cell))
	}
	return list
}

// namesID reports whether a row certainly names an identifier.
func (x *radioRow) namesID(id site.RadioID) bool {
	for _, name := range x.names() {
		if name == fmt.Sprint(id.Kind, " ", id.Value) {
			return true
		}
		var cell uint64
		if n, _ := fmt.Sscanf(name, "cell %d", &cell); n == 1 && id.Kind == site.GNB && id.Bits > 0 &&
			cell>>(36-id.Bits) == id.Value {
			return true
		}
	}
	return id.Kind == site.Cell && uint64(x.cell) == id.Value &&
		(x.tech == "LTE" || x.tech == "NR" || x.enb != 0 && x.cell/256 == x.enb)
}

// Counts of a diagnosis are those of a scan over sites and measures.
func TestDiagnoseAgainstAScan(t *testing.T) {
	tier.Slow(t)
	sites, rows := radioTown(rand.New(rand.NewPCG(61, 64)))
	r := radioReading(t, sites, rows)
	m := r.Set.Market(market.FR)
	given := map[radio.Assigner]int{}
	findings := 0
	for i := range sites {
		s := &sites[i]
		d := radioOf[Diagnosis](t, r, "radio_diagnose_site",
			fmt.Sprintf(`{"siteId":"fr-%s","radiusKm":0.8,"limit":20}`, s.ID))
		if d.Near.Sample || d.Near.Measures != d.Near.Of || d.Site.SiteKey != "fr-"+s.ID {
			t.Fatalf("got %+v, want all measures near %s, not a sample", d.Near, s.ID)
		}
		seen := 0
		for o, operator := range m.Table.Operators {
			if !slices.ContainsFunc(s.Stations, func(x site.Station) bool { return x.Operator == o }) {
				continue
			}
			got := d.Operators[seen]
			seen++
			if got.Operator != operator.Key {
				t.Fatalf("%s: %s, want %s", s.ID, got.Operator, operator.Key)
			}
			for _, n := range got.Nodes {
				given[n.Given]++
				checkNode(t, m, s, o, rows, &n)
			}
			at, _ := m.ByID(s.ID)
			findings += checkGenerations(t, s, m.AppendLearned(slices.Clone(s.Radio), at), o, rows, &got)
		}
		if seen != len(d.Operators) {
			t.Errorf("%s: %d operators, want %d", s.ID, len(d.Operators), seen)
		}
	}
	for _, by := range []radio.Assigner{radio.BySource, radio.ByMeasurements, radio.Elsewhere, radio.ByNobody,
		radio.Perhaps} {
		if given[by] == 0 {
			t.Errorf("no base station is given by %s: %v", by, given)
		}
	}
	if findings < 20 {
		t.Errorf("%d findings, want at least 20", findings)
	}
}

func checkNode(t *testing.T, m *index.Market, s *site.Site, operator int, rows []radioRow, n *DiagnosedNode) {
	t.Helper()
	id := site.RadioID{Operator: operator}
	id.Kind = map[string]site.RadioKind{"enb": site.ENB, "gnb": site.GNB, "cell": site.Cell}[n.Type]
	fmt.Sscan(n.Value, &id.Value)
	own := slices.IndexFunc(s.Radio, func(x site.RadioID) bool {
		return x.Kind == id.Kind && x.Operator == operator && x.Value == id.Value
	})
	if own >= 0 {
		id.Bits = s.Radio[own].Bits
	}
	all, near, last, pcis := 0, 0, 0, map[int]bool{}
	for _, x := range rows {
		if x.operator != operator || !x.namesID(id) {
			continue
		}
		all++
		// Of a cell that is not the site's, those that name a base station are the latter's.
		if other := own < 0 && n.Given != radio.ByMeasurements && id.Kind == site.Cell; other &&
			!slices.Contains(x.names(), "cell "+n.Value) {
			continue
		}
		if apart(s.Position, x.at) > 800 {
			if own < 0 && n.Given != radio.ByMeasurements {
				continue
			}
		} else {
			near++
		}
		last = max(last, x.day)
		if x.pci != 0 && x.tech != "GSM" && x.tech != "UMTS" {
			pcis[x.pci] = true
		}
	}
	day := ""
	if n.Last != nil {
		day = *n.Last
	}
	if want := fmt.Sprintf("2026-08-%02d", last); n.All != all || day != want && last > 0 ||
		(last == 0) != (n.Last == nil) {
		t.Errorf("%s, %s %s: %+v, want %d and %d near, last %s", s.ID, n.Type, n.Value, n, all, near, want)
	}
	if n.Near != near {
		t.Errorf("%s, %s %s: %d near, want %d", s.ID, n.Type, n.Value, n.Near, near)
	}
	for _, pci := range n.PCIs {
		if !pcis[pci] {
			t.Errorf("%s, %s %s: PCI %d of %v", s.ID, n.Type, n.Value, pci, pcis)
		}
	}
	if (n.Given == radio.BySource) != (own >= 0) {
		t.Errorf("%s, %s %s: given by %s, want by the source: %v", s.ID, n.Type, n.Value, n.Given, own >= 0)
	}
	if n.Given == radio.ByMeasurements {
		at, _ := m.ByID(s.ID)
		if !radio.Assigned(m.AppendLearned(nil, at), id) {
			t.Errorf("%s, %s %s: not learned", s.ID, n.Type, n.Value)
		}
	}
}

// checkGenerations compares what is declared and measured by generation, and returns how
// many findings there are.
func checkGenerations(t *testing.T, s *site.Site, own []site.RadioID, operator int, rows []radioRow,
	got *OperatorDiagnosis) int {
	t.Helper()
	declared, near := map[string]string{}, map[string]int{}
	for _, e := range s.Emissions {
		if s.Stations[e.Station].Operator != operator {
			continue
		}
		if g := e.Generation.String(); e.Status > 0 {
			declared[g] = "inOperation"
		} else if declared[g] == "" {
			declared[g] = "project"
		}
	}
	for _, x := range rows {
		if x.operator == operator && apart(s.Position, x.at) <= 800 && generationOf[x.tech] != 0 {
			near[generationOf[x.tech].String()]++
		}
	}
	naming := map[string]int{}
	isECI := func(id site.RadioID) bool {
		return id.Kind == site.Cell && slices.ContainsFunc(own, func(n site.RadioID) bool {
			return n.Kind == site.ENB && n.Operator == operator && n.Value == id.Value/256
		})
	}
	for _, x := range rows {
		lte, nr := false, false
		for _, id := range own {
			if x.operator != operator || id.Operator != operator || id.Kind == site.PCI || !x.namesID(id) || isECI(id) {
				continue
			}
			if id.Kind == site.ENB || id.Kind == site.Cell && (x.tech != "NR" || x.enb != 0 && x.cell/256 == x.enb) {
				lte = true
			} else {
				nr = true
			}
		}
		if lte {
			naming["4G"]++
		}
		if nr {
			naming["5G"]++
		}
	}
	var never, other, maybe []string
	for _, g := range got.Generation {
		want := declared[g.Generation]
		if want == "" {
			want = "no"
		}
		if string(g.Declared) != want || g.Near != near[g.Generation] {
			t.Errorf("%s, %s %s: %+v, want %s and %d near", s.ID, got.Operator, g.Generation, g,
				want, near[g.Generation])
		}
		if g.Naming != naming[g.Generation] {
			t.Errorf("%s, %s %s: %d name the site, want %d", s.ID, got.Operator, g.Generation, g.Naming,
				naming[g.Generation])
		}
		delete(declared, g.Generation)
		switch {
		case want == "inOperation" && g.Near+g.Naming == 0:
			never = append(never, g.Generation)
		case want != "inOperation" && g.Naming > 0:
			other = append(other, g.Generation)
		case want == "no":
			maybe = append(maybe, g.Generation)
		}
	}
	if len(declared) > 0 || !slices.Equal(never, got.Unmeasured) || !slices.Equal(other, got.Undeclared) ||
		!slices.Equal(maybe, got.MaybeOther) {
		t.Errorf("%s, %s: %v, %v, %v; want %v, %v, %v; not listed %v", s.ID, got.Operator, got.Unmeasured,
			got.Undeclared, got.MaybeOther, never, other, maybe, declared)
	}
	return len(never) + len(other)
}

// Collisions are the pairs that a scan over all sites finds.
func TestCollisionsAgainstAScan(t *testing.T) {
	sites, rows := radioTown(rand.New(rand.NewPCG(63, 64)))
	r := radioReading(t, sites, rows)
	m := r.Set.Market(market.FR)
	pcis := make([][]site.RadioID, len(sites))
	for i := range sites {
		at, _ := m.ByID(sites[i].ID)
		for _, id := range m.AppendLearned(slices.Clone(sites[i].Radio), at) {
			if id.Kind == site.PCI {
				pcis[i] = append(pcis[i], id)
			}
		}
	}
	total := 0
	for i := range sites {
		d := radioOf[Diagnosis](t, r, "radio_diagnose_site", fmt.Sprintf(`{"siteId":"fr-%s","limit":20}`, sites[i].ID))
		equal, mod3, near, nearest := 0, 0, 0, math.Inf(1)
		for k := range sites {
			metres := apart(sites[i].Position, sites[k].Position)
			if k == i || metres > 5000 {
				continue
			}
			near++
			for _, a := range pcis[i] {
				for _, b := range pcis[k] {
					switch {
					case a.Operator != b.Operator:
					case a.Value == b.Value:
						equal, nearest = equal+1, min(nearest, metres)
					case a.Value%3 == b.Value%3:
						mod3++
					}
				}
			}
		}
		c := d.Collisions
		if len(pcis[i]) == 0 {
			near = 0
		}
		if c.Own != len(pcis[i]) || c.Equal != equal || c.Mod3 != mod3 || c.Neighbours != near || c.Of != near ||
			len(c.List) != min(20, equal+mod3) {
			t.Errorf("%s: %+v, want %d PCIs, %d equal, %d modulo 3, %d neighbours", sites[i].ID, c, len(pcis[i]), equal,
				mod3, near)
		}
		for k, x := range c.List {
			n := slices.IndexFunc(sites, func(s site.Site) bool { return "fr-"+s.ID == x.Neighbour })
			metres := apart(sites[i].Position, sites[n].Position)
			if (x.Kind == radio.EqualPCI) != (x.PCI == x.NeighbourPCI) || x.PCI%3 != x.NeighbourPCI%3 ||
				math.Abs(metres-float64(x.Distance)) > 1 ||
				apart(away(sites[i].Position, metres, *x.Bearing), sites[n].Position) > 10 {
				t.Errorf("%s: got %+v, want PCIs equal modulo 3, %v m apart", sites[i].ID, x, metres)
			}
			if k == 0 && equal > 0 && math.Abs(nearest-metres) > 0.01 ||
				k > 0 && x.Kind == c.List[k-1].Kind && x.Distance < c.List[k-1].Distance {
				t.Errorf("%s: not the nearest first: %+v", sites[i].ID, c.List)
			}
		}
		total += equal
	}
	if total < 10 {
		t.Errorf("%d equal pairs, want at least 10", total)
	}
}

// Where nothing was measured, and where no PCI is known, the answer says that it says
// nothing; where much was, that it is a sample.
func TestDiagnoseNotes(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome, Radio: []site.RadioID{{Kind: site.ENB, Operator: orange, Value: 1009}}}
	emits(&s, orange, "LTE 800", site.G4, 2)
	d := radioOf[Diagnosis](t, radioReading(t, []site.Site{s}, nil), "radio_diagnose_site", `{"siteId":"7"}`)
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "says nothing") || d.Collisions.Own != 0 ||
		!slices.Equal(d.Operators[0].Unmeasured, []string{"4G"}) ||
		d.Operators[0].Nodes[0].All != 0 || d.Operators[0].Nodes[0].Last != nil {
		t.Errorf("got %+v, want one note that the site says nothing, and 4G unmeasured", d)
	}
	rows := make([]radioRow, 5000)
	for i := range rows {
		rows[i] = radioRow{at: away(radioHome, float64(i%900), 7.3*float64(i)), operator: orange, tech: "LTE",
			cell: 1009<<8 | 1 + i%200, day: 3}
	}
	r := radioReading(t, []site.Site{s}, rows)
	d = radioOf[Diagnosis](t, r, "radio_diagnose_site", `{"siteId":"7"}`)
	if n := d.Operators[0].Nodes[0]; !d.Near.Sample || d.Near.Measures > maxNear || d.Near.Of < d.Near.Measures ||
		n.All != r.Measures.Count(market.FR, "coverage") || n.Near == 0 || n.Near > maxNear ||
		!slices.ContainsFunc(d.Notes, func(s string) bool { return strings.Contains(s, "sample") }) {
		t.Errorf("got %+v, want a sample of at most %d measures, and a note of it", d, maxNear)
	}
}

// Long lists are halved until they are short enough.
func TestShortenDiagnosis(t *testing.T) {
	d := &Diagnosis{Operators: []OperatorDiagnosis{{Nodes: make([]DiagnosedNode, 9)}, {}},
		Collisions: Collisions{List: make([]Collision, 4)}}
	steps := 0
	for d.Shorten() {
		steps++
	}
	if steps != 4 || len(d.Operators[0].Nodes) != 1 || len(d.Collisions.List) != 1 {
		t.Errorf("got %d steps, %+v, want 4, one node and one collision", steps, d)
	}
}
