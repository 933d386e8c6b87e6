package areas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geojson"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
)

// run runs a program of GDAL, and skips the test where it is not installed.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not installed (Debian: gdal-bin)")
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// rowOf is a feature as GDAL reads it, or as Open does.
type rowOf struct {
	Attributes map[string]string
	Edges      [][4]float64
}

// random returns features with rings of so many positions.
func random(features, positions int) *geojson.FeatureCollection {
	rng := rand.New(rand.NewPCG(1, uint64(features)))
	c := geojson.NewFeatureCollection()
	for i := range features {
		var m orb.MultiPolygon
		for range rng.IntN(3) {
			var p orb.Polygon
			for range 1 + rng.IntN(3) {
				r := make(orb.Ring, positions)
				for k := range r {
					r[k] = orb.Point{rng.Float64() * 1e6, 6e6 + float64(rng.IntN(1000))}
				}
				p = append(p, append(r, r[0]))
			}
			m = append(m, p)
		}
		f := geojson.NewFeature(m)
		whole := []any{nil, -1, 127, -129, 40000, -9000000, 1 << 33, -1 << 40, 1 << 60}
		f.Properties = geojson.Properties{"operateur": 20801 + i, "n": whole[i%9], "debit": float64(i) / 8,
			"niveau": []any{"TBC", nil, "", "très bon"}[i%4], "large": i%2 == 0}
		c.Append(f)
	}
	return c
}

// GDAL and Open read the same from a GeoPackage that GDAL wrote: with trees of several levels, chains of pages, and
// pages of all sizes.
func TestAgainstGDAL(t *testing.T) {
	tier.Slow(t)
	for _, tt := range []struct {
		name                string
		features, positions int
		options             []string
	}{
		{"rows", 1500, 4, nil},
		{"chains", 8, 3000, []string{"-nlt", "MULTIPOLYGON"}},
		{"small pages", 400, 40, []string{"--config", "OGR_SQLITE_PRAGMA", "page_size=512"}},
		{"large pages", 400, 40, []string{"--config", "OGR_SQLITE_PRAGMA", "page_size=65536"}},
		{"Z", 50, 9, []string{"-nlt", "MULTIPOLYGONZ", "-zfield", "operateur"}},
		{"no index", 50, 9, []string{"-lco", "SPATIAL_INDEX=NO", "-lco", "GEOMETRY_NAME=the geom", "-lco", "FID=gid"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			text, err := random(tt.features, tt.positions).MarshalJSON()
			errtest.Must(t, err)
			source, path, back := filepath.Join(dir, "a.geojson"), filepath.Join(dir, "a.gpkg"), filepath.Join(dir, "back.geojson")
			filetest.Write(t, source, text)
			run(t, "ogr2ogr", append([]string{"-f", "GPKG", path, source, "-a_srs", "EPSG:5490", "-nln", "a b'c"}, tt.options...)...)
			run(t, "ogr2ogr", "-f", "GeoJSON", back, path, "-dim", "XY", "-lco", "COORDINATE_PRECISION=17", "-lco", "RFC7946=NO")
			want := rowsOfGeoJSON(t, filetest.Read(t, back))
			for _, path := range []string{path, back} {
				f, err := Open(t.Context(), path, dir, 0)
				errtest.Must(t, err)
				defer f.Close()
				if f.EPSG != 5490 {
					t.Errorf("%s: EPSG:%d, want 5490", path, f.EPSG)
				}
				if diff := cmp.Diff(want, rows(t, f)); diff != "" {
					t.Errorf("%s: %.3000s", path, diff)
				}
			}
			if len(want) != tt.features {
				t.Errorf("GDAL reads %d features, want %d", len(want), tt.features)
			}
		})
	}
}

// rows reads a file.
func rows(t *testing.T, f *File) (rows []rowOf) {
	errtest.Must(t, f.Features(func(g Feature) error {
		r := rowOf{Attributes: g.Attributes}
		for _, own := range []string{"fid", "gid", "id"} { // GDAL writes none of them
			delete(r.Attributes, own)
		}
		for name, value := range r.Attributes { // a GeoPackage's truths are numbers
			if truth := map[string]string{"true": "1", "false": "0"}[value]; truth != "" {
				r.Attributes[name] = truth
			}
		}
		err := g.Edges(func(x1, y1, x2, y2 float64) { r.Edges = append(r.Edges, [4]float64{x1, y1, x2, y2}) })
		rows = append(rows, r)
		return err
	}))
	return rows
}

// rowsOfGeoJSON reads what GDAL wrote, as orb does.
func rowsOfGeoJSON(t *testing.T, text []byte) (rows []rowOf) {
	c, err := geojson.UnmarshalFeatureCollection(text)
	errtest.Must(t, err)
	var raw struct {
		Features []struct{ Properties map[string]any }
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	errtest.Must(t, d.Decode(&raw))
	for i, f := range c.Features {
		r := rowOf{Attributes: map[string]string{}}
		for name, value := range raw.Features[i].Properties {
			switch value {
			case nil:
			case true:
				r.Attributes[name] = "1"
			case false:
				r.Attributes[name] = "0"
			default:
				r.Attributes[name] = fmt.Sprint(value)
				if n, ok := value.(json.Number); ok && bytes.HasSuffix([]byte(n), []byte(".0")) {
					r.Attributes[name] = string(n[:len(n)-2])
				}
			}
		}
		m, ok := f.Geometry.(orb.MultiPolygon)
		if p, single := f.Geometry.(orb.Polygon); single {
			m, ok = orb.MultiPolygon{p}, true
		}
		if !ok && f.Geometry != nil {
			t.Fatalf("feature %d is a %T", i, f.Geometry)
		}
		for _, p := range m {
			for _, ring := range p {
				for k := range ring[1:] {
					r.Edges = append(r.Edges, [4]float64{ring[k][0], ring[k][1], ring[k+1][0], ring[k+1][1]})
				}
			}
		}
		rows = append(rows, r)
	}
	return rows
}
