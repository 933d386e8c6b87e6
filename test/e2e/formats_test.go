//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

// Rows of every format are those of /antennas, for each selection.
func TestFormatsAgainstTheList(t *testing.T) {
	s := serve(t, makeCountry(t, 500).dir)
	for _, l := range s.everySelection() {
		t.Run(l.selection.query, func(t *testing.T) {
			s := *s
			s.t = t
			compareCells(t, "CSV of sites", s.csvCells("format=csv&"+l.query), siteRows(l.sites))
			compareCells(t, "CSV of emissions", s.csvCells("format=csv&rows=emissions&"+l.query), l.emissionRows(l.sites))
			compareCells(t, "GeoJSON", featureCells(t, s.export("format=geojson&properties=full&" + l.query)["features"].([]any)),
				siteRows(l.sites))
			if l.selection.query != onlyDisc {
				compareCells(t, "OGC API", featureCells(t, s.ogcFeatures("fr-sites", l.query)), siteRows(l.sites))
			}
			got := placemarks(t, s.get("/external/v1/antennas/export?format=kmz&"+l.query).body)
			if d := cmp.Diff(l.placemarks(s.operatorLabels()), got); d != "" {
				t.Errorf("KMZ: got + and want -:\n%.3000s", d)
			}
		})
	}
}

func (s *server) export(query string) object { return s.ask("/antennas/export?" + query) }

// ogcFeatures are the features of a collection, page by page.
func (s *server) ogcFeatures(collection, query string) (features []any) {
	s.t.Helper()
	for address := s.base + "/ogc/collections/" + collection + "/items?limit=37&" + query; address != ""; {
		u, err := url.Parse(address)
		must(s.t, err)
		page := s.get(u.RequestURI()).object()
		features, address = append(features, page["features"].([]any)...), ""
		for _, l := range page["links"].([]any) {
			if l.(object)["rel"] == "next" {
				address = l.(object)["href"].(string)
			}
		}
	}
	return features
}

// The rows of Parquet, as DuckDB and hyparquet read them, are those of /antennas, for each selection.
func TestConformanceOfParquetRows(t *testing.T) {
	script := nodeScript(t, "exports/rows.mjs")
	s := serve(t, makeCountry(t, 500).dir)
	dir, list := t.TempDir(), s.everySelection()
	for i, l := range list {
		for _, rows := range []string{"sites", "emissions"} {
			filetest.Write(t, filepath.Join(dir, fmt.Sprint(rows, i)),
				s.get("/external/v1/antennas/export?format=parquet&rows="+rows+"&"+l.query).body)
		}
	}
	script.Env = append(script.Env, "DIR="+dir)
	out, err := script.Output()
	if err != nil {
		t.Fatalf("node: %v: %.500s", err, out)
	}
	var got map[string]map[string][]any // by file and reader
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %.500s", err, out)
	}
	for i, l := range list {
		t.Run(l.selection.query, func(t *testing.T) {
			for _, reader := range []string{"duckdb", "hyparquet"} {
				want := siteRows(l.order)
				for _, row := range want {
					delete(row, "distanceMeters") // files are the same wherever one asks from
				}
				compareCells(t, reader+", sites", parquetCells(got[fmt.Sprint("sites", i)][reader]), want)
				compareCells(t, reader+", emissions", parquetCells(got[fmt.Sprint("emissions", i)][reader]), l.emissionRows(l.order))
			}
		})
	}
}
