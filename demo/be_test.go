package demo

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// The file is in the register's format, says that it is synthetic and is always the
// same.
func TestWriteBE(t *testing.T) {
	var texts [][]byte
	for range 2 {
		paths, _, err := WriteBE(filepath.Join(t.TempDir(), "new"), 300)
		if err != nil || len(paths) != 1 || !strings.HasPrefix(filepath.Base(paths[0]), "SYNTHETIC_") {
			t.Fatalf("paths = %v, %v; want one", paths, err)
		}
		text := filetest.Read(t, paths[0])
		texts = append(texts, text)
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("WriteBE wrote two different files for the same size")
	}
	var file struct {
		Features []struct {
			Properties map[string]any
			Geometry   struct{ Coordinates [2]float64 }
		}
	}
	must(t, json.Unmarshal(texts[0], &file))
	ids, operators := map[any]bool{}, map[any]int{}
	for _, f := range file.Features {
		ids[f.Properties["id"]] = true
		operators[f.Properties["operatornaam"]]++
		date := f.Properties["goedkeuringsdatum"].(string)
		if c := f.Geometry.Coordinates; c[0] < 20e3 || c[0] > 260e3 || c[1] < 152e3 || c[1] > 246e3 ||
			date < "2013-12-31" || date > "2026" {
			t.Errorf("got properties %v, position %v, want a day of 2014 to 2025 in Belgium", f.Properties, c)
		}
	}
	if len(file.Features) < 300 || len(ids) != len(file.Features) || len(operators) != 4 {
		t.Errorf("wrong numbers: %d features, %d ids, operators %v, want at least 300, %d and len(operators) = 4",
			len(file.Features), len(ids), operators, len(file.Features))
	}
}
