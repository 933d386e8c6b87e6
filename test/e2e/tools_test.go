package e2e

import (
	"fmt"
	"os/exec"
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
	t.Run("OpenAPI linter", func(t *testing.T) {
		redocly, err := exec.LookPath("redocly")
		if err != nil {
			t.Skip("redocly is not installed (npm: @redocly/cli)")
		}
		if out, err := exec.Command(redocly, "lint",
			save("/openapi.json", "openapi.json")).CombinedOutput(); err != nil {
			t.Errorf("got %v: %s", err, out)
		}
	})
}
