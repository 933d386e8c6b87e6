package geo

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"relais/internal/filetest"
)

func checkNear(t *testing.T, what string, got, want Point, metres float64) {
	t.Helper()
	if d := Distance(got, want); !(d <= metres) {
		t.Errorf("%s: got %v, want %v, %.2f m away", what, got, want, d)
	}
}

// The expected points are those of the authorities' own publications.
func TestProjections(t *testing.T) {
	checkNear(t, "LV95's origin", FromLV95(2600000, 1200000), Point{46.951081, 7.438637}, 0.5)
	checkNear(t, "Lambert 72", FromLambert72(190051, 223481), Point{51.319747, 4.943244}, 0.5)
	for _, p := range []Point{FromLV95(math.NaN(), 0), FromLambert72(math.NaN(), math.NaN())} {
		if p.Valid() {
			t.Errorf("%v of NaN is valid, want an invalid point", p)
		}
	}
}

// Real places with positions that other programs computed.
func TestProjectionsOfRealPlaces(t *testing.T) {
	data := filepath.Join("..", "..", "shared", "data")
	f, err := os.Open(filepath.Join(data, "ch", "lv95_wgs84_check.csv"))
	if err != nil {
		t.Skip("the authorities' files are not here")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, r := range rows[1:] {
		checkNear(t, r[0]+","+r[1], FromLV95(number(r[0]), number(r[1])), Point{number(r[2]), number(r[3])}, 3)
	}
	text := filetest.Read(t, filepath.Join(data, "be", "bipt_gent.json"))
	var sites []struct{ ID, X, Y, Latitude, Longitude string }
	if err := json.Unmarshal(text, &sites); err != nil {
		t.Fatal(err)
	}
	for _, s := range sites {
		checkNear(t, "BIPT "+s.ID, FromLambert72(number(s.X), number(s.Y)),
			Point{number(s.Latitude), number(s.Longitude)}, 3)
	}
	if len(rows) < 300 || len(sites) < 100 {
		t.Errorf("%d Swiss and %d Belgian places, want 300 and 100 or more", len(rows), len(sites))
	}
}
