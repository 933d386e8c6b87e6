// Package coveragetest writes coverage maps as regulators publish them, and imports them.
package coveragetest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"relais/coverage"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/folder"
)

// An Area is a feature of a file. A polygon has an outer ring and holes.
type Area struct {
	ID       string
	Columns  map[string]any
	Polygons [][]Ring
}

// A Ring is the corners of a closed ring, without the first again.
type Ring [][2]float64

// Box returns an area that is a rectangle.
func Box(columns map[string]any, x0, y0, x1, y1 float64) Area {
	return Area{Columns: columns, Polygons: [][]Ring{{{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}}}}
}

// ARCEP returns the columns of an area of ARCEP. They are those that the importer of ARCEP-dev/Mon-Reseau-Mobile-v2 and
// two other readers expect; nobody of us saw a file. niveau is nil where ARCEP publishes none.
func ARCEP(plmn, techno, date string, niveau any) map[string]any {
	return map[string]any{"operateur": plmn, "operateur_commercial": "OF", "operateur_infra": "OF", "date": date,
		"techno": techno, "usage": "data", "niveau": niveau, "dept": nil}
}

// geoJSON returns a file of areas.
func geoJSON(epsg int, areas []Area) []byte {
	features := []any{}
	for _, a := range areas {
		polygons := [][][][2]float64{}
		for _, p := range a.Polygons {
			var rings [][][2]float64
			for _, r := range p {
				rings = append(rings, append(r[:len(r):len(r)], r[0]))
			}
			polygons = append(polygons, rings)
		}
		features = append(features, map[string]any{"type": "Feature", "id": a.ID, "properties": a.Columns,
			"geometry": map[string]any{"type": "MultiPolygon", "coordinates": polygons}})
	}
	text, _ := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features, // which can be marshalled
		"crs": map[string]any{"type": "name", "properties": map[string]any{"name": fmt.Sprint("urn:ogc:def:crs:EPSG::", epsg)}}})
	return text
}

// GeoPackage writes areas with ogr2ogr. layer is the name of their table.
func GeoPackage(t testing.TB, path, layer string, epsg int, areas ...Area) {
	t.Helper()
	if _, err := exec.LookPath("ogr2ogr"); err != nil {
		t.Skip("ogr2ogr is not installed (Debian: gdal-bin)")
	}
	from := filetest.New(t, "areas.geojson", geoJSON(epsg, areas))
	out, err := exec.Command("ogr2ogr", "-q", "-f", "GPKG", path, from, "-a_srs", fmt.Sprint("EPSG:", epsg), "-nln", layer,
		"-nlt", "MULTIPOLYGON").CombinedOutput()
	if err != nil {
		t.Fatalf("ogr2ogr: %v: %s", err, out)
	}
}

// Import imports files with cells of 100 m. All must be taken.
func Import(t testing.TB, dir folder.Dir, paths ...string) *coverage.Report {
	t.Helper()
	r, err := coverage.Import(t.Context(), coverage.Options{Dir: dir, Paths: paths, Metres: coverage.UsualMetres,
		Now: time.Now()})
	errtest.Must(t, err)
	errtest.Must(t, r.Failed())
	return r
}

// Store imports a file of GeoJSON with that name, and returns the store of its layers.
func Store(t testing.TB, name string, epsg int, areas ...Area) *coverage.Store {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	Import(t, dir, filetest.New(t, name, geoJSON(epsg, areas)))
	return coverage.NewStore(dir.Coverage())
}
