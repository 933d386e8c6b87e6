package demo

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

func sums(t *testing.T, n int) (paths []string, list string) {
	t.Helper()
	paths, err := Write(t.TempDir(), n)
	must(t, err)
	for _, p := range paths {
		if !strings.HasPrefix(filepath.Base(p), "SYNTHETIC_") {
			t.Errorf("the file %s does not begin with SYNTHETIC_", p)
		}
		if strings.HasSuffix(p, ".zip") {
			continue // its members have times that differ
		}
		text := filetest.Read(t, p)
		list += fmt.Sprintf("%x ", sha256.Sum256(text))
	}
	return paths, list
}

func TestDeterministic(t *testing.T) {
	_, a := sums(t, 500)
	if _, b := sums(t, 500); a != b {
		t.Error("the same country is written in two ways")
	}
}

// The years are those in which operators opened their first networks of a kind in France.
func TestNoSystemBeforeItsTime(t *testing.T) {
	first := []struct{ system, year string }{
		{"GSM", "1992"}, {"UMTS", "2004"}, {"LTE 700", "2016"}, {"LTE", "2012"}, {"5G", "2020"},
	}
	paths, err := Write(t.TempDir(), 2000)
	must(t, err)
	f, err := os.Open(paths[0])
	must(t, err)
	defer f.Close()
	rows := csvRows(t, f)
	for _, row := range rows[1:] {
		system, date := row[3], row[4]
		for _, k := range first {
			if strings.HasPrefix(system, k.system) {
				if date != "" && date[:4] < k.year {
					t.Errorf("support %s: %s on %s, want %s at the earliest", row[2], system, date, k.year)
				}
				break
			}
		}
	}
	if support, height := rows[1][2], rows[1][11]; support != "90000001" || height != "32" {
		t.Errorf("the first row is of %s, %s m; want the site of the demonstration, 32 m", support, height)
	}
}

func csvRows(t *testing.T, in io.Reader) [][]string {
	t.Helper()
	r := csv.NewReader(in)
	r.Comma = ';'
	rows, err := r.ReadAll()
	must(t, err)
	return rows
}

// The files are in the authority's format: every department, one position a
// support, unique rows, and tables that refer to each other.
func TestFiles(t *testing.T) {
	tier.Slow(t)
	paths, _ := sums(t, 3000)
	f, err := os.Open(paths[0])
	must(t, err)
	defer f.Close()
	in := bufio.NewReader(f)
	if mark, err := in.Peek(3); err != nil || string(mark) != "\xef\xbb\xbf" {
		t.Errorf("the file begins with %q, want a byte order mark", mark)
	}
	rows := csvRows(t, in)
	supports, departments, keys, stations := map[string]string{}, map[string]bool{}, map[string]bool{},
		map[string]string{}
	for _, row := range rows[1:] {
		if at, ok := supports[row[2]]; ok && at != row[19] {
			t.Errorf("support %s has two positions, %s and %s", row[2], at, row[19])
		}
		supports[row[2]], departments[row[5]] = row[19], true
		if key := row[9] + row[1] + row[3]; keys[key] {
			t.Errorf("row %s occurs twice", key)
		} else {
			keys[key] = true
		}
		if s, ok := stations[row[9]]; ok && s != row[2] || len(row[9]) != 10 || row[9][:3] != row[5] {
			t.Errorf("station %s is on %s and %s, want one support and an id of the department", row[9], s, row[2])
		}
		stations[row[9]] = row[2]
	}
	if len(supports) != 3000 || len(departments) != 101 {
		t.Errorf("wrong numbers: %d supports in %d departments, want 3000 and 101", len(supports), len(departments))
	}
	z, err := zip.OpenReader(paths[1])
	must(t, err)
	defer z.Close()
	member, err := z.Open("SUP_ANTENNE.txt")
	must(t, err)
	antennas := csvRows(t, member)
	declared, repeated := map[string]string{}, 0
	for _, a := range antennas[1:] {
		if stations[a[0]] != a[7] {
			t.Errorf("antenna %v is of a station on %s, want %s", a, stations[a[0]], a[7])
		}
		if other, ok := declared[a[1]]; ok && other != a[0] {
			repeated++
		}
		declared[a[1]] = a[0]
	}
	if repeated == 0 {
		t.Error("no antenna number is declared by two stations")
	}
}

// The Swiss file has exactly the authority's format: the members of its own
// sample, and positions in the market.
func TestSwitzerland(t *testing.T) {
	type collection struct {
		CRS      struct{ Properties struct{ Name string } }
		Features []struct {
			Geometry   struct{ Coordinates []float64 }
			Properties map[string]string
		}
	}
	read := func(text []byte) (c collection) {
		must(t, json.Unmarshal(text, &c))
		return c
	}
	var texts [][]byte
	for range 2 {
		paths, err := writeCH(t.TempDir(), installations)
		must(t, err)
		text, err := os.ReadFile(paths[0])
		if err != nil || len(paths) != 1 || !strings.HasPrefix(filepath.Base(paths[0]), "SYNTHETIC_") {
			t.Fatalf("decode: got %v, %v, want one SYNTHETIC_ file", paths, err)
		}
		texts = append(texts, text)
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("the same country is written in two ways")
	}
	c, operators, stations := read(texts[0]), map[string]int{}, map[string]bool{}
	for _, f := range c.Features {
		operator, _, _ := strings.Cut(f.Properties["station"], " ")
		operators[operator]++
		stations[f.Properties["station"]] = true
		if p := geo.FromLV95(f.Geometry.Coordinates[0], f.Geometry.Coordinates[1]); !market.Get(market.CH).Holds(-1,
			p) {
			t.Errorf("%v is at %v, outside of the market", f, p)
		}
	}
	if c.CRS.Properties.Name != "EPSG:2056" || len(stations) != installations+2 || operators["SBB"] != 2 ||
		len(operators) != 4 || operators["Salt"] < 300 {
		t.Errorf("wrong numbers: %d stations, operators %v, want %d, Name = EPSG:2056, SBB = 2, len(operators) = "+
			"4 and Salt at least 300", len(stations), operators, installations+2)
	}
	sample, err := os.ReadFile("../../shared/data/ch/standorte-mobilfunkanlagen_2056.sample.json")
	if err != nil {
		t.Skip("no shared data here:", err)
	}
	names := slices.Sorted(maps.Keys(read(sample).Features[0].Properties))
	if got := slices.Sorted(maps.Keys(c.Features[0].Properties)); !slices.Equal(got, names) {
		t.Errorf("properties = %q, want %q as in the sample", got, names)
	}
}
