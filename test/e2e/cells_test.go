//go:build linux

package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cellText is a value as text: numbers without an exponent, the elements of a list with semicolons between.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, cellText(e))
		}
		return strings.Join(parts, ";")
	}
	return fmt.Sprint(v)
}

type cells = map[string]string

// siteCells are the cells of a site that its item of the list states, as it states them.
func siteCells(item object) cells {
	row := placeCells(item)
	for _, name := range strings.Fields("nationalSiteCode sourceCode anfrCode countryCode sourceAuthority operators status technologies " +
		"sharedNetwork updatedAt distanceMeters") {
		if v, has := item[name]; has {
			row[name] = cellText(v)
		}
	}
	return row
}

// placeCells are those that emissions have as well.
func placeCells(item object) cells {
	row := cells{"areaLabel": cellText(item["administrativeArea"].(object)["label"])}
	for _, name := range []string{"siteKey", "id", "market", "sourceLabel"} {
		row[name] = cellText(item[name])
	}
	for _, name := range []string{"lat", "lng"} {
		row[name] = cellText(item["coordinates"].(object)[name])
	}
	for _, name := range []string{"department", "provinceCode", "commune", "postalCode", "address"} {
		row[name] = cellText(item["location"].(object)[name])
	}
	return row
}

// emissions are the emissions of a site that satisfy the selection.
func (l chosen) emissions(item object) (list []object) {
	for _, e := range l.of[item["siteKey"]]["emissions"].([]any) {
		if e := e.(object); l.accepts == nil || l.accepts(e) {
			list = append(list, e)
		}
	}
	return list
}

func siteRows(items []object) (rows []cells) {
	for _, item := range items {
		rows = append(rows, siteCells(item))
	}
	return rows
}

func (l chosen) emissionRows(items []object) (rows []cells) {
	for _, item := range items {
		for _, e := range l.emissions(item) {
			row := placeCells(item)
			for _, name := range []string{"operator", "station", "technology", "generation", "status", "date", "azimuts"} {
				row[name] = cellText(e[name])
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// compareCells compares rows, all cells that the wanted ones have.
func compareCells(t *testing.T, what string, got, want []cells) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i, row := range want {
		for name, text := range row {
			if has, is := got[i][name]; !is || has != text {
				t.Fatalf("%s: row %d, %s is %q (there %t), want %q", what, i, name, has, is, text)
			}
		}
	}
}

func (s *server) csvCells(query string) (rows []cells) {
	s.t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(s.get("/external/v1/antennas/export?" + query).body)).ReadAll()
	must(s.t, err)
	for _, line := range lines[1:] {
		row := cells{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// featureCells are the properties of features, whose geometry must be a point at lng and lat.
func featureCells(t *testing.T, features []any) (rows []cells) {
	t.Helper()
	for _, f := range features {
		row, p := cells{}, f.(object)["properties"].(object)
		for name, v := range p {
			row[name] = cellText(v)
		}
		want := object{"type": "Point", "coordinates": []any{p["lng"], p["lat"]}}
		if d := cmp.Diff(want, f.(object)["geometry"]); d != "" {
			t.Errorf("%v: the geometry differs: %s", p["siteKey"], d)
		}
		rows = append(rows, row)
	}
	return rows
}

func parquetCells(list []any) (rows []cells) {
	for _, r := range list {
		row := cells{}
		for name, v := range r.(object) {
			row[name] = cellText(v)
		}
		rows = append(rows, row)
	}
	return rows
}
