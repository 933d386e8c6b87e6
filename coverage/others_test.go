package coverage_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/coverage"
	"relais/geo"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// biptJSON is an answer of the Belgian service, as GeoServer writes it: four features, whose Layer is 0 to 3. The reader
// of an open project checks for exactly these; nobody of us saw an answer.
func biptJSON(layers ...any) []byte {
	features := []any{}
	for i, layer := range layers {
		x, y := 484000.0+4000*float64(i), 6594000.0 // near Brussels
		features = append(features, map[string]any{"type": "Feature", "id": fmt.Sprint("Proximus_4G.", i+1),
			"geometry_name": "the_geom", "geometry": map[string]any{"type": "MultiPolygon", "coordinates": [][][][2]float64{
				{{{x, y}, {x + 4000, y}, {x + 4000, y + 3000}, {x, y + 3000}, {x, y}}}}}, "properties": map[string]any{"Layer": layer}})
	}
	text, _ := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features, "totalFeatures": len(features),
		"crs": map[string]any{"type": "name", "properties": map[string]any{"name": "urn:ogc:def:crs:EPSG::3857"}}})
	return text
}

// The levels of Belgium are at their places: no coverage, and three others. They are only for those with a key.
func TestBelgium(t *testing.T) {
	dir, path := folder.Dir(t.TempDir()), filepath.Join(t.TempDir(), "coverage.json")
	filetest.Write(t, path, biptJSON(0, 1, 2, 3))
	r := imported(t, dir, path)
	if l := r.Files[0].Layers[0]; l.Operator != "PROXIMUS_BE" || l.Technology != "4G" || l.Service != "" || l.Areas != 4 {
		t.Errorf("layer %+v", l)
	}
	s, p := coverage.NewStore(dir.Coverage()), mercator(t)
	for i, want := range []string{coverage.LevelNone, coverage.LevelLimited, coverage.LevelGood, coverage.LevelVeryGood, ""} {
		found, err := s.At(coverage.Filter{}, p.From(484000+4000*float64(i)+2000, 6594000+1500), 0)
		must(t, err)
		if len(found) != 1 || found[0].Word.Level != want {
			t.Errorf("area %d: %v, want %q", i, found, want)
		}
	}
	if s.Layers(coverage.Filter{Free: true}) != nil {
		t.Error("maps without a licence are for everybody")
	}
	// 4 km × 3 km of Mercator at 50.8 degrees are 0.4 of that, and a border is in the middle of a cell.
	if km2 := r.Files[0].Layers[0].Covered; km2 < 14 || km2 > 14.8 {
		t.Errorf("%.2f km² are covered, want 14.4", km2)
	}
	filetest.Write(t, path, biptJSON(0, 7))
	refused(t, dir, path, `Layer "7"`)
}

func mercator(t *testing.T) *geo.Projection {
	p, ok := geo.ByEPSG(3857)
	if !ok {
		t.Fatal("no projection 3857")
	}
	return p
}

// The Swiss grids state how many of three operators there are, and name none.
func TestSwitzerland(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("gdal_translate is not installed (Debian: gdal-bin)")
	}
	from := t.TempDir()
	cells := filepath.Join(from, "cells.asc") // the first row is the northernmost
	filetest.Write(t, cells, []byte("ncols 4\nnrows 2\nxllcorner 2600000\nyllcorner 1199900\ncellsize 100\nNODATA_value 255\n3 2 255 0\n2 2 3 3\n"))
	path, elsewhere := filepath.Join(from, "ch.bakom.mobilnetz-5g.tif"), filepath.Join(from, "ch.bakom.mobilnetz-4g.tif")
	for to, system := range map[string]string{path: "EPSG:2056", elsewhere: "EPSG:3035"} {
		out, err := exec.Command("gdal_translate", "-q", "-ot", "Byte", "-a_srs", system, "-co", "COMPRESS=LZW", cells,
			to).CombinedOutput()
		if err != nil {
			t.Fatalf("gdal_translate: %v: %s", err, out)
		}
	}
	dir := folder.Dir(t.TempDir())
	refused(t, dir, elsewhere, "EPSG:3035")
	r, err := coverage.Import(t.Context(), coverage.Options{Dir: dir, Market: market.FR, Paths: []string{path}, Now: time.Now()})
	must(t, err)
	if got := r.Files[0].Error; !strings.Contains(got, "import it with CH") {
		t.Errorf("imported with FR: %q", got)
	}
	imported(t, dir, path)
	s := coverage.NewStore(dir.Coverage())
	none := coverage.Word{Level: coverage.LevelNone}
	for i, want := range []coverage.Word{{Level: coverage.LevelCovered, Source: "3", Operators: coverage.Three},
		{Level: coverage.LevelCovered, Source: "2", Operators: coverage.Some}, none, none} {
		found, err := s.At(coverage.Filter{Operators: []string{"SALT_CH"}}, geo.FromLV95(2600050+100*float64(i), 1200050), 0)
		must(t, err)
		if len(found) != 1 || found[0].Word != want || found[0].Layer.Market != market.CH || found[0].Layer.Operator != "" {
			t.Errorf("cell %d: %v, want %v", i, found, want)
		}
	}
	for _, name := range []string{"coverage.tif", "ch.bakom.mobilnetz-9g.tif"} {
		other := filepath.Join(from, name)
		filetest.Write(t, other, filetest.Read(t, path))
		refused(t, dir, other, "mobilnetz")
	}
}

// An area of Spain names those who cover it by tax numbers; where nobody does, nothing is said.
func TestSpain(t *testing.T) {
	square := func(lng float64, companies string) map[string]any {
		const side = 0.00034612 * 10 // ten of the service's squares
		return map[string]any{"type": "Feature", "properties": map[string]any{"COBERTURA": companies}, "geometry": map[string]any{
			"type": "Polygon", "coordinates": [][][2]float64{{{lng, 40.4}, {lng + side, 40.4}, {lng + side, 40.4 + side},
				{lng, 40.4 + side}, {lng, 40.4}}}}}
	}
	text, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": []any{square(-3.7, "A78923125;A82528548"),
		square(-3.6, "A78923125")}})
	must(t, err)
	dir, from := folder.Dir(t.TempDir()), t.TempDir()
	path := filepath.Join(from, "InfoCob5G_2025.geojson")
	filetest.Write(t, path, text)
	if r := imported(t, dir, path); len(r.Files[0].Layers) != 2 {
		t.Errorf("%d layers, want 2", len(r.Files[0].Layers))
	}
	s := coverage.NewStore(dir.Coverage())
	for lng, want := range map[float64]string{-3.698: "MOVISTAR_ES YOIGO_ES", -3.598: "MOVISTAR_ES", -3.65: ""} {
		found, err := s.At(coverage.Filter{Market: market.ES}, geo.Point{Lat: 40.402, Lng: lng}, 0)
		must(t, err)
		var got []string
		for _, p := range found {
			if p.Word.Level == coverage.LevelCovered {
				got = append(got, p.Layer.Operator)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("at %v: %v, want %q", lng, got, want)
		}
	}
	filetest.Write(t, path, []byte(strings.Replace(string(text), "A82528548", "A00000000", 1)))
	refused(t, dir, path, "A00000000")
}
