package demo

import (
	"bytes"
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteCA(t *testing.T) {
	var a, b bytes.Buffer
	count, err := WriteCA(&a, caRows, CAOptions{})
	must(t, err)
	if again, err := WriteCA(&b, caRows, CAOptions{}); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) ||
		!cmp.Equal(count, again) {
		t.Errorf("the same options: got %+v, %v, %d bytes, want %+v and the same %d", again, err, b.Len(), count,
			a.Len())
	}
	if count.Rows != caRows || count.Places < 1900 || count.Places > 2200 || len(count.Broken) != 0 {
		t.Errorf("wrong count %+v, want Rows = %v, Places at least 1900, Places at most 2200 and no Broken", count,
			caRows)
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
	categories, provinces := map[string]bool{}, map[string]bool{}
	for _, r := range rows[1:] {
		categories[r[4]], provinces[r[17]] = true, true
		if r[9]+r[10]+r[11] != "" {
			t.Fatalf("contact data in %q", r)
		}
	}
	if len(categories) != 9 || len(provinces) != 13 {
		t.Errorf("too few categories (%d) or provinces (%d), want 9 and 13", len(categories), len(provinces))
	}
}

func TestBrokenCA(t *testing.T) {
	for _, older := range []bool{false, true} {
		var b bytes.Buffer
		count, err := WriteCA(&b, 4400, CAOptions{Broken: true, Personal: true, Older: older})
		must(t, err)
		for _, way := range caBroken {
			if count.Broken[way] != 4400/20/len(caBroken) {
				t.Errorf("rows broken by %s = %d, want %d", way, count.Broken[way], 4400/20/len(caBroken))
			}
		}
		if n := strings.Count(b.String(), "PERSONAL Name"); n != 4400 || strings.Count(b.String(), "\n") != 4401 {
			t.Errorf("got %d names in %d lines, want 4400 in 4401", n, strings.Count(b.String(), "\n"))
		}
	}
}
