package sighting

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/site"
)

// at is a place so many metres north of the first site.
func at(metres float64) geo.Point { return geo.Point{Lat: 47 + metres*metre, Lng: 8} }

// given lists what a book gives, a text for each site.
func given(t *testing.T, b *Book) map[uint32]string {
	t.Helper()
	if err := b.Settle(); err != nil {
		t.Fatal(err)
	}
	all := map[uint32][]string{}
	for i, id := range b.Given() {
		all[i] = append(all[i], fmt.Sprint(id.Kind, " ", id.Operator, " ", id.Value))
	}
	texts := map[uint32]string{}
	for i, list := range all {
		slices.Sort(list)
		texts[i] = strings.Join(slices.Compact(list), ", ")
	}
	return texts
}

func TestBook(t *testing.T) {
	both := []site.Station{{Operator: 0}, {Operator: 1}, {Operator: 0}}
	sites := list{
		{Position: at(0), Stations: both},
		{Position: at(1000), Stations: both, Radio: []site.RadioID{
			{Kind: site.ENB, Value: 50}, {Kind: site.Cell, Value: 60<<8 | 1}, {Kind: site.GNB, Operator: 1, Value: 70},
			{Kind: site.PCI, Value: 9},
			{Kind: site.Cell, Value: 61<<8 | 1}}},
		{Position: at(2000), Stations: both[:1],
			Radio: []site.RadioID{{Kind: site.ENB, Value: 51}, {Kind: site.Cell, Value: 61<<8 | 1}}},
		{Position: at(2500), Stations: both[:1]},
	}
	lte := func(operator int, node uint32, id uint64, pci int) Cell {
		return Cell{Operator: operator, Node: node, ID: id, PCI: pci}
	}
	nr := func(operator int, node uint32, id uint64, pci int) Cell {
		c := lte(operator, node, id, pci)
		c.NR = true
		return c
	}
	steps := []struct {
		cell   Cell
		metres float64
		want   Outcome
	}{
		{lte(0, 0, 10<<8|1, 0), 299, Taken},
		{lte(0, 10, 10<<8|2, 503), -299, Taken},
		{lte(0, 0, 10<<8|1, 0), 301, NoSite},
		{lte(1, 10, 10<<8|1, 7), 1000, Taken},         // the number is another operator's, too
		{lte(0, 10, 10<<8|3, -1), 2250, SeveralSites}, // 250 m from two
		{lte(1, 10, 10<<8|3, -1), 2000, NoSite},       // that are the other operator's only
		{lte(0, 11, 0, 5), 0, Taken},                  // an eNB alone
		{lte(0, 12, 12<<8|1, 6), 0, Taken},
		{lte(0, 12, 12<<8|2, 8), 1000, Taken}, // its other cell elsewhere: cells, no eNB
		{lte(0, 13, 13<<8|1, 6), 0, Taken},
		{lte(0, 13, 13<<8|1, 6), 1000, Taken}, // the same cell elsewhere: nothing
		{lte(0, 50, 0, 6), 0, Contradicted},
		{lte(0, 50, 50<<8|1, 6), 0, Contradicted},
		{lte(0, 50, 50<<8|1, 6), 1000, Taken},
		{lte(1, 50, 50<<8|1, 6), 0, Taken}, // stated for the other operator
		{lte(0, 60, 60<<8|1, 6), 0, Contradicted},
		{lte(0, 60, 0, 6), 0, Contradicted},     // by its cell
		{lte(0, 60, 60<<8|2, 6), 0, Taken},      // the cell, but no eNB of which a cell is elsewhere
		{lte(0, 61, 61<<8|1, 100), 1000, Taken}, // stated for two sites, one of which is this
		{lte(0, 61, 61<<8|1, 100), 0, Contradicted},
		{nr(0, 0, 60<<8|1, 6), 0, Contradicted}, // a stated cell may be either
		{nr(0, 0, 60<<8|3, 6), 0, Taken},        // an NCI has no eNB
		{nr(1, 70, 1<<34, 6), 0, Contradicted},
		{nr(1, 71, 1<<35, 1007), 0, Taken},
		{nr(1, 1<<32-1, 1<<36-1, -1), 1000, Taken},
		{nr(0, 80, 0, -1), 0, Taken},
		{nr(0, 80, 0, -1), 1000, Taken},
	}
	b := NewBook(sites, 2)
	for _, s := range steps {
		if got := b.See(&s.cell, at(s.metres)); got != s.want {
			t.Errorf("%+v at %v m: %d, want %d", s.cell, s.metres, got, s.want)
		}
	}
	want := map[uint32]string{
		0: "cell 0 15362, cell 0 15363, cell 0 2561, cell 0 2562, cell 0 3073, cell 1 12801, cell 1 34359738368, enb 0 10, enb 0 11, enb 1 50, gnb 1 71, " +
			"pci 0 0, pci 0 5, pci 0 503, pci 0 6, pci 1 1007, pci 1 6",
		1: "cell 0 12801, cell 0 15617, cell 0 3074, cell 1 2561, cell 1 68719476735, enb 0 50, enb 1 10, gnb 1 4294967295, pci 0 100, pci 0 6, pci 0 8, pci 1 7",
	}
	if got := given(t, b); !maps.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	for _, s := range steps {
		several := s.cell.ID == 13<<8|1 || s.cell.Node == 80
		if s.want == Taken && b.Agreed(s.cell.Identity()) == several {
			t.Errorf("%+v agreed: %v", s.cell, !several)
		}
	}
	if unseen := lte(0, 99, 0, -1); b.Agreed(unseen.Identity()) {
		t.Error("what nobody saw is agreed")
	}
}

// Whatever the order and however often: the same. Many sightings of few cells stay few.
func TestOrderAndRepetition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var sites list
	for i := range 30 {
		sites = append(sites, site.Site{Position: at(float64(i) * 500), Stations: []site.Station{{}}})
	}
	type seen struct {
		c Cell
		p geo.Point
	}
	var all []seen
	for i := range 400 {
		all = append(all, seen{Cell{ID: uint64(300 + r.IntN(3000)), PCI: r.IntN(4) - 1, NR: i%3 == 0},
			at(float64(r.IntN(30)) * 500)})
	}
	var want map[uint32]string
	for round := range 3 {
		b := NewBook(sites, 1)
		b.next = 100
		for range 1 + 20*round {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for i := range all {
				if b.See(&all[i].c, all[i].p) != Taken {
					t.Fatal(all[i])
				}
			}
		}
		if len(b.claims) > 3200 {
			t.Errorf("%d claims of 800", len(b.claims))
		}
		got := given(t, b)
		if want == nil {
			want = got
		}
		if len(got) != 30 || !maps.Equal(got, want) {
			t.Fatalf("round %d: %v, want %v", round, got, want)
		}
	}
}

// A book that would need too much memory says so and keeps to it.
func TestTooMany(t *testing.T) {
	b := NewBook(list{{Position: at(0), Stations: []site.Station{{}}}}, 1)
	b.next, b.most = 64, 1000
	for i := range 5000 {
		b.See(&Cell{NR: true, ID: uint64(i + 1), PCI: -1}, at(0))
	}
	if len(b.claims) > 1000 {
		t.Errorf("%d claims", len(b.claims))
	}
	if err := b.Settle(); err == nil || !strings.Contains(err.Error(), "500") {
		t.Error(err)
	}
}
