package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/market"
)

// The report names unknown operators, as text and as JSON.
func TestIngestReport(t *testing.T) {
	feature := func(id, operator string) string {
		return `{"properties":{"id":` + id +
			`,"goedkeuringsdatum":"2020-05-06","sitecode":"A","locatiebeschrijving":"","operatornaam":"` + operator +
			`","dossiernummer":"1"},"geometry":{"type":"Point","coordinates":[104500,194000]}}`
	}
	path := filepath.Join(t.TempDir(), "register.geojson")
	text := `{"features":[` +
		strings.Join([]string{feature("1", "Proximus NV"), feature("2", "ASTRID"), feature("3", `!\"Mud`),
			feature("4", "ASTRID"), feature("5", "A"), feature("6", "B")}, ",\n") + "]}"
	filetest.Write(t, path, text)
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		c := ingestCommand{Markets: []market.Code{market.BE}, Files: []string{path}, JSON: asJSON}
		c.Data = filepath.Join(t.TempDir(), "data")
		must(t, c.Run(context.Background(), Streams{Out: &out, Err: &bytes.Buffer{}}))
		if !asJSON {
			if want := `unknown operators, the most frequent: 2 "ASTRID", 1 "!\"Mud", 1 "A"` +
				"\n"; !strings.Contains(out.String(), want) {
				t.Errorf("%q has no %q", out.String(), want)
			}
			continue
		}
		var r struct {
			Files []struct {
				UnknownOperators []struct {
					Name string
					Rows int
				}
			}
		}
		must(t, json.Unmarshal(out.Bytes(), &r))
		if u := r.Files[0].UnknownOperators; len(u) != 3 || u[0].Name != "ASTRID" || u[0].Rows != 2 {
			t.Errorf("unknown operators = %+v, want three, ASTRID first with 2 rows", u)
		}
	}
}
