package catalog

import (
	"slices"
	"testing"

	"relais/coverage/coveragetest"
	"relais/geo"
)

// Maps of a place and of an area come in one order: operators as in the market's table, the newest technology first.
func TestOneOrderOfMaps(t *testing.T) {
	const x, y = 352000, 6789000
	var areas []coveragetest.Area
	for _, of := range [][2]string{{"20801", "3G"}, {"20801", "4G"}, {"20801", "5G"}, {"20810", "4G"}, {"20810", "5G"}, {"20820", "4G"}} {
		level := any("BC")
		if of[1] != "4G" {
			level = nil
		}
		areas = append(areas, coveragetest.Box(coveragetest.ARCEP(of[0], of[1], "2026-06-30", level), x-2000, y-2000, x+2000, y+2000))
	}
	c := Catalog{Coverage: coveragetest.Store(t, "maps.geojson", 2154, areas...), Now: noon}
	lambert, _ := geo.ByEPSG(2154)
	low, high := lambert.From(x-1000, y-1000), lambert.From(x+1000, y+1000)
	place, err := c.CoverageAt(t.Context(), Coverage{At: lambert.From(x, y)})
	if err != nil {
		t.Fatal(err)
	}
	area, err := c.CoverageOf(t.Context(), CoverageArea{Box: &geo.Box{South: low.Lat, West: low.Lng, North: high.Lat, East: high.Lng}})
	if err != nil {
		t.Fatal(err)
	}
	var rows, shares []string
	for _, r := range place.Rows {
		rows = append(rows, r.Layer.Operator+" "+r.Layer.Technology)
	}
	for _, s := range area.Shares {
		shares = append(shares, s.Layer.Operator+" "+s.Layer.Technology)
	}
	want := []string{"SFR 5G", "SFR 4G", "BOUYGUES 4G", "ORANGE 5G", "ORANGE 4G", "ORANGE 3G"}
	if !slices.Equal(rows, want) || !slices.Equal(shares, want) {
		t.Errorf("of the place %v, of the area %v, want %v", rows, shares, want)
	}
}

// A box without the middle of a cell is told apart from one that no map has.
func TestSmallArea(t *testing.T) {
	c := Catalog{Coverage: mapsOf(t), Now: noon}
	lambert, _ := geo.ByEPSG(2154)
	for _, tt := range []struct {
		name           string
		x, y, half     float64 // Lambert-93; cells of 100 m have their corners at multiples of it
		operators      []string
		small, covered bool
	}{
		{"at a corner of cells", 352000, 6789000, 20, nil, true, false},
		{"around a middle", 352050, 6789050, 20, nil, false, true},
		{"many cells", 352000, 6789000, 300, nil, false, true},
		{"an operator without a map", 352000, 6789000, 20, []string{"FREE"}, false, false},
		{"far from the grid", 900000, 4000000, 20, nil, false, false},
	} {
		low, high := lambert.From(tt.x-tt.half, tt.y-tt.half), lambert.From(tt.x+tt.half, tt.y+tt.half)
		found, err := c.CoverageOf(t.Context(), CoverageArea{Operators: tt.operators,
			Box: &geo.Box{South: low.Lat, West: low.Lng, North: high.Lat, East: high.Lng}})
		if err != nil || found.Small != tt.small || (len(found.Shares) > 0) != tt.covered {
			t.Errorf("%s: %+v, %v, want small: %t, shares: %t", tt.name, found, err, tt.small, tt.covered)
		}
	}
}

// If only the operators are why there is nothing, it is said which others have maps.
func TestOtherOperators(t *testing.T) {
	c := Catalog{Coverage: mapsOf(t), Now: noon}
	lambert, _ := geo.ByEPSG(2154)
	at := lambert.From(352000, 6789000)
	for _, tt := range []struct {
		q    Coverage
		rows int
		want []string
	}{
		{Coverage{At: at}, 2, nil},
		{Coverage{At: at, Operators: []string{"DIGICEL"}}, 0, []string{"SFR", "ORANGE"}},
		{Coverage{At: at, Operators: []string{"FREE"}}, 0, []string{"SFR", "ORANGE"}},
		{Coverage{At: at, Operators: []string{"FREE", "SFR"}}, 1, nil},
		{Coverage{At: at, Operators: []string{"SFR"}, Technologies: []string{"2G"}}, 0, nil},
		{Coverage{At: geo.Point{Lat: 47, Lng: -4.5}, Operators: []string{"DIGICEL"}}, 0, nil}, // the sea
	} {
		found, err := c.CoverageAt(t.Context(), tt.q)
		if err != nil || len(found.Rows) != tt.rows || !slices.Equal(found.Others, tt.want) {
			t.Errorf("%+v: %d rows, %+v, %v, want %d and %v", tt.q, len(found.Rows), found, err, tt.rows, tt.want)
		}
	}
}
