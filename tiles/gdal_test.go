package tiles

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geojson"
	"github.com/paulmach/orb/maptile"
	mercator "github.com/paulmach/orb/project"

	"relais/geo"
	"relais/index"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
	"relais/measure"
)

// GDAL reads each layer of a tile as orb does: the same values at the same places.
func TestAgainstGDAL(t *testing.T) {
	tier.Slow(t)
	ogr2ogr, err := exec.LookPath("ogr2ogr")
	if err != nil {
		t.Skip("ogr2ogr is not installed (Debian: gdal-bin)")
	}
	m, points := france(t), randomPoints(900)
	points[0].rsrp, points[0].at = -87.5, m.Position(0)
	s := pointsOf(t, points)
	var outages []Outage
	for i, p := range points {
		outages = append(outages, Outage{ID: fmt.Sprintf("opérateur:%d", i), Position: p.at, Operators: 1 << (i % 5), Down: i%2 == 0})
	}
	for _, z := range []uint32{6, 10, 13} {
		o := tileOf(geo.Point{Lat: 48.86, Lng: 2.35}, z)
		tile := Tile{z, o.X, o.Y}
		coverage, err := Coverage(s, measure.Query{Market: market.FR}, tile)
		must(t, err)
		whole := slices.Concat(Dots(m, index.All, tile), Sites(m, index.All, tile), Sectors(m, index.All, tile), Places(m, tile), coverage,
			Outages(outages, tile))
		path := filepath.Join(t.TempDir(), "tile.mvt")
		filetest.Write(t, path, whole)
		layers := decode(t, whole)
		if want := map[uint32]int{6: 4, 10: 5, 13: 5}[z]; len(layers) != want {
			t.Errorf("zoom %d: %d layers, want %d", z, len(layers), want)
		}
		for name, want := range layers {
			t.Run(fmt.Sprintf("%s at zoom %d", name, z), func(t *testing.T) {
				out, err := exec.Command(ogr2ogr, "-f", "GeoJSON", "/vsistdout/", "-t_srs", "EPSG:4326", "-lco", "COORDINATE_PRECISION=9",
					"-oo", fmt.Sprint("X=", o.X), "-oo", fmt.Sprint("Y=", o.Y), "-oo", fmt.Sprint("Z=", z), "-oo", "CLIP=NO", path,
					name).CombinedOutput()
				if err != nil {
					t.Fatalf("ogr2ogr: %v: %s", err, out)
				}
				compareGDAL(t, out, want, o, extentOf(name))
			})
		}
	}
}

// compareGDAL compares what GDAL read with the features of a tile.
func compareGDAL(t *testing.T, text []byte, want []*geojson.Feature, o maptile.Tile, extent uint32) {
	t.Helper()
	var read struct {
		Features []struct {
			Geometry   geojson.Geometry
			Properties map[string]any
		}
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatalf("what GDAL wrote: %v: %.300s", err, text)
	}
	if len(read.Features) != len(want) {
		t.Fatalf("%d features, want %d", len(read.Features), len(want))
	}
	side := math.Exp2(-float64(o.Z)) / float64(extent) // of a unit, in worlds
	for i, f := range read.Features {
		got := map[string]any{}
		for key, v := range f.Properties {
			if v != nil && key != "mvt_id" {
				got[key] = v
			}
		}
		if diff := cmp.Diff(map[string]any(want[i].Properties), got); diff != "" {
			t.Errorf("feature %d (-want +got)\n%s", i, diff)
		}
		const world = 2 * math.Pi * orb.EarthRadius
		places := placesOf(f.Geometry.Coordinates)
		if n := len(placesOf(want[i].Geometry)); len(places) != n {
			t.Fatalf("feature %d has %d points, want %d", i, len(places), n)
		}
		for k, at := range placesOf(want[i].Geometry) {
			flat := mercator.WGS84.ToMercator(places[k])
			x := (flat[0]/world+0.5)/side - float64(o.X)*float64(extent)
			y := (0.5-flat[1]/world)/side - float64(o.Y)*float64(extent)
			if math.Abs(x-at[0]) > 0.1 || math.Abs(y-at[1]) > 0.1 {
				t.Errorf("feature %d at %.2f, %.2f, want %v", i, x, y, at)
			}
		}
	}
}
