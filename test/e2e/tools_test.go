package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Other programs read the files of relais.
func TestOtherTools(t *testing.T) {
	c := makeCountry(t, 300)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	save := func(path, name string) string {
		r, err := s.fetch(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	t.Run("GDAL", func(t *testing.T) {
		ogrinfo, err := exec.LookPath("ogrinfo")
		if err != nil {
			t.Skip("ogrinfo is not installed (Debian: gdal-bin)")
		}
		out, err := exec.Command(ogrinfo, "-so",
			"-al", save("/external/v1/antennas/export?format=geojson", "fr.geojson")).CombinedOutput()
		want := fmt.Sprintf("Feature Count: %.0f", s.ask("/antennas?limit=1")["meta"].(object)["total"])
		if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "Geometry: Point") {
			t.Errorf("%v: %s, want %s", err, out, want)
		}
	})
	t.Run("OpenAPI linter", func(t *testing.T) {
		redocly, err := exec.LookPath("redocly")
		if err != nil {
			t.Skip("redocly is not installed (npm: @redocly/cli)")
		}
		if out, err := exec.Command(redocly, "lint",
			save("/openapi.json", "openapi.json")).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}
