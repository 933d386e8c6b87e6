package coverage

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"relais/geo"
)

// The nearest better cell is the one that a scan of all cells finds.
func TestBetterIsTheNearest(t *testing.T) {
	const cols, rows = 280, 270
	values := patches(cols, rows)
	s := layerIn(t, t.TempDir(), testInfo(cols, rows), values)
	l := s.Layers(Filter{})[0]
	rng := rand.New(rand.NewPCG(3, 3))
	found := 0
	for range 300 {
		u, w := rng.Float64()*cols, rng.Float64()*rows
		p := l.proj.From(l.X0+u*100, l.Y0+w*100)
		v := values[int(w)][int(u)]
		best := math.Inf(1)
		for row := range values {
			for col, at := range values[row] {
				if at > v {
					best = min(best, math.Hypot(float64(col)+0.5-u, float64(row)+0.5-w))
				}
			}
		}
		got, err := s.At(Filter{}, p, 5000)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		better := got[0].Better
		switch {
		case best > 50: // cells of 100 m
			if better != nil {
				t.Errorf("better in %.0f m, and the nearest is %.0f cells away", better.Metres, best)
			}
		case better == nil:
			t.Errorf("nothing better, and the nearest is %.1f cells away", best)
		case math.Abs(better.Metres-best*100) > best*100*0.01+1: // Lambert-93 keeps lengths to a thousandth there
			t.Errorf("better in %.1f m, want %.1f", better.Metres, best*100)
		default:
			found++
		}
	}
	if found < 100 {
		t.Errorf("only %d places have a better cell", found)
	}
}

// Shares of a box are those of a count of its cells, and so is what an edition changed.
func TestAreaAgreesWithACount(t *testing.T) {
	const cols, rows = 260, 250
	values, dir := patches(cols, rows), t.TempDir()
	layerIn(t, dir, testInfo(cols, rows), values)
	later := testInfo(cols, rows)
	later.Edition = "2026-09-30"
	changed := make([][]Value, rows)
	for row := range changed {
		changed[row] = append([]Value(nil), values[row]...)
		for col := 10; col < 250; col++ {
			changed[row][col] = Value((int(values[row][col]) + 3) % 4)
		}
	}
	s := layerIn(t, dir, later, changed)
	box := geo.Box{South: 47.95, West: -1.95, North: 48.05, East: -1.8}
	l := s.Layers(Filter{})[0]
	var want [4]int
	gained, lost, worse := 0, 0, 0
	for row := range changed {
		for col, v := range changed[row] {
			if !box.Contains(l.middle(col, row)) {
				continue
			}
			want[v]++
			switch was := values[row][col]; {
			case v > 0 && was == 0:
				gained++
			case v == 0 && was > 0:
				lost++
			case v < was:
				worse++
			}
		}
	}
	shares, err := s.Area(context.Background(), Filter{}, []geo.Box{box})
	if err != nil || len(shares) != 1 {
		t.Fatal(shares, err)
	}
	near := func(what string, km2 float64, cells int) {
		t.Helper()
		if math.Abs(km2-float64(cells)*0.01) > 0.005*float64(cells)*0.01+0.03 {
			t.Errorf("%s: %.2f km², want %.2f", what, km2, float64(cells)*0.01)
		}
	}
	for v, level := range shares[0].Levels {
		near(level.Word.Level, level.Amount, want[v])
	}
	near("gained", shares[0].Gained, gained)
	near("lost", shares[0].Lost, lost)
	near("worse", shares[0].Worse, worse)
	if shares[0].Before == nil || shares[0].Before.Edition != "2026-06-30" || lost == 0 || gained == 0 || worse == 0 {
		t.Errorf("before: %v; %d lost, %d gained, %d worse", shares[0].Before.Edition, lost, gained, worse)
	}
	if _, err := s.Area(context.Background(), Filter{}, []geo.Box{{South: 41, West: -5, North: 51, East: 9}}); err != nil {
		t.Errorf("a box larger than the grid: %v", err)
	}
}

// Places are added up by the value of their cell.
func TestCount(t *testing.T) {
	const cols, rows = 200, 200
	values := patches(cols, rows)
	s := layerIn(t, t.TempDir(), testInfo(cols, rows), values)
	l, want, total := s.Layers(Filter{})[0], [4]int{}, 0
	var places []Weight
	for i := range 400 {
		col, row := i*7%cols, i*13%rows
		places = append(places, Weight{l.middle(col, row), 1 + i%5})
		want[values[row][col]] += 1 + i%5
		total += 1 + i%5
	}
	shares, err := s.Count(Filter{}, append(places, Weight{geo.Point{Lat: 48, Lng: 2}, 100})) // the last is beyond the grid
	if err != nil || len(shares) != 1 || shares[0].Total != float64(total) {
		t.Fatalf("%+v, %v, want %d", shares, err, total)
	}
	for v, level := range shares[0].Levels {
		if level.Amount != float64(want[v]) {
			t.Errorf("%s: %v, want %d", level.Word.Level, level.Amount, want[v])
		}
	}
}

// Nothing is gained or lost where the edition before has no cells: a part of the map may have been cut out.
func TestEditionBeforeIsCut(t *testing.T) {
	values, dir := patches(400, 390), t.TempDir()
	info := testInfo(400, 390)
	before := layerIn(t, t.TempDir(), info, values)
	info.Edition = "2026-09-30"
	s := layerIn(t, dir, info, values)
	l := s.Layers(Filter{})[0]
	inside, outside := l.middle(200, 200), l.middle(390, 10)
	part, err := os.Create(filepath.Join(dir, "part"+Suffix))
	must(t, err)
	defer part.Close()
	_, err = Cut(filepath.Join(before.dir, before.Layers(Filter{})[0].Name()+Suffix), part, []geo.Box{
		{South: inside.Lat - 0.01, West: inside.Lng - 0.01, North: inside.Lat + 0.01, East: inside.Lng + 0.01}})
	must(t, err)
	for _, tt := range []struct {
		name   string
		places []Weight
		want   bool
	}{
		{"inside", []Weight{{inside, 1}}, true},
		{"outside", []Weight{{outside, 1}}, false},
		{"both", []Weight{{inside, 1}, {outside, 1}, {inside, 1}}, false},
		{"far from both", []Weight{{inside, 1}, {geo.Point{Lat: 43, Lng: 5}, 1}}, true},
	} {
		shares, err := s.Count(Filter{}, tt.places)
		must(t, err)
		if len(shares) != 1 || (shares[0].Before != nil) != tt.want || shares[0].Gained > 0 || shares[0].Lost > 0 {
			t.Errorf("%s: %+v, want an edition before: %v", tt.name, shares, tt.want)
		}
	}
	shares, err := s.Area(t.Context(), Filter{}, []geo.Box{{South: 47, West: -3, North: 49, East: -1}})
	if err != nil || len(shares) != 1 || shares[0].Before != nil {
		t.Errorf("area: %+v, %v, want no edition before", shares, err)
	}
}

// Without an outline, coverage that goes counts as lost, and the share of an area is not known.
func TestLostOffLand(t *testing.T) {
	values, dir := patches(100, 100), t.TempDir()
	info := testInfo(100, 100)
	info.Outline = ""
	layerIn(t, dir, info, values)
	info.Edition = "2026-09-30"
	gone := 0
	for row := range values {
		for col := range 50 {
			if values[row][col] > 0 {
				gone++
			}
			values[row][col] = 0
		}
	}
	s := layerIn(t, dir, info, values)
	shares, err := s.Area(context.Background(), Filter{}, []geo.Box{{South: 47, West: -3, North: 49, East: -1}})
	if err != nil || len(shares) != 1 || shares[0].Whole {
		t.Fatalf("%+v, %v", shares, err)
	}
	if lost := shares[0].Lost; gone == 0 || math.Abs(lost-float64(gone)*0.01) > 0.01*lost {
		t.Errorf("%.2f km² are lost, want %.2f", lost, float64(gone)*0.01)
	}
}

// On a map of the world, a layer has the place where it is, and none on the other side of the Earth.
func TestPictureOfTheWorld(t *testing.T) {
	const cols, rows, side = 1200, 1000, 512 // a place is 50 km wide
	values := make([][]Value, rows)
	for row := range values {
		values[row] = slices.Repeat([]Value{3}, cols)
	}
	s := layerIn(t, t.TempDir(), testInfo(cols, rows), values)
	at := func(x, y float64) geo.Point { return geo.Point{Lat: 85 - 170*y, Lng: 360*x - 180} }
	middle, hit := s.Layers(Filter{})[0].middle(cols/2, rows/2), false
	err := Picture(s.Layers(Filter{}), side, at, func(place int, _ *Layer, w *Word) {
		x, y := place%side, place/side
		p := at((float64(x)+0.5)/side, (float64(y)+0.5)/side)
		if geo.Distance(p, middle) > 100_000 || w.Level != LevelVeryGood {
			t.Errorf("%s at %v", w.Level, p)
		}
		hit = hit || x == int((middle.Lng+180)/360*side) && y == int((85-middle.Lat)/170*side)
	})
	if err != nil || !hit {
		t.Errorf("%v; the place of %v is drawn: %v, want true", err, middle, hit)
	}
}

// Each place of a small map has the value of its cell.
func TestPicture(t *testing.T) {
	const cols, rows, side = 200, 200, 64
	values := patches(cols, rows)
	s := layerIn(t, t.TempDir(), testInfo(cols, rows), values)
	l := s.Layers(Filter{})[0]
	south, north := l.middle(20, 20), l.middle(60, 60)
	at := func(x, y float64) geo.Point {
		return geo.Point{Lat: north.Lat + (south.Lat-north.Lat)*y, Lng: south.Lng + (north.Lng-south.Lng)*x}
	}
	got := make([]Word, side*side)
	if err := Picture(s.Layers(Filter{}), side, at, func(i int, _ *Layer, w *Word) { got[i] = *w }); err != nil {
		t.Fatal(err)
	}
	wrong, covered := 0, 0
	for i := range got {
		col, row, ok := l.locate(at((float64(i%side)+0.5)/side, (float64(i/side)+0.5)/side))
		want := Word{}
		if v := values[row][col]; ok && v > 0 {
			want = l.Words[v-1]
			covered++
		}
		if got[i] != want {
			wrong++
		}
	}
	if wrong > side || covered == 0 { // places at the border of two cells
		t.Errorf("%d of %d places are wrong, %d are covered", wrong, side*side, covered)
	}
}

// Outside of the land of a source, a cell without a value says nothing.
func TestNoneOnlyOnLand(t *testing.T) {
	info := testInfo(10, 10)
	for _, c := range []struct {
		at   geo.Point
		want string
	}{
		{geo.Point{Lat: 48.11, Lng: -1.68}, LevelNone},    // Rennes
		{geo.Point{Lat: 42.04, Lng: 9.3}, LevelNone},      // Corsica
		{geo.Point{Lat: 46.2, Lng: 6.15}, ""},             // Geneva
		{geo.Point{Lat: 47.0, Lng: -4.5}, ""},             // the sea
		{geo.Point{Lat: 49.19, Lng: -2.1}, ""},            // Jersey
		{geo.Point{Lat: 48.8584, Lng: 2.2945}, LevelNone}, // Paris
		{geo.Point{Lat: 43.2965, Lng: 5.3698}, LevelNone}, // Marseille
		{geo.Point{Lat: 50.85, Lng: 4.35}, ""},            // Brussels
	} {
		if got := info.Word(0, c.at).Level; got != c.want {
			t.Errorf("%v: %q, want %q", c.at, got, c.want)
		}
	}
}
