package index

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/site/observation"
	"relais/snapshot"
	"relais/snapshot/snapshottest"
)

// A seen is a sighting of the tests.
type seen struct {
	cell observation.Cell
	at   geo.Point
}

func sightings(list []seen) iter.Seq2[observation.Cell, geo.Point] {
	return func(yield func(observation.Cell, geo.Point) bool) {
		for _, s := range list {
			if !yield(s.cell, s.at) {
				return
			}
		}
	}
}

// learn lets a market learn.
func learn(t testing.TB, m *Market, from string, list []seen) *Market {
	t.Helper()
	learnt, err := m.Learn(from, sightings(list))
	must(t, err)
	return learnt
}

// idText names an identifier of a site.
func idText(id site.RadioID) string { return fmt.Sprint(id.Kind, " ", id.Operator, " ", id.Value) }

// learnedOf lists what a market learned, by the ids of sites.
func learnedOf(t *testing.T, m *Market) map[string][]string {
	t.Helper()
	all, n := map[string][]string{}, 0
	for i := range uint32(m.Len()) {
		for _, id := range m.AppendLearned(nil, i) {
			if !id.Learned || id.Bits != 0 {
				t.Errorf("learned identifier = %+v, want Learned and no Bits", id)
			}
			all[m.Snap.ID(int(i))] = append(all[m.Snap.ID(int(i))], idText(id))
			n++
		}
	}
	for _, list := range all {
		slices.Sort(list)
	}
	if n != m.LearnedIDs() {
		t.Errorf("LearnedIDs() = %d, want the %d of all sites", m.LearnedIDs(), n)
	}
	return all
}

// town makes sites of four operators 150 m or more from each other in one line, some of
// which state identifiers, and what phones said as they went along it.
func town(r *rand.Rand, count int) (sites []site.Site, list []seen) {
	for i := range 60 {
		s := site.Site{ID: fmt.Sprint(i), Position: geo.Point{Lat: 45 + float64(i)*0.00135*float64(1+i%3), Lng: 4},
			Height: site.Unknown, AntennaHeight: site.Unknown}
		for k := range 1 + r.IntN(2) {
			s.Stations = append(s.Stations, site.Station{Code: fmt.Sprint(i, "-", k), Operator: r.IntN(4)})
		}
		for range r.IntN(3) {
			id := site.RadioID{Kind: site.RadioKind(r.IntN(site.RadioKinds)), Operator: s.Stations[0].Operator,
				Value: uint64(2 + r.IntN(40))}
			if id.Kind == site.Cell {
				id.Value = id.Value<<8 | uint64(r.IntN(2))
			}
			s.Radio = append(s.Radio, id)
		}
		sites = append(sites, s)
	}
	for range count {
		home := sites[r.IntN(len(sites))]
		node := uint32(2 + r.IntN(300))
		c := observation.Cell{Operator: home.Stations[0].Operator, PCI: r.IntN(6) - 1}
		switch r.IntN(4) {
		case 0:
			c.Node = node
		case 1:
			c.ID = uint64(node)<<8 | uint64(r.IntN(2))
		case 2:
			c.Node, c.ID = node, uint64(node)<<8|uint64(r.IntN(2))
		case 3:
			c.NR, c.ID = true, uint64(node)<<8|uint64(r.IntN(2))
			if r.IntN(2) == 0 {
				c.Node = node
			}
		}
		list = append(list, seen{c,
			geo.Point{Lat: home.Position.Lat + (r.Float64()-0.5)*0.003, Lng: 4 + (r.Float64()-0.5)*0.004}})
	}
	return sites, list
}

// taughtBy says what is learned, in another way than the index does: as sets of texts.
func taughtBy(sites []site.Site, list []seen) map[string][]string {
	has := func(s site.Site, operator int) bool {
		return slices.ContainsFunc(s.Stations, func(t site.Station) bool { return t.Operator == operator })
	}
	stated := map[string]map[string]bool{} // sites by identifier
	put := func(in map[string]map[string]bool, name, id string) {
		if in[name] == nil {
			in[name] = map[string]bool{}
		}
		in[name][id] = true
	}
	cellsAt := map[string]map[string]bool{} // sites that state a cell, by its eNB
	for _, s := range sites {
		for _, id := range s.Radio {
			put(stated, idText(id), s.ID)
			if id.Kind == site.Cell {
				put(cellsAt, fmt.Sprint("enb ", id.Operator, " ", id.Value/256), s.ID)
			}
		}
	}
	elsewhere := func(name, id string) bool { return len(stated[name]) > 0 && !stated[name][id] }
	type told struct{ name, show, pci string }
	places := map[string]map[string]bool{} // sites by what was seen near them
	tells := map[told]string{}
	crowds := map[string][][]string{} // several sites near one place, by what was seen there
	for _, x := range list {
		var near []string
		for _, s := range sites {
			if has(s, x.cell.Operator) && geo.Distance(s.Position, x.at) <= 300 {
				near = append(near, s.ID)
			}
		}
		if len(near) == 0 {
			continue
		}
		id, own, node := near[0], "", ""
		radio, pci := "lte", ""
		number := uint64(x.cell.Node)
		if x.cell.NR {
			radio = "nr"
		} else if number == 0 {
			number = x.cell.ID / 256
		}
		if number != 0 {
			node = fmt.Sprint(map[string]string{"lte": "enb", "nr": "gnb"}[radio], " ", x.cell.Operator, " ", number)
		}
		if x.cell.ID != 0 {
			own = fmt.Sprint("cell ", x.cell.Operator, " ", x.cell.ID)
		}
		if len(near) > 1 {
			crowds[radio+own], crowds[node] = append(crowds[radio+own], near), append(crowds[node], near)
			continue
		}
		split := func(name string) bool {
			others := maps.Clone(cellsAt[name])
			delete(others, id)
			return len(others) > 0
		}
		if elsewhere(own, id) || elsewhere(node, id) || own == "" && split(node) {
			continue
		}
		if x.cell.PCI >= 0 {
			pci = fmt.Sprint("pci ", x.cell.Operator, " ", x.cell.PCI)
		}
		if own != "" {
			put(places, radio+own, id)
			tells[told{radio + own, own, pci}] = id
			pci = ""
		}
		if node != "" {
			put(places, node, id)
			show := node
			if split(node) {
				show = ""
			}
			tells[told{node, show, pci}] = id
		}
	}
	got := map[string]map[string]bool{}
	for tell, id := range tells {
		isElsewhere := func(near []string) bool { return !slices.Contains(near, id) }
		if len(places[tell.name]) > 1 || slices.ContainsFunc(crowds[tell.name], isElsewhere) {
			continue
		}
		for _, name := range []string{tell.show, tell.pci} {
			if name != "" && !stated[name][id] {
				put(got, id, name)
			}
		}
	}
	sorted := map[string][]string{}
	for id, names := range got {
		sorted[id] = slices.Sorted(maps.Keys(names))
	}
	return sorted
}

func TestLearnAgreesWithBruteForce(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(30) {
		sites, list := town(rand.New(rand.NewPCG(seed, 9)), 150)
		m := learn(t, load(t, market.FR, sites), "x", list)
		got, want := learnedOf(t, m), taughtBy(sites, list)
		if !maps.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("seed %d: learned\n%v\nwant\n%v", seed, got, want)
		}
		for _, names := range got {
			for _, name := range names {
				kinds[strings.Fields(name)[0]]++
			}
		}
	}
	for _, k := range []string{"enb", "gnb", "cell", "pci"} {
		if kinds[k] < 50 {
			t.Errorf("%d identifiers of kind %s were learned, want more", kinds[k], k)
		}
	}
}

// Every look-up in what is stated and learned, against a scan: stated before learned,
// certain before possible, site order.
func TestLookupOfLearnedAgainstAScan(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	sites, list := town(r, 400)
	plain := load(t, market.FR, sites)
	m := learn(t, plain, "x", list)
	ranks := map[int]int{}
	for range 2000 {
		value := uint64(r.IntN(300)) << []int{0, 0, 4, 8, 8, 12}[r.IntN(6)]
		value |= uint64(r.IntN(2))
		operator := r.IntN(5) - 1
		var want [4][]string
		var s site.Site
		for i := range uint32(m.Len()) {
			m.Site(i, &s)
			all := m.AppendLearned(slices.Clone(s.Radio), i)
			best, text := 4, s.ID
			for _, as := range RadioTypes {
				hits := false
				for _, id := range all {
					hit, certain := named(id, value, as)
					if !hit || operator != Any && id.Operator != operator {
						continue
					}
					rank := 0
					if id.Learned {
						rank = 2
					}
					if !certain {
						rank++
					}
					hits, best = true, min(best, rank)
				}
				if hits {
					text += " " + string(as)
				}
			}
			if best < 4 {
				want[best] = append(want[best], fmt.Sprint(text, " ", best >= 2))
				ranks[best]++
			}
		}
		var got []string
		for _, f := range m.Lookup(value, RadioTypes, operator) {
			text := m.Snap.ID(int(f.Site))
			for _, as := range f.Types {
				text += " " + string(as)
			}
			got = append(got, fmt.Sprint(text, " ", f.Learned))
		}
		if w := slices.Concat(want[0], want[1], want[2], want[3]); !slices.Equal(got, w) {
			t.Fatalf("Lookup(%d) for operator %d = %v, want %v", value, operator, got, w)
		}
		if len(want[0])+len(want[1]) == 0 && len(plain.Lookup(value, RadioTypes, operator)) > 0 {
			t.Errorf("Lookup(%d) of the market before Learn finds a site, want none", value)
		}
	}
	for rank := range 4 {
		if ranks[rank] < 20 {
			t.Errorf("%d matches of rank %d, want more", ranks[rank], rank)
		}
	}
}

// What was learned goes with its snapshot from set to set, and its name with its content.
func TestKeepLearned(t *testing.T) {
	sites, list := town(rand.New(rand.NewPCG(5, 5)), 100)
	m := load(t, market.FR, sites)
	plain := NewSet([]*Market{m}, nil)
	learnt := NewSet([]*Market{learn(t, m, "one", list)}, nil)
	same := NewSet([]*Market{learn(t, m, "two", append(slices.Clone(list), list...))}, nil)
	other := NewSet([]*Market{learn(t, m, "three", list[:50])}, nil)
	none := NewSet([]*Market{learn(t, m, "four", nil)}, nil)
	if plain.Learned != "" || none.Learned != "" || learnt.Learned == "" || same.Learned != learnt.Learned ||
		other.Learned == learnt.Learned {
		t.Errorf("Learned = %q, %q without identifiers; %q, %q for the same; %q for others; want \"\" twice, equal ones, another one",
			plain.Learned, none.Learned, learnt.Learned, same.Learned, other.Learned)
	}
	for _, s := range []*Set{learnt, other, none} {
		if s.Version != plain.Version {
			t.Errorf("Version = %s after Learn, want %s as before", s.Version, plain.Version)
		}
	}
	if m.LearnedFrom() != "" || m.LearnedIDs() != 0 || none.Market(market.FR).LearnedFrom() != "four" {
		t.Errorf("the market before Learn has learned %d identifiers from %q, want none", m.LearnedIDs(),
			m.LearnedFrom())
	}
	if kept := plain.Keep(learnt); kept.Learned != learnt.Learned || kept.Market(market.FR).LearnedFrom() != "one" ||
		plain.Learned != "" {
		t.Errorf("Keep() lost what was learned, want %q", learnt.Learned)
	}
	if again := plain.Keep(nil); again != plain {
		t.Error("nothing to keep")
	}
	sites[0].Place = "elsewhere"
	next := NewSet([]*Market{load(t, market.FR, sites)}, nil)
	if kept := next.Keep(learnt); kept.Learned != "" || kept.Market(market.FR).LearnedIDs() != 0 {
		t.Error("another snapshot keeps what was learned for the old one")
	}
}

// What everybody may see learns for itself: it does not know the sites that it lacks.
func TestPublicLearns(t *testing.T) {
	be := market.Get(market.BE)
	b := snapshot.NewBuilder(be, nil)
	b.SourceDate, b.UpdatedAt = "2026-01-02", "2026-01-02T00:00:00"
	b.Registers = []string{be.Source, be.OtherRegisters[2].Source}
	for id, s := range map[string]site.Site{"a": {Position: geo.Point{Lat: 51, Lng: 4}, Registers: 1},
		"withheld": {Position: geo.Point{Lat: 51.001, Lng: 4}, Registers: 8},
		"far":      {Position: geo.Point{Lat: 51.1, Lng: 4}, Registers: 8}} {
		s.ID, s.Area, s.Stations, s.Height, s.AntennaHeight = id, -1, []site.Station{{}}, site.Unknown, site.Unknown
		must(t, b.Add(&s))
	}
	m, err := Load(snapshottest.Reread(t, b), func(*snapshot.Snapshot) Encode { return nil }, time.Now())
	must(t, err)
	cell := func(eci uint64) observation.Cell { return observation.Cell{ID: eci, PCI: -1} }
	learnt := learn(t, m, "one", []seen{{cell(256), geo.Point{Lat: 51, Lng: 4}}, {cell(512), geo.Point{Lat: 51.1, Lng: 4}}})
	got, public := learnedOf(t, learnt), learnedOf(t, learnt.Public)
	if len(got) != 1 || got["far"] == nil || len(public) != 1 || public["a"] == nil || learnt.Public.Len() != 1 {
		t.Errorf("learned %v, public %v; want only the site far away, and only a", got, public)
	}
	whole := NewSet([]*Market{learnt}, nil)
	if kept := NewSet([]*Market{m}, nil).Keep(whole).Public(); kept.Learned != whole.Public().Learned || kept.Learned == "" ||
		kept.Learned == whole.Learned {
		t.Errorf("the public set kept %q, want %q, and not %q of all", kept.Learned, whole.Public().Learned, whole.Learned)
	}
}
