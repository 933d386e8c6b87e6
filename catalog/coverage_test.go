package catalog

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/address"
	"relais/coverage"
	"relais/coverage/coveragetest"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
	"relais/measure/measuretest"
	"relais/site"
)

// mapsOf returns the store of two maps: Orange's in 4G covers a square of 4 km in Brittany, SFR's one of 1 km in its middle.
func mapsOf(t *testing.T) *coverage.Store {
	t.Helper()
	square := func(plmn string, half float64) coveragetest.Area {
		const x, y = 352000, 6789000
		return coveragetest.Box(coveragetest.ARCEP(plmn, "4G", "2026-06-30", "BC"), x-half, y-half, x+half, y+half)
	}
	return coveragetest.Store(t, "maps.geojson", 2154, square("20801", 2000), square("20810", 500))
}

// What the maps say of a place comes with the nearest site and what was measured, and where these contradict each other.
func TestCoverageAt(t *testing.T) {
	lambert, _ := geo.ByEPSG(2154)
	middle, edge, outside := lambert.From(352000, 6789000), lambert.From(353500, 6789000), lambert.From(356000, 6789000)
	point := func(at geo.Point, technology string, mnc int) string {
		return fmt.Sprintf("%s,%.6f,%.6f,-97,%s,208,%d\n", noon.AddDate(0, 0, -9).Format(time.RFC3339), at.Lat, at.Lng, technology, mnc)
	}
	text := "timestamp,lat,lng,signal_strength,technology,mcc,mnc\n" + point(middle, "LTE", 1) +
		point(edge, "LTE", 10) + point(outside, "LTE", 1) + point(outside, "GSM", 10)
	sites := []site.Site{}
	for i, at := range []geo.Point{edge, outside} {
		sites = append(sites, site.Site{ID: fmt.Sprint(i + 1), Position: at, Stations: []site.Station{{Code: fmt.Sprint(i), Operator: 2}},
			Emissions: []site.Emission{{Generation: site.G4, System: "LTE 800", Status: len(market.Get(market.FR).Statuses) - 1}}})
	}
	c := Catalog{Coverage: mapsOf(t), Measures: measuretest.Open(t, func() time.Time { return noon }, text), Now: noon,
		Set: index.NewSet([]*index.Market{indextest.Market(t, market.FR, sites...)}, nil)}
	type said struct {
		level    string
		points   int
		disagree Disagreement
	}
	for _, tt := range []struct {
		name string
		at   geo.Point
		want map[string]said
	}{
		{"the middle", middle, map[string]said{"ORANGE": {"good", 1, ""}, "SFR": {"good", 0, ""}}},
		{"where only Orange is", edge, map[string]said{"ORANGE": {"good", 0, ""}, "SFR": {"none", 1, UncoveredMeasured}}},
		{"outside", outside, map[string]said{"ORANGE": {"none", 1, UncoveredMeasured}, "SFR": {"none", 0, ""}}},
		{"the sea", geo.Point{Lat: 47, Lng: -4.5}, nil},
	} {
		found, err := c.CoverageAt(t.Context(), Coverage{At: tt.at})
		if err != nil || len(found.Rows) != len(tt.want) || (found.Market == nil) != (tt.want == nil) {
			t.Fatalf("%s: %+v, %v", tt.name, found, err)
		}
		for _, r := range found.Rows {
			got := said{level: r.Word.Level, disagree: r.Disagree}
			if r.Measured != nil {
				got.points = r.Measured.Points
			}
			if got != tt.want[r.Layer.Operator] {
				t.Errorf("%s: %s %+v, want %+v", tt.name, r.Layer.Operator, got, tt.want[r.Layer.Operator])
			}
			if r.Layer.Operator == "ORANGE" {
				if want := min(geo.Distance(tt.at, edge), geo.Distance(tt.at, outside)); r.Site == nil || math.Abs(r.Site.Metres-want) > 1 {
					t.Errorf("%s: nearest site %+v, want one in %.0f m", tt.name, r.Site, want)
				}
			} else if r.Site != nil {
				t.Errorf("%s: %s has a site", tt.name, r.Layer.Operator)
			}
		}
	}
	found, err := c.CoverageAt(t.Context(), Coverage{At: edge, Operators: []string{"sfr"}})
	if err != nil || len(found.Rows) != 1 || found.Rows[0].Better == nil || math.Abs(found.Rows[0].Better.Metres-1050) > 5 {
		t.Errorf("SFR at the edge: %+v, %v, want good in 1050 m", found.Rows, err)
	}
}

// Editions of maps whose source states no licence are not listed without a key. A place names its market whatever edition
// is asked for.
func TestEditionsOfWithheldMaps(t *testing.T) {
	mercator, _ := geo.ByEPSG(3857)
	x, y := mercator.To(geo.Point{Lat: 50.8, Lng: 4.3})
	a := coveragetest.Box(map[string]any{"Layer": 2}, x-2000, y-2000, x+2000, y+2000)
	a.ID = "Proximus_4G.1"
	store := coveragetest.Store(t, "Proximus_4G.json", 3857, a)
	be := market.Get(market.BE)
	for keyless, days := range map[bool]int{false: 1, true: 0} {
		c := Catalog{Coverage: store, Keyless: keyless, Now: noon}
		for _, m := range []*market.Market{nil, be} {
			if got := c.CoverageEditions(m); len(got) != days {
				t.Errorf("keyless %v: editions %v, want %d", keyless, got, days)
			}
		}
		found, err := c.CoverageAt(t.Context(), Coverage{At: geo.Point{Lat: 50.8, Lng: 4.3}, Edition: "2020-01-01"})
		if want := map[int]*market.Market{1: be}[days]; err != nil || found.Market != want || len(found.Rows) > 0 {
			t.Errorf("keyless %v: %+v, %v, want no rows, and Belgium with a key", keyless, found, err)
		}
	}
}

// Where most phones found no network, the map is contradicted only if it expects one.
func TestNoServiceWhereCovered(t *testing.T) {
	other := measure.Point{Measurement: measure.Measurement{Operator: "ORANGE", Technology: "GSM"}}
	gone := measure.Point{Measurement: measure.Measurement{Operator: "ORANGE", NetworkType: "NO_SERVICE"}}
	seen := measure.Point{Measurement: measure.Measurement{Operator: "ORANGE", Technology: "LTE", Radio: measure.Radio{RSRP: -90}}}
	for _, tt := range []struct {
		level  string
		points []measure.Point
		want   Disagreement
	}{
		{coverage.LevelGood, []measure.Point{gone, gone, seen}, CoveredNoService},
		{coverage.LevelGood, []measure.Point{gone, seen}, ""},
		{coverage.LevelGood, []measure.Point{gone, other, other}, ""}, // a phone had another technology
		{coverage.LevelCovered, []measure.Point{gone}, CoveredNoService},
		{coverage.LevelNone, []measure.Point{gone}, ""},
		{coverage.LevelNone, []measure.Point{seen}, UncoveredMeasured},
		{"", []measure.Point{seen, gone, gone}, ""},
	} {
		r := CoverageRow{Place: coverage.Place{Layer: &coverage.Layer{Info: coverage.Info{Technology: "4G"}},
			Word: coverage.Word{Level: tt.level}}}
		if r.measure(tt.points); r.Disagree != tt.want {
			t.Errorf("%q with %d points: %q, want %q", tt.level, len(tt.points), r.Disagree, tt.want)
		}
	}
}

// At a border, what a source states counts before what follows from the outline of a country; and of two islands' maps
// the one that says something.
func TestMarketOfPlace(t *testing.T) {
	place := func(code market.Code, territory, level string, stated bool) coverage.Place {
		return coverage.Place{Layer: &coverage.Layer{Info: coverage.Info{Market: code, Technology: "4G", Territory: territory}},
			Word: coverage.Word{Level: level}, Stated: stated}
	}
	none, covered, nothing := place(market.FR, "", coverage.LevelNone, false), place(market.CH, "", coverage.LevelCovered, true),
		place(market.FR, "", "", false)
	for _, tt := range []struct {
		places []coverage.Place
		want   market.Code
	}{
		{[]coverage.Place{none, none, none, covered}, market.CH},
		{[]coverage.Place{none, nothing}, market.FR},
		{[]coverage.Place{nothing, nothing}, ""},
		{nil, ""},
	} {
		if got := marketOf(tt.places); got != market.Get(tt.want) {
			t.Errorf("%d places: market %+v, want %q", len(tt.places), got, tt.want)
		}
	}
	here, there := place(market.DROM, "guadeloupe", coverage.LevelGood, true), place(market.DROM, "martinique", "", false)
	for _, order := range [][]coverage.Place{{here, there}, {there, here}} {
		var f CoverageFound
		for _, p := range order {
			f.add(CoverageRow{Place: p, Operator: 0})
		}
		if len(f.Rows) != 1 || f.Rows[0].Word.Level != coverage.LevelGood {
			t.Errorf("rows %+v, want Guadeloupe's", f.Rows)
		}
	}
}

// A damaged map closes what its market's maps may say something of, and nothing else.
func TestDamagedMapClosesItsMarket(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	_, err := address.Ingest(t.Context(), address.Options{Dir: dir, Now: time.Now(),
		Paths: []string{"../ingest/ban/testdata/adresses-59.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	square := func(south, west float64) *geo.Box {
		return &geo.Box{South: south, West: west, North: south + 0.1, East: west + 0.1}
	}
	for _, tt := range []struct {
		damaged market.Code
		place   geo.Point
		area    CoverageArea
		closed  bool
	}{
		{market.BE, geo.Point{Lat: 48.11, Lng: -1.68}, CoverageArea{Commune: "59001"}, false},
		{market.BE, geo.Point{Lat: 48.11, Lng: -1.68}, CoverageArea{Market: market.Get(market.FR), Area: "59"}, false},
		{market.BE, geo.Point{Lat: -45, Lng: 170}, CoverageArea{Box: square(48.1, -1.7)}, false},
		{market.BE, geo.Point{Lat: 50.8, Lng: 4.3}, CoverageArea{Box: square(50.8, 4.3)}, true},
		{market.FR, geo.Point{Lat: 48.11, Lng: -1.68}, CoverageArea{Commune: "59001"}, true},
		{market.FR, geo.Point{Lat: 48.11, Lng: -1.68}, CoverageArea{Market: market.Get(market.FR), Area: "59"}, true},
		{market.FR, geo.Point{Lat: 48.11, Lng: -1.68}, CoverageArea{Box: square(48.1, -1.7)}, true},
	} {
		maps := t.TempDir()
		filetest.Write(t, filepath.Join(maps, strings.ToLower(string(tt.damaged))+"-all-all-4g-all-2026-06-30"+coverage.Suffix), "cut")
		c := Catalog{Coverage: coverage.NewStore(maps), Addresses: address.NewStore(address.Path(dir)), Now: noon}
		_, err := c.CoverageAt(t.Context(), Coverage{At: tt.place})
		_, areaErr := c.CoverageOf(t.Context(), tt.area)
		for _, err := range []error{err, areaErr} {
			if _, ok := errors.AsType[*UnusableError](err); ok != tt.closed || !ok && err != nil {
				t.Errorf("a damaged map of %s, %+v, %+v: %v, want closed: %v", tt.damaged, tt.place, tt.area, err, tt.closed)
			}
		}
	}
}
