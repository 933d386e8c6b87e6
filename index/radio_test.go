package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/market"
	"relais/site"
)

func TestLookup(t *testing.T) {
	at := geo.Point{Lat: 48, Lng: 2}
	one := func(id string, radio ...site.RadioID) site.Site {
		return site.Site{ID: id, Position: at, Area: 0, Height: site.Unknown, AntennaHeight: site.Unknown,
			Stations: []site.Station{{Code: id, Operator: 0}, {Code: id + "b", Operator: 1}}, Radio: radio}
	}
	m := load(t, market.FR, []site.Site{
		one("1", site.RadioID{Kind: site.ENB, Operator: 0, Value: 1000},
			site.RadioID{Kind: site.GNB, Operator: 0, Value: 1000}),
		one("2", site.RadioID{Kind: site.ENB, Operator: 1, Value: 1000},
			site.RadioID{Kind: site.PCI, Operator: 1, Value: 17}),
		one("3", site.RadioID{Kind: site.GNB, Operator: 0, Value: 70000, Bits: 24}),
		one("4", site.RadioID{Kind: site.GNB, Operator: 0, Value: 9000000}),
		one("6", site.RadioID{Kind: site.ENB, Operator: 1, Value: 2500}),
		one("7", site.RadioID{Kind: site.GNB, Operator: 0, Value: 40000}),
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
		{9000000<<3 + 1, []RadioType{LookupCI}, Any, ""},        // 33 bits are too many
		{2500<<8 + 3, []RadioType{LookupCI}, Any, "6 ci, 7 ci"}, // the eNB's site is certain, the gNB's only possible
		{2500<<8 + 3, []RadioType{LookupCI}, 1, "6 ci"},
		{2500<<8 + 3, []RadioType{LookupCI}, 0, "7 ci"},
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
		if g := strings.Join(got, ", "); g != tt.want {
			t.Errorf("Lookup(%d, %v) for operator %d = %q, want %q", tt.value, tt.types, tt.operator, g, tt.want)
		}
	}
}

// named tells, in another way than the index does, whether the value names a site
// with the identifier id under a type, and whether it does so for certain.
func named(id site.RadioID, value uint64, as RadioType) (hit, certain bool) {
	switch as {
	case LookupENB:
		hit = id.Kind == site.ENB && id.Value == value
		return hit, hit
	case LookupGNB:
		hit = id.Kind == site.GNB && id.Value == value
		return hit, hit
	case LookupPCI:
		hit = id.Kind == site.PCI && id.Value == value
		return hit, hit
	}
	switch id.Kind {
	case site.Cell:
		return id.Value == value, id.Value == value
	case site.ENB:
		return id.Value == value/256, id.Value == value/256
	case site.GNB:
		for bits := 22; bits <= 32; bits++ {
			if (int(id.Bits) == bits || id.Bits == 0) && id.Value == value>>(36-bits) {
				return true, id.Bits != 0
			}
		}
	}
	return false, false
}

func TestLookupAgainstAScan(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 1500, 24))
	r := rand.New(rand.NewPCG(25, 26))
	found, mixed := map[RadioType]int{}, 0
	for range 500 {
		value := uint64(r.IntN(1000)) << []int{0, 0, 4, 8, 12, 14}[r.IntN(6)]
		operator := r.IntN(len(m.Table.Operators)+1) - 1
		var certain, possible []RadioMatch
		var s site.Site
		for i := range uint32(m.Len()) {
			m.Site(i, &s)
			match, sure := RadioMatch{Site: i}, false
			for _, as := range RadioTypes {
				hits := false
				for _, id := range s.Radio {
					if operator == Any || id.Operator == operator {
						hit, certainly := named(id, value, as)
						hits, sure = hits || hit, sure || certainly
						if hit {
							match.Operators = append(match.Operators, id.Operator)
						}
					}
				}
				if hits {
					match.Types = append(match.Types, as)
					found[as]++
				}
			}
			slices.Sort(match.Operators)
			match.Operators = slices.Compact(match.Operators)
			switch {
			case match.Types == nil:
			case sure:
				certain = append(certain, match)
			default:
				possible = append(possible, match)
			}
		}
		if len(certain) > 0 && len(possible) > 0 {
			mixed++
		}
		if got, want := m.Lookup(value, RadioTypes, operator), append(certain, possible...); !slices.EqualFunc(got,
			want, func(a, b RadioMatch) bool {
				return a.Site == b.Site && slices.Equal(a.Types, b.Types) && slices.Equal(a.Operators, b.Operators)
			}) {
			t.Fatalf("Lookup(%d) for operator %d = %v, want %v", value, operator, got, want)
		}
	}
	if mixed < 20 {
		t.Errorf("%d answers have certain and possible sites, want more", mixed)
	}
	for _, as := range RadioTypes {
		if found[as] < 20 {
			t.Errorf("%d matches of the type %s, want more", found[as], as)
		}
	}
}
