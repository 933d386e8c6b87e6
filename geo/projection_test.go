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

// The expected coordinates are those of PROJ 9.1.1: echo LAT LNG | cs2cs -f %.3f EPSG:4326 EPSG:CODE
func TestProjectionsAgreeWithPROJ(t *testing.T) {
	type row struct {
		at   Point
		x, y float64
	}
	for _, tt := range []struct {
		code   int
		metres float64
		rows   []row
	}{
		{2154, 1, []row{
			{Point{48.8534, 2.3488}, 652216.626, 6861681.500},
			{Point{43.2965, 5.3698}, 892390.222, 6247035.257},
			{Point{48.4583, -5.0947}, 102569.815, 6848207.990},
			{Point{41.3671, 9.2621}, 1224934.201, 6050293.281},
			{Point{51.0891, 2.5451}, 668054.401, 7110491.293},
			{Point{42.1, 9.56}, 1243078.762, 6133640.022},
			{Point{43.36, -1.79}, 311735.920, 6262986.861},
		}},
		{5490, 1, []row{
			{Point{16.2411, -61.5331}, 656770.897, 1796166.176},
			{Point{14.6037, -61.0731}, 707567.124, 1615374.473},
			{Point{18.0675, -63.0822}, 491301.407, 1997655.441},
			{Point{17.8962, -62.8498}, 515909.858, 1978707.983},
			{Point{14.39, -60.8}, 737225.021, 1591991.337},
		}},
		{2972, 1, []row{
			{Point{4.9224, -52.3135}, 354363.155, 544229.782},
			{Point{3.8933, -54.6}, 100065.874, 431187.226},
			{Point{2.1106, -54.0}, 166246.917, 233607.793},
			{Point{5.75, -53.95}, 173237.069, 636412.500},
			{Point{3.9, -51.62}, 431166.880, 431099.190},
		}},
		{2975, 1, []row{
			{Point{-20.8789, 55.4481}, 338568.315, 7690475.437},
			{Point{-21.3893, 55.6}, 354869.610, 7634119.730},
			{Point{-21.1, 55.837}, 379205.292, 7666343.640},
			{Point{-21.0, 55.216}, 314568.578, 7676817.572},
		}},
		{4471, 1, []row{
			{Point{-12.7823, 45.2278}, 524724.356, 8586927.826},
			{Point{-13.0, 45.1}, 510844.141, 8562862.149},
			{Point{-12.63, 45.06}, 506515.987, 8603779.862},
			{Point{-12.8, 45.3}, 532558.397, 8584962.471},
			{Point{-12.7, 44.98}, 497828.597, 8596039.685},
		}},
		{3857, 1, []row{
			{Point{51.2194, 4.4025}, 490084.058, 6660195.188},
			{Point{50.6326, 5.5797}, 621129.363, 6556560.435},
			{Point{-33.9249, 18.4241}, 2050961.430, -4018722.383},
		}},
		{2056, 3, []row{
			{Point{46.948, 7.4474}, 2600667.475, 1199657.316},
			{Point{46.2044, 6.1432}, 2500016.016, 1117821.070},
			{Point{47.8, 8.6}, 2687010.096, 1295028.646},
			{Point{45.82, 9.0}, 2721355.165, 1075468.178},
			{Point{46.65, 10.49}, 2833531.365, 1171070.860},
		}},
		{31370, 3, []row{
			{Point{50.8467, 4.3525}, 148855.423, 170699.676},
			{Point{51.2194, 4.4025}, 152357.483, 212161.981},
			{Point{49.55, 5.7}, 246336.315, 27331.887},
			{Point{51.1, 2.56}, 23315.799, 200419.815},
			{Point{50.3, 6.35}, 291137.466, 111772.319},
		}},
	} {
		p, ok := ByEPSG(tt.code)
		if !ok {
			t.Errorf("EPSG:%d is unknown", tt.code)
			continue
		}
		for _, r := range tt.rows {
			x, y := p.To(r.at)
			if d := math.Hypot(x-r.x, y-r.y); !(d <= tt.metres) {
				t.Errorf("EPSG:%d: %v is at %.3f, %.3f, want %.3f, %.3f, %.3f m away", tt.code, r.at, x, y, r.x, r.y, d)
			}
			checkNear(t, "EPSG:"+strconv.Itoa(tt.code), p.From(r.x, r.y), r.at, tt.metres)
			x0, y0, x1, y1 := p.Bounds()
			if km := 10e3; r.x < x0+km || r.x > x1-km || r.y < y0+km || r.y > y1-km {
				t.Errorf("EPSG:%d: %v is less than 10 km inside the bounds", tt.code, r)
			}
		}
	}
	if _, ok := ByEPSG(3763); ok {
		t.Error("EPSG:3763 is known, and this test does not try it")
	}
}

// There and back again, on a lattice over each country and at its corners.
func TestProjectionsRoundTrip(t *testing.T) {
	for code, p := range projections {
		x0, y0, x1, y1 := p.Bounds()
		for _, v := range []float64{x0, y0, x1, y1} {
			if code != 4326 && math.Mod(v, 1000) != 0 {
				t.Errorf("EPSG:%d: bound %f is not a multiple of 1000 m", code, v)
			}
		}
		for i := range 21 {
			for j := range 21 {
				x, y := x0+(x1-x0)*float64(i)/20, y0+(y1-y0)*float64(j)/20
				at := p.From(x, y)
				gotX, gotY := p.To(at)
				if !at.Valid() || !(math.Hypot(gotX-x, gotY-y) < 1e-3) {
					t.Errorf("EPSG:%d: %.3f, %.3f is %v, and that is %.3f, %.3f", code, x, y, at, gotX, gotY)
				}
			}
		}
		if p.From(math.NaN(), math.Inf(1)).Valid() {
			t.Errorf("EPSG:%d: NaN is a valid point", code)
		}
	}
}

func BenchmarkLambert93(b *testing.B) {
	p, _ := ByEPSG(2154)
	at := Point{48.8534, 2.3488}
	for b.Loop() {
		at.Lat += 1e-9
		p.To(at)
	}
}
