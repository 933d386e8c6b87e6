package radio

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/site/observation"
)

// Positions of operators in the table of FR.
const (
	sfr = iota
	bouygues
	orange
)

var home = geo.Point{Lat: 46, Lng: 3}

func enb(operator int, value uint64) site.RadioID {
	return site.RadioID{Kind: site.ENB, Operator: operator, Value: value}
}

func gnb(value uint64, bits uint8) site.RadioID {
	return site.RadioID{Kind: site.GNB, Operator: orange, Value: value, Bits: bits}
}

func cell(value uint64) site.RadioID {
	return site.RadioID{Kind: site.Cell, Operator: orange, Value: value}
}

func pci(operator int, value uint64) site.RadioID {
	return site.RadioID{Kind: site.PCI, Operator: operator, Value: value}
}

// An ECI is the eNB and 8 bits; an NCI is the gNB and what is left of 36 bits.
func TestHasCell(t *testing.T) {
	for _, tt := range []struct {
		name string
		node site.RadioID
		cell uint64
		want bool
	}{
		{"an eNB", enb(orange, 1009), 258305, true},
		{"another eNB", enb(orange, 1010), 258305, false},
		{"an NCI is not an ECI", enb(orange, 1<<20), 1 << 28, false},
		{"a gNB of 24 bits", gnb(70000, 24), 286720009, true},
		{"a gNB of 22 bits", gnb(70000, 22), 286720009, false},
		{"a gNB of unknown length", gnb(70000, 0), 286720009, false},
		{"a cell", cell(258305), 258305, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := hasCell(tt.node, tt.cell); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Base stations come before cells of none of them, each once.
func TestBaseStations(t *testing.T) {
	ids := []site.RadioID{cell(9<<8 | 1), cell(1009<<8 | 1), pci(orange, 3), enb(orange, 1009), enb(sfr, 7),
		enb(orange, 1009), gnb(70000, 24)}
	want := []site.RadioID{enb(orange, 1009), gnb(70000, 24), cell(9<<8 | 1)}
	if got := BaseStations(ids, orange, 5); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := BaseStations(ids, orange, 2); !slices.Equal(got, want[:2]) {
		t.Errorf("of two: got %v, want %v", got, want[:2])
	}
}

func TestNearestAzimuth(t *testing.T) {
	for _, tt := range []struct {
		direction float64
		azimuth   uint16
		off       float64
	}{{10, 10, 0}, {355, 10, 15}, {71, 130, 59}, {309.5, 250, 59.5}} {
		t.Run(fmt.Sprint(tt.direction), func(t *testing.T) {
			azimuth, off, ok := NearestAzimuth([]uint16{10, 130, 250}, tt.direction)
			if azimuth != tt.azimuth || math.Abs(off-tt.off) > 1e-9 || !ok {
				t.Errorf("got %d, %v, %v, want %d, %v", azimuth, off, ok, tt.azimuth, tt.off)
			}
		})
	}
	if _, _, ok := NearestAzimuth(nil, 0); ok {
		t.Error("no azimuths have a nearest one")
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		list []float64
		want float64
	}{{nil, math.NaN()}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 7, 1}, 7}, {[]float64{1, 9, 2, 8}, 5}} {
		t.Run(fmt.Sprint(tt.list), func(t *testing.T) {
			if got := Median(tt.list); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Collisions are the pairs of one operator, equal ones first, and no more than the limit.
func TestCollisions(t *testing.T) {
	ids := []site.RadioID{pci(orange, 4), pci(orange, 5), pci(orange, 4), pci(orange, 6), pci(bouygues, 4), pci(sfr, 9)}
	own := PCIs(nil, ids, []int{orange, sfr}, 2)
	if want := []site.RadioID{pci(orange, 4), pci(orange, 5), pci(sfr, 9)}; !slices.Equal(own, want) {
		t.Fatalf("PCIs: got %v, want %v", own, want)
	}
	c := NewCollisions(own, 3)
	c.Compare(1, 100, []site.RadioID{pci(orange, 7), pci(sfr, 4)}) // 7 is 4 modulo 3
	c.Compare(2, 200, []site.RadioID{pci(orange, 5), pci(sfr, 0)}) // 5 is 5, and 0 is 9 modulo 3
	c.Compare(3, 300, []site.RadioID{pci(orange, 10)})
	var got []string
	for _, one := range c.List() {
		got = append(got, fmt.Sprint(one.Kind, " ", one.Own.Value, " ", one.Other.Value, " ", one.Neighbour))
	}
	if want := []string{"equal 5 5 2", "mod3 4 7 1", "mod3 9 0 2"}; !slices.Equal(got, want) || c.Equal != 1 ||
		c.Mod3 != 3 {
		t.Errorf("got %q, %d equal and %d modulo 3, want %q, 1 and 3", got, c.Equal, c.Mod3, want)
	}
}

// Two measurements a kilometre away on both sides of north have the mean direction north.
func TestAlignment(t *testing.T) {
	const kilometre = 1000 / geo.EarthRadius * 180 / math.Pi
	a := NewAlignment(home, func(Cell) []uint16 { return []uint16{0, 120, 240} })
	c := Cell{Operator: orange, Generation: site.G4, ID: 258305, PCI: 7}
	for _, east := range []float64{-0.3, 0.3} { // tan⁻¹ 0.3 is 16.70°
		a.Add(c, geo.Point{Lat: home.Lat + kilometre, Lng: home.Lng + east*kilometre/math.Cos(home.Lat*math.Pi/180)})
	}
	a.Add(c, geo.Point{Lat: home.Lat + kilometre/21, Lng: home.Lng})
	cells, all := a.Cells(5)
	if len(cells) != 1 || all != 1 || a.TooNear != 1 {
		t.Fatalf("got %+v of %d, %d too near", cells, all, a.TooNear)
	}
	got := cells[0]
	if off := geo.AngleBetween(got.Bearing, 0); off > 0.01 ||
		math.Abs(got.Concentration-math.Cos(16.70*math.Pi/180)) > 0.001 ||
		math.Abs(got.Metres-1044) > 1 || got.Measurements != 2 || !got.HasBearing() {
		t.Errorf("got %+v, want 2 at 1044 m towards 0°, concentration cos 16.70°", got)
	}
	if n, off := a.Sector(0); n != 2 || math.Abs(off-16.70) > 0.02 {
		t.Errorf("sector 0: got %d, %v, want 2, 16.70", n, off)
	}
	if n, _ := a.Sector(120); n != 0 {
		t.Errorf("sector 120: got %d, want none", n)
	}
}

// The formula of the score, by hand.
func TestScore(t *testing.T) {
	value := func(v uint64) *uint64 { return &v }
	node := func(v uint64) []Identifier { return []Identifier{{Value: v}} }
	s := &site.Site{Position: home,
		Stations: []site.Station{{Operator: orange}, {Operator: sfr}},
		Emissions: []site.Emission{{Station: 0, Generation: site.G4, Status: 2, Azimuths: []uint16{0}},
			{Station: 1, Generation: site.G4, Azimuths: []uint16{0}}},
		Radio: []site.RadioID{enb(orange, 1009), pci(orange, 12),
			{Kind: site.Cell, Operator: orange, Value: 7, Learned: true}}}
	north := geo.Point{Lat: home.Lat + 1000/geo.EarthRadius*180/math.Pi, Lng: home.Lng}
	for _, tt := range []struct {
		name     string
		phone    Phone
		points   float64
		operator int
	}{
		{"the eNB", Phone{Identifiers: node(1009)}, 90, orange},
		{"a learned cell", Phone{Identifiers: []Identifier{{Cell: true, Value: 7}}}, 80, orange},
		{"nothing", Phone{Identifiers: node(1010)}, 0, -1},
		{"the eNB and another PCI", Phone{Identifiers: node(1009), PCI: value(13)}, 69.2, orange},              // 45 of 65
		{"a generation that it has not", Phone{Identifiers: node(1), Generation: site.G5}, 0, -1},              // of 60
		{"in operation", Phone{Identifiers: node(1009), Generation: site.G4}, 91.7, orange},                    // 55 of 60
		{"a kilometre in front of an antenna", Phone{Position: &north}, 70, -1},                                // 7.5 + 10 of 25
		{"the eNB a kilometre away", Phone{Identifiers: node(1009), Position: &north}, 83.3, orange},           // 62.5 of 75
		{"the eNB on the spot", Phone{Identifiers: node(1009), Position: &home, PCI: value(12)}, 94.4, orange}, // 85 of 90
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.phone.Score(market.Get(market.FR), s, []int{sfr, orange})
			if math.Abs(got.Points-tt.points) > 0.051 || got.Operator != tt.operator {
				t.Errorf("got %v of %d, want %v of %d: %+v", got.Points, got.Operator, tt.points, tt.operator,
					got.Parts)
			}
		})
	}
}

// What is declared and what was measured, and what is to be said of it.
func TestCompare(t *testing.T) {
	s := &site.Site{Stations: []site.Station{{Operator: orange}}, Emissions: []site.Emission{
		{Generation: site.G3, System: "UMTS 900", Status: 2}, {Generation: site.G4, System: "LTE 800", Status: 2},
		{Generation: site.G5, System: "5G NR 3500"}}}
	naming, near := &ByGeneration{site.G4: 3, site.G5: 2}, &ByGeneration{site.G2: 1, site.G4: 5}
	got := ""
	for _, g := range Compare(market.Get(market.FR), s, orange, naming, near) {
		got += fmt.Sprint(g.Generation, " ", g.Declared, " ", g.Finding(), "; ")
	}
	want := fmt.Sprintf("2G no %d; 3G inOperation %d; 4G inOperation %d; 5G project %d; ", MaybeNeighbours,
		NeverMeasured, NoFinding, Undeclared)
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A measurement of a gNB and its cell counts once, for the gNB.
func TestSurrounding(t *testing.T) {
	at := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	nodes := []site.RadioID{gnb(70000, 24), cell(70000<<12 | 1)}
	near := NewSurrounding(nodes)
	m := &Measurement{Operator: orange, Time: at, Generation: site.G5, LTEPCI: -1, NRPCI: 10,
		NR: observation.Cell{Operator: orange, NR: true, Node: 70000, ID: 70000<<12 | 1, PCI: 10}}
	other := &Measurement{Operator: orange, Generation: site.G4, LTEPCI: 3, NRPCI: -1,
		LTE: observation.Cell{Operator: orange, Node: 5, PCI: 3}}
	near.Add(m)
	near.Add(other)
	if near.Count != 2 || near.Generations != (ByGeneration{site.G4: 1, site.G5: 1}) || near.CountOf(nodes[0]) != 1 {
		t.Errorf("got %+v, want one node of each generation", near)
	}
	if list, all := near.Others(5); all != 1 || list[0].ID != enb(orange, 5) ||
		!slices.Equal(list[0].PCIs(), []int{3}) {
		t.Errorf("others: got %+v of %d, want the eNB 5", list, all)
	}
	var byNode, byCell Naming
	byNode.Add(m, nodes[0], nodes)
	byCell.Add(m, nodes[1], nodes)
	if byNode.Here(10) != (ByGeneration{site.G5: 10}) || byNode.AllByNode() || !byNode.Last.Equal(at) {
		t.Errorf("of the gNB: got %v", byNode.Here(10))
	}
	if byCell.Here(10) != (ByGeneration{}) || !byCell.AllByNode() {
		t.Errorf("of the cell: got %v", byCell.Here(10))
	}
}

// What is learned or may be another one is less certain than what a source states.
func TestEvidence(t *testing.T) {
	learned := func(id site.RadioID) site.RadioID {
		id.Learned = true
		return id
	}
	eNB, eci := Identifier{Generation: site.G4, Value: 1009}, Identifier{Cell: true, Generation: site.G4, Value: 258305}
	nci, small := Identifier{Cell: true, Generation: site.G5, Value: 286720009}, Identifier{Cell: true, Generation: site.G5}
	for _, tt := range []struct {
		name string
		x    Identifier
		ids  []site.RadioID
		want Basis
	}{
		{"stated", eNB, []site.RadioID{enb(orange, 1009)}, Stated},
		{"learned", eNB, []site.RadioID{learned(enb(orange, 1009))}, Learned},
		{"both", eNB, []site.RadioID{learned(enb(orange, 1009)), enb(orange, 1009)}, Stated},
		{"another operator's", eNB, []site.RadioID{enb(sfr, 1009)}, Unknown},
		{"an ECI of the eNB", eci, []site.RadioID{enb(orange, 1009)}, Stated},
		{"a gNB of the length", nci, []site.RadioID{gnb(70000, 24)}, Stated},
		{"a gNB of unknown length", nci, []site.RadioID{gnb(70000, 0)}, Possible},
		{"the same, learned", nci, []site.RadioID{learned(gnb(70000, 0))}, Possible},
		{"an NCI that no ECI is", nci, []site.RadioID{cell(286720009)}, Stated},
		{"an NCI that may be an ECI", small, []site.RadioID{cell(0)}, Possible},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Phone{Identifiers: []Identifier{tt.x}}
			got := p.Evidence(tt.ids, []int{orange})
			if got.Identifiers[0] != tt.want || got.Certain() != (tt.want == Stated) ||
				len(got.Operators) > 0 != (tt.want > Unknown) {
				t.Errorf("got %+v, want %d", got, tt.want)
			}
		})
	}
}
