package sketch

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"relais/geo"
)

// inRing reports whether a point is in a ring: a line from it to the west crosses an odd number of sides.
func inRing(r ring, x, y float64) (in bool) {
	for i, p := range r {
		q := r[(i+1)%len(r)]
		if (p[1] > y) != (q[1] > y) && x < p[0]+(q[0]-p[0])*(y-p[1])/(q[1]-p[1]) {
			in = !in
		}
	}
	return in
}

func TestClippedAgainstBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	box := geo.Box{South: 2, North: 7, West: 3, East: 8}
	for range 200 {
		var star ring // around a point, so that it does not cross itself
		for i := range 12 {
			sin, cos := math.Sincos(float64(i) * math.Pi / 6)
			radius := 1 + 5*random.Float64()
			star = append(star, [2]float64{5 + radius*cos, 4 + radius*sin})
		}
		part := clipped(star, box)
		for range 200 {
			x, y := 10*random.Float64(), 10*random.Float64()
			want := inRing(star, x, y) && box.Contains(geo.Point{Lat: y, Lng: x})
			if got := inRing(part, x, y); got != want {
				t.Fatalf("%v, %v is inside the clipped ring: %v, want %v", x, y, got, want)
			}
		}
	}
	if got := clipped(ring{{20, 20}, {21, 20}, {21, 21}}, box); got != nil {
		t.Errorf("a ring outside: got %v, want none", got)
	}
}

// scene is a site with two operators and a neighbour 500 m to the east.
func scene() *Scene {
	at := geo.Point{Lat: 48, Lng: 2}
	east := 500 / (geo.EarthRadius * math.Pi / 180 * math.Cos(at.Lat*math.Pi/180))
	return &Scene{Center: at, Neighbours: []Neighbour{{geo.Point{Lat: 48, Lng: 2 + east}, "east"},
		{geo.Point{Lat: 49, Lng: 2}, "far away"}},
		Operators: []Operator{{"A", []Sector{{90, High, false}, {90, Low, true}}}, {"B", []Sector{{0, 0, false}}}}}
}

func TestNew(t *testing.T) {
	base, err := ReadBase(strings.NewReader(`{"features":[
		{"properties":{"kind":"land"},"geometry":{"type":"Polygon","coordinates":[[[1,47],[2,47],[2,49],[1,49],[1,47]]]}},
		{"properties":{"kind":"town"},"geometry":{"type":"Point","coordinates":[2,48]}},
		{"properties":{"kind":"border"},"geometry":{"type":"MultiLineString","coordinates":[[[2,47],[2,49]]]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	d := New(scene(), base, 800, 400)
	if len(d.Dots) != 1 || d.Dots[0].Title != "east" || math.Abs(d.Dots[0].X-400-d.ScaleBar) > 1 || d.Dots[0].Y != 200 {
		t.Errorf("dots %v, want one %v pixels east of the middle", d.Dots, d.ScaleBar)
	}
	var xs []float64
	for _, p := range d.Land[0][0] {
		xs = append(xs, math.Round(p[0]))
	}
	if len(d.Land) != 1 || math.Round(xs[0]) != 0 && math.Round(xs[0]) != 400 {
		t.Errorf("land %v, want the western half", d.Land)
	}
	if len(d.Borders) != 1 || len(d.Wedges) != 3 {
		t.Errorf("%d borders, %d wedges; want 1 and 3", len(d.Borders), len(d.Wedges))
	}
	for i, want := range []float64{90, 90, 0} {
		x, y := middle(d.Wedges[i].Path)
		if got := math.Atan2(x-400, 200-y) * 180 / math.Pi; math.Abs(got-want) > 0.1 {
			t.Errorf("wedge %d points to %v°, want %v°", i, got, want)
		}
	}
	if got := (Path{{{1, 2.26}, {3, 4}}}).D(); got != "M1 2.3L3 4Z" {
		t.Errorf("a path: got %s", got)
	}
}

// middle returns the mean of the points of a path.
func middle(p Path) (x, y float64) {
	for _, at := range p[0] {
		x, y = x+at[0]/float64(len(p[0])), y+at[1]/float64(len(p[0]))
	}
	return x, y
}

func TestPicture(t *testing.T) {
	colors := &Colors{Paper: "#ffffff", Ink: "#000000", Quiet: "#555555", Warn: "#884400", Land: "#eeeeee", Water: "#ccddee",
		Border: "#999999", Operators: map[string]string{"A": "#ff0000", "B": "#0000ff"}}
	card := &Card{Title: strings.Repeat("A long name of a street ", 20), Town: "Town", Warning: "Synthetic",
		Notes: []string{"source"}, Who: []Badge{{"A", "star", "Operator A", "5G"}, {"B", "cross", "Operator B", ""}}}
	packed, err := Picture(scene(), nil, card, colors)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(packed))
	if err != nil || picture.Bounds().Dx() != PictureWidth || picture.Bounds().Dy() != PictureHeight {
		t.Fatalf("%v, %v; want a PNG of %d by %d", picture.Bounds(), err, PictureWidth, PictureHeight)
	}
	d := New(scene(), nil, PictureWidth-textWidth, PictureHeight)
	for i, want := range map[int]color.Color{0: color.NRGBA{255, 0, 0, 255}, 2: color.NRGBA{0, 0, 255, 255}} {
		x, y := middle(d.Wedges[i].Path)
		r, g, b, _ := picture.At(textWidth+int(x), int(y)).RGBA()
		wr, wg, wb, _ := want.RGBA()
		if r != wr || g != wg || b != wb {
			t.Errorf("wedge %d is %v, want %v", i, picture.At(textWidth+int(x), int(y)), want)
		}
	}
	if len(packed) > 150_000 {
		t.Errorf("%d bytes, want at most 150,000", len(packed))
	}
}
