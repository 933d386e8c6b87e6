//go:build linux

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// Other programs read the files of relais.
func TestOtherTools(t *testing.T) {
	c := makeCountry(t, 300)
	s := serve(t, c.dir)
	save := func(path, name string) string { return filetest.New(t, name, string(s.get(path).body)) }
	t.Run("GDAL", func(t *testing.T) {
		ogrinfo, err := exec.LookPath("ogrinfo")
		if err != nil {
			t.Skip("ogrinfo is not installed (Debian: gdal-bin)")
		}
		out, err := exec.Command(ogrinfo, "-so",
			"-al", save("/external/v1/antennas/export?format=geojson", "fr.geojson")).CombinedOutput()
		want := fmt.Sprintf("Feature Count: %.0f", s.meta("/antennas?limit=1")["total"])
		if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "Geometry: Point") {
			t.Errorf("got %v: %s, want %s of points", err, out, want)
		}
	})
}

// A linter finds nothing in the descriptions of the APIs.
func TestConformanceOpenAPI(t *testing.T) {
	cmd := node(t, "@redocly/openapi-core/lib/index.js")
	script, err := filepath.Abs("testdata/lint.cjs")
	must(t, err)
	s := serve(t, newFolder(t))
	cmd.Args[1] = script
	for path, name := range map[string]string{"/openapi.json": "openapi.json", "/ogc/api": "ogc.json"} {
		cmd.Args = append(cmd.Args, filetest.New(t, name, string(s.get(path).body)))
	}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) != 0 {
		t.Errorf("got %v: %s", err, out)
	}
}
