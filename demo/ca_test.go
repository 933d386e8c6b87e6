package demo

import (
	"bytes"
	"encoding/csv"
	"os"
	"strings"
	"testing"
)

func TestWriteCA(t *testing.T) {
	var a, b bytes.Buffer
	must(t, WriteCA(&a, caRows))
	if err := WriteCA(&b, caRows); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("as many rows: got %v, %d bytes, want the same %d", err, b.Len(), a.Len())
	}
	text, _ := strings.CutPrefix(a.String(), "\ufeff")
	if header, err := os.ReadFile("../../shared/data/ca/Site_Data_Extract_FX.header.csv"); err != nil {
		t.Log("the published header is not here: ", err)
	} else if first, _, _ := strings.Cut(text,
		"\n"); first != strings.TrimSpace(strings.TrimPrefix(string(header), "\ufeff")) {
		t.Errorf("got header %q, want %q as published", first, header)
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll() // refuses rows of other lengths
	if err != nil || len(rows) != caRows+1 {
		t.Fatalf("rows = %d, %v, want %d and no error", len(rows), err, caRows+1)
	}
	categories, provinces, places := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range rows[1:] {
		categories[r[4]], provinces[r[17]], places[r[18]+" "+r[19]] = true, true, true
		if r[9]+r[10]+r[11] != "" {
			t.Fatalf("contact data in %q", r)
		}
	}
	if len(categories) != 9 || len(provinces) != 13 || len(places) < 1900 || len(places) > 2200 {
		t.Errorf("%d categories, %d provinces, %d places; want 9, 13 and 1900 to 2200", len(categories), len(provinces), len(places))
	}
}
