//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// exported saves an export in a file, whose name GDAL wants to have the format's ending.
func exported(t *testing.T, s *server, query, name string) string {
	t.Helper()
	return filetest.New(t, name, string(s.get("/external/v1/antennas/export?"+query).body))
}

// GDAL reads every format that it knows, with the rows of the list.
func TestGDALReadsExports(t *testing.T) {
	ogrinfo, err := exec.LookPath("ogrinfo")
	if err != nil {
		t.Skip("ogrinfo is not installed (Debian: gdal-bin)")
	}
	s := serve(t, makeCountry(t, 300).dir)
	sites := int(s.meta("/antennas?limit=1&operator=FREE")["totalMatched"].(float64))
	for _, tt := range []struct {
		query, name string
		features    int
		contains    []string
	}{
		{"format=csv", "fr.csv", sites, []string{"Geometry: Point", "siteKey: String", "technologies: String"}},
		{"format=geojson&properties=full", "fr.geojson", sites,
			[]string{"Geometry: Point", "technologies: StringList", "bands: IntegerList"}},
		{"format=kmz", "fr.kmz", sites, []string{"Layer name: Free Mobile"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := exec.Command(ogrinfo, "-so", "-al", "-oo", "X_POSSIBLE_NAMES=lng", "-oo", "Y_POSSIBLE_NAMES=lat",
				exported(t, s, tt.query+"&operator=FREE", tt.name)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, want := range append(tt.contains, fmt.Sprintf("Feature Count: %d", tt.features)) {
				if !strings.Contains(string(out), want) {
					t.Errorf("GDAL does not say %q: %s", want, regexp.MustCompile(`(?s)GEOGCRS.*?\n\n`).ReplaceAll(out, nil))
				}
			}
		})
	}
}

// GDAL, and so QGIS, reads the collections of /ogc to their end, with the key in a header.
func TestGDALReadsCollections(t *testing.T) {
	ogr2ogr, err := exec.LookPath("ogr2ogr")
	if err != nil {
		t.Skip("ogr2ogr is not installed (Debian: gdal-bin)")
	}
	s := serve(t, makeCountry(t, 2500).dir)
	for collection, query := range map[string]string{"fr-sites": "", "drom-sites": "market=DROM", "fr-sectors": ""} {
		t.Run(collection, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out.geojson")
			cmd := exec.Command(ogr2ogr, "-f", "GeoJSON", path, "OAPIF:"+s.base+"/ogc", collection, "-oo", "PAGE_SIZE=700")
			cmd.Env = append(os.Environ(), "GDAL_HTTP_HEADERS=X-API-Key: "+s.key)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var got struct {
				Features []struct{ Properties object }
			}
			must(t, json.Unmarshal(filetest.Read(t, path), &got))
			sites, ids := map[any]bool{}, map[any]bool{}
			for _, f := range got.Features { // GDAL has the id among the properties
				sites[f.Properties["siteKey"]], ids[f.Properties["id"]] = true, true
			}
			total := s.meta("/antennas?limit=1&" + query)["total"].(float64)
			want := total
			have := total
			if collection == "fr-sectors" {
				have = float64(withAzimuths(t, s))
				want = s.get("/ogc/collections/fr-sectors/items?limit=1").object()["numberMatched"].(float64)
			}
			if len(got.Features) != int(want) || len(ids) != int(want) || len(sites) != int(have) || want < have {
				t.Errorf("%d features with %d ids of %d sites, want %v, each once, of %v sites", len(got.Features), len(ids), len(sites),
					want, have)
			}
		})
	}
}

// withAzimuths returns how many sites of FR have azimuths.
func withAzimuths(t *testing.T, s *server) (n int) {
	t.Helper()
	for _, f := range s.ask("/antennas/export?format=geojson&properties=full")["features"].([]any) {
		if list, _ := f.(object)["properties"].(object)["azimuts"].([]any); len(list) > 0 {
			n++
		}
	}
	if n == 0 {
		t.Fatal("no site has azimuths")
	}
	return n
}

// DuckDB and hyparquet read the Parquet file: rows, types, geometry, and groups that they can skip.
func TestConformanceOfParquet(t *testing.T) {
	s := serve(t, makeCountry(t, 300).dir)
	run := nodeScript(t, "exports/parquet.mjs")
	run.Env = append(run.Env, "PARQUET="+exported(t, s, "format=parquet", "fr.parquet"),
		"EMISSIONS="+exported(t, s, "format=parquet&rows=emissions", "emissions.parquet"),
		"CSV="+exported(t, s, "format=csv", "fr.csv"),
		"EMISSIONS_CSV="+exported(t, s, "format=csv&rows=emissions", "emissions.csv"))
	out, err := run.Output()
	if err != nil {
		t.Fatalf("node: %v: %s", err, out)
	}
	var got object
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sites := s.meta("/antennas?limit=1")["total"]
	want := object{"duckdb": sites, "hyparquet": sites, "differences": 0.0, "misplaced": 0.0}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: got %v, want %v: %s", name, got[name], want[name], out)
		}
	}
	if got["emissions"] != got["emissionsInCSV"] || got["emissions"] == 0.0 {
		t.Errorf("%v emissions in Parquet, %v in CSV", got["emissions"], got["emissionsInCSV"])
	}
}

// nodeScript returns a command that runs a program of testdata with the packages of make conformance.
func nodeScript(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	dir := os.Getenv("RELAIS_NPM")
	if dir == "" {
		t.Skip("make conformance installs DuckDB and hyparquet, and runs this")
	}
	work := t.TempDir() // modules are looked for next to the program
	program := filetest.Read(t, filepath.Join("testdata", name))
	filetest.Write(t, filepath.Join(work, "run.mjs"), program)
	must(t, os.Symlink(dir, filepath.Join(work, "node_modules")))
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(work, "run.mjs"))
	cmd.Env, cmd.Stderr = os.Environ(), os.Stderr
	return cmd
}

// relais export writes what the API answers, while a server has the folder.
func TestExportCommandAgainstTheAPI(t *testing.T) {
	c := makeCountry(t, 200)
	s := serve(t, c.dir)
	requestID := regexp.MustCompile(`,"requestId":"[^"]*"}\n$`)
	for query, args := range map[string]string{
		"format=json&department=75":                                  "--format json --department 75",
		"format=geojson&properties=full&operator=FREE":               "--format geojson --properties full --operator FREE",
		"format=csv&bom=1&sep=semicolon":                             "--format csv --bom --sep semicolon",
		"format=csv&rows=emissions&generation=5G&bbox=2,48,3,49":     "--format csv --rows emissions --generation 5G --bbox=2,48,3,49",
		"format=parquet&lat=48.85&lon=2.35&radiusKm=20":              "--format parquet --lat 48.85 --lon 2.35 --radius-km 20",
		"format=parquet&rows=emissions":                              "--format parquet --rows emissions",
		"format=kmz&lang=fr&operator=SFR,ORANGE&together=true":       "--format kmz --lang fr --operator SFR,ORANGE --together",
		"format=json&q=paris&status=en-service&technology=LTE%20800": "--format json --q paris --status en-service --technology LTE_800",
	} {
		t.Run(query, func(t *testing.T) {
			want := requestID.ReplaceAllString(string(s.get("/external/v1/antennas/export?"+query).body), "}\n")
			path := filepath.Join(t.TempDir(), "out")
			list := []string{"export", "--data", c.dir, "--market", "FR", "-o", path}
			for arg := range strings.FieldsSeq(args) {
				list = append(list, strings.ReplaceAll(arg, "_", " "))
			}
			var said struct{ Bytes int }
			if command(t, &said, list...); said.Bytes != len(want) {
				t.Errorf("it said %d bytes, want %d", said.Bytes, len(want))
			}
			if got := string(filetest.Read(t, path)); got != want {
				t.Errorf("the file has %d bytes that differ from the %d of the API: %.200q, want %.200q", len(got), len(want), got, want)
			}
		})
	}
}
