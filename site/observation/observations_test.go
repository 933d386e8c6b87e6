package observation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/geo"
	"relais/site"
)

// northBy returns the point that many metres north of the first site.
func northBy(metres float64) geo.Point { return geo.Point{Lat: 47 + metres*metre, Lng: 8} }

// assignments lists the assignments of each site as a text.
func assignments(t *testing.T, o *Observations) map[uint32]string {
	t.Helper()
	if err := o.Finish(); err != nil {
		t.Fatal(err)
	}
	all := map[uint32][]string{}
	for i, id := range o.Assignments() {
		all[i] = append(all[i], fmt.Sprint(id.Kind, " ", id.Operator, " ", id.Value))
	}
	texts := map[uint32]string{}
	for i, list := range all {
		slices.Sort(list)
		texts[i] = strings.Join(slices.Compact(list), ", ")
	}
	return texts
}

var both = []site.Station{{Operator: 0}, {Operator: 1}, {Operator: 0}}

var observedSites = list{
	{Position: northBy(0), Stations: both},
	{Position: northBy(1000), Stations: both, Radio: []site.RadioID{
		{Kind: site.ENB, Value: 50}, {Kind: site.Cell, Value: 60<<8 | 1}, {Kind: site.GNB, Operator: 1, Value: 70},
		{Kind: site.PCI, Value: 9},
		{Kind: site.Cell, Value: 61<<8 | 1}}},
	{Position: northBy(2000), Stations: both[:1],
		Radio: []site.RadioID{{Kind: site.ENB, Value: 51}, {Kind: site.Cell, Value: 61<<8 | 1}}},
	{Position: northBy(2500), Stations: both[:1]},
}

func lte(operator int, node uint32, id uint64, pci int) Cell {
	return Cell{Operator: operator, Node: node, ID: id, PCI: pci}
}

func nr(operator int, node uint32, id uint64, pci int) Cell {
	c := lte(operator, node, id, pci)
	c.NR = true
	return c
}

var observed = []struct {
	cell   Cell
	metres float64
	want   Outcome
}{
	{lte(0, 0, 10<<8|1, 0), 299, Accepted},
	{lte(0, 10, 10<<8|2, 503), -299, Accepted},
	{lte(0, 0, 10<<8|1, 0), 301, NoSite},
	{lte(1, 10, 10<<8|1, 7), 1000, Accepted},      // the number is another operator's, too
	{lte(0, 10, 10<<8|3, -1), 2250, SeveralSites}, // 250 m from two: its eNB is not at 0
	{lte(1, 10, 10<<8|3, -1), 2000, NoSite},       // that are the other operator's only
	{lte(0, 11, 0, 5), 0, Accepted},               // an eNB alone
	{lte(0, 12, 12<<8|1, 6), 0, Accepted},
	{lte(0, 12, 12<<8|2, 8), 1000, Accepted}, // its other cell is at another site: cells only
	{lte(0, 13, 13<<8|1, 6), 0, Accepted},
	{lte(0, 13, 13<<8|1, 6), 1000, Accepted}, // the same cell elsewhere: nothing
	{lte(0, 50, 0, 6), 0, Contradicted},
	{lte(0, 50, 50<<8|1, 6), 0, Contradicted},
	{lte(0, 50, 50<<8|1, 6), 1000, Accepted},
	{lte(1, 50, 50<<8|1, 6), 0, Accepted}, // stated for the other operator
	{lte(0, 60, 60<<8|1, 6), 0, Contradicted},
	{lte(0, 60, 0, 6), 0, Contradicted},        // by its cell
	{lte(0, 60, 60<<8|2, 6), 0, Accepted},      // the cell only: its eNB has a cell at another site
	{lte(0, 61, 61<<8|1, 100), 1000, Accepted}, // stated for two sites, this one included
	{lte(0, 61, 61<<8|1, 100), 0, Contradicted},
	{nr(0, 0, 60<<8|1, 6), 0, Contradicted}, // a stated cell may be either
	{nr(0, 0, 60<<8|3, 6), 0, Accepted},     // an NCI has no eNB
	{nr(1, 70, 1<<34, 6), 0, Contradicted},
	{nr(1, 71, 1<<35, 1007), 0, Accepted},
	{nr(1, 1<<32-1, 1<<36-1, -1), 1000, Accepted},
	{nr(0, 80, 0, -1), 0, Accepted},
	{nr(0, 80, 0, -1), 1000, Accepted},
}

func TestObservations(t *testing.T) {
	o := NewObservations(observedSites, 2)
	for _, s := range observed {
		if got := o.Add(&s.cell, northBy(s.metres)); got != s.want {
			t.Errorf("Add(%+v) at %v m = %d, want %d", s.cell, s.metres, got, s.want)
		}
	}
	want := map[uint32]string{
		0: "cell 0 15362, cell 0 15363, cell 0 2561, cell 0 2562, cell 0 3073, cell 1 12801, cell 1 34359738368, enb 0 11, enb 1 50, gnb 1 71, " +
			"pci 0 0, pci 0 5, pci 0 503, pci 0 6, pci 1 1007, pci 1 6",
		1: "cell 0 12801, cell 0 15617, cell 0 3074, cell 1 2561, cell 1 68719476735, enb 0 50, enb 1 10, gnb 1 4294967295, pci 0 100, pci 0 6, pci 0 8, pci 1 7",
	}
	if got := assignments(t, o); !maps.Equal(got, want) {
		t.Errorf("assignments (-want +got):\n%s", cmp.Diff(want, got))
	}
	for _, s := range observed {
		several := s.cell.ID == 13<<8|1 || s.cell.Node == 80
		if s.want == Accepted && o.Unambiguous(s.cell.Identity()) == several {
			t.Errorf("Unambiguous(%+v) = %v, want %v", s.cell, several, !several)
		}
	}
	if unseen := lte(0, 99, 0, -1); o.Unambiguous(unseen.Identity()) {
		t.Error("a cell that was not observed is unambiguous")
	}
}

// A cell that was measured near several other sites belongs to none, in any order of the measurements. One that was
// measured near its own site and others stays.
func TestSeveralOtherSites(t *testing.T) {
	var sites list
	for _, metres := range []float64{0, 5000, 5100, 400} {
		sites = append(sites, site.Site{Position: northBy(metres), Stations: []site.Station{{}}})
	}
	type seen struct {
		cell   Cell
		metres float64
	}
	all := []seen{{lte(0, 0, 10<<8|1, 3), 0}, {lte(0, 0, 10<<8|1, 3), 5050}, // near two others: neither the cell nor its eNB
		{lte(0, 0, 11<<8|1, 4), 0}, {lte(0, 0, 11<<8|1, 4), 200}, // between its own site and another
		{lte(0, 0, 12<<8|1, 5), 5050}, {nr(0, 0, 1<<30, 6), 5050}, {nr(0, 0, 1<<30, 6), 0}}
	for _, back := range []bool{false, true} {
		o := NewObservations(sites, 1)
		o.sortAt = 2
		if back {
			slices.Reverse(all)
		}
		for _, s := range all {
			o.Add(&s.cell, northBy(s.metres))
		}
		want := map[uint32]string{0: "cell 0 2817, enb 0 11, pci 0 4"}
		if got := assignments(t, o); !maps.Equal(got, want) {
			t.Errorf("assignments %v, want %v", got, want)
		}
		for id, want := range map[uint64]bool{10<<8 | 1: false, 11<<8 | 1: true, 12<<8 | 1: false} {
			if c := lte(0, 0, id, -1); o.Unambiguous(c.Identity()) != want {
				t.Errorf("Unambiguous(%d) = %v, want %v", id, !want, want)
			}
		}
	}
}

// Assignments depend neither on the order of observations nor on repetitions. Repeated
// observations of few cells take little memory.
func TestOrderAndRepetition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var sites list
	for i := range 30 {
		sites = append(sites, site.Site{Position: northBy(float64(i) * 500), Stations: []site.Station{{}}})
	}
	type seen struct {
		c Cell
		p geo.Point
	}
	var all []seen
	for i := range 400 {
		all = append(all, seen{Cell{ID: uint64(300 + r.IntN(3000)), PCI: r.IntN(4) - 1, NR: i%3 == 0},
			northBy(float64(r.IntN(30)) * 500)})
	}
	var want map[uint32]string
	for round := range 3 {
		o := NewObservations(sites, 1)
		o.sortAt = 100
		for range 1 + 20*round {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for i := range all {
				if o.Add(&all[i].c, all[i].p) != Accepted {
					t.Fatalf("%+v was not accepted; want o.Add(&all[i].c, all[i].p) = %v", all[i], Accepted)
				}
			}
		}
		if len(o.claims) > 3200 {
			t.Errorf("%d claims of 800 identities, want at most 3200", len(o.claims))
		}
		got := assignments(t, o)
		if want == nil {
			want = got
		}
		if len(got) != 30 || !maps.Equal(got, want) {
			t.Fatalf("round %d: assignments of %d sites, want 30 (-want +got):\n%s", round, len(got),
				cmp.Diff(want, got))
		}
	}
}

func TestTooManyIdentities(t *testing.T) {
	o := NewObservations(list{{Position: northBy(0), Stations: []site.Station{{}}}}, 1)
	o.sortAt, o.maxClaims = 64, 1000
	for i := range 5000 {
		o.Add(&Cell{NR: true, ID: uint64(i + 1), PCI: -1}, northBy(0))
	}
	if len(o.claims) > 1000 {
		t.Errorf("%d claims, want at most 1000", len(o.claims))
	}
	if err := o.Finish(); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("Finish() = %v, want an error with the limit of 500", err)
	}
}
