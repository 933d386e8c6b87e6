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
