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

// Addresses are ingested alone or with the files of a register, which they do not need.
func TestIngestAddresses(t *testing.T) {
	rows := filepath.Join("..", "ingest", "ban", "testdata", "adresses-59.csv")
	data := filepath.Join(t.TempDir(), "data")
	run := func(m market.Code, asJSON bool, files ...string) (string, error) {
		var out bytes.Buffer
		c := ingestCommand{Markets: []market.Code{m}, Files: files, JSON: asJSON}
		c.Data = data
		err := c.Run(context.Background(), Streams{Out: &out, Err: &bytes.Buffer{}})
		return out.String(), err
	}
	text, err := run(market.FR, false, rows)
	must(t, err)
	for _, want := range []string{"ban-addresses", "addresses: 8 streets with 27 numbers in 1 commune of ", "streets, not numbers",
		"Base Adresse Nationale (BAN), adresse.data.gouv.fr, Licence Ouverte 2.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q has no %q", text, want)
		}
	}
	text, err = run(market.DROM, true, rows)
	must(t, err)
	var r struct {
		Addresses struct {
			Streets int
			Files   []struct{ Rows, Served int }
		}
	}
	must(t, json.Unmarshal([]byte(text), &r))
	if r.Addresses.Streets != 8 || len(r.Addresses.Files) != 1 || r.Addresses.Files[0].Served != 27 {
		t.Errorf("got %s, want 8 streets of 27 rows", text)
	}
	if _, err := run(market.BE, false, rows); err == nil || !strings.Contains(err.Error(), "addresses of FR,DROM, and not of BE") {
		t.Errorf("error = %v, want that the addresses are of FR,DROM", err)
	}
	other := filepath.Join(t.TempDir(), "other.csv")
	filetest.Write(t, other, "a;b\n1;2\n")
	if _, err := run(market.FR, false, rows, other); err == nil || !strings.Contains(err.Error(), "not a file of the register") {
		t.Errorf("error = %v, want that of the other file", err)
	}
}
