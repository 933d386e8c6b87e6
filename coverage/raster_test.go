package coverage

import (
	"math"
	"math/rand/v2"
	"testing"

	"relais/geo"
)

// A ring is the corners of a closed ring, without the first again.
type ring [][2]float64

func (r ring) edges(add func(x1, y1, x2, y2 float64)) {
	for i, p := range r {
		q := r[(i+1)%len(r)]
		add(p[0], p[1], q[0], q[1])
	}
}

// inside reports whether a ray from a point to the east crosses the rings an odd number of times.
func inside(rings []ring, x, y float64) (in bool) {
	for _, r := range rings {
		r.edges(func(x1, y1, x2, y2 float64) {
			if y1 > y != (y2 > y) && x < x1+(y-y1)/(y2-y1)*(x2-x1) {
				in = !in
			}
		})
	}
	return in
}

// Cells are those whose middle a ray says is inside, for rings that cross themselves and each other, have holes and
// leave the grid on all sides.
func TestRasterAgreesWithRays(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	for range 40 {
		const cols, rows, cell = 150, 90, 25.0
		r := newRaster(1000, 2000, cell, cols, rows)
		plane := make([]uint64, len(r.toggles))
		var rings []ring
		for range 1 + rng.IntN(4) {
			var one ring
			for range 3 + rng.IntN(20) {
				one = append(one, [2]float64{1000 + (rng.Float64()*1.6-0.3)*cols*cell, 2000 + (rng.Float64()*1.6-0.3)*rows*cell})
			}
			rings = append(rings, one)
			one.edges(r.edge)
		}
		r.fill(plane)
		wrong := 0
		for row := range rows {
			for col := range cols {
				got := plane[row*r.words+col>>6]>>(col&63)&1 == 1
				if got != inside(rings, 1000+(float64(col)+0.5)*cell, 2000+(float64(row)+0.5)*cell) {
					wrong++
				}
			}
		}
		if wrong > 0 {
			t.Fatalf("%d cells differ for %v", wrong, rings)
		}
		for i, w := range r.toggles {
			if w != 0 {
				t.Fatalf("word %d has toggles after the fill", i)
			}
		}
	}
}

// Two areas that overlap are filled one after the other: the second must not empty what both have.
func TestAreasAddUp(t *testing.T) {
	r := newRaster(0, 0, 1, 100, 10)
	plane := make([]uint64, len(r.toggles))
	for _, west := range []float64{10, 40} {
		ring{{west, 0}, {west + 50, 0}, {west + 50, 10}, {west, 10}}.edges(r.edge)
		r.fill(plane)
	}
	if got := count(plane); got != 800 {
		t.Errorf("%d cells, want 800", got)
	}
}

// A corner that is not a number must not end the program.
func TestStrangeCorners(t *testing.T) {
	info := Info{Market: "FR", EPSG: 2154, Words: arcepLevels}
	if err := info.frame(200); err != nil {
		t.Fatal(err)
	}
	c, err := newCanvas(&info)
	if err != nil {
		t.Fatal(err)
	}
	c.add(700000, 6600000, 800000, math.Inf(1))
	c.add(700000, math.NaN(), 800000, 6600000)
	if c.strayed == nil {
		t.Error("a corner that is not a number is taken")
	}
}

// A box in degrees has the area that the sphere has.
func TestOutlineOfBox(t *testing.T) {
	p, _ := geo.ByEPSG(2154)
	b := geo.Box{South: 48, West: -2, North: 48.5, East: -1}
	sum := 0.0
	outline(p, b, func(x1, y1, x2, y2 float64) { sum += (x1*y2 - x2*y1) / 2 })
	const rad = math.Pi / 180
	want := geo.EarthRadius * geo.EarthRadius * rad * (math.Sin(48.5*rad) - math.Sin(48*rad))
	if math.Abs(sum-want) > want*0.005 { // the sphere is not the ellipsoid
		t.Errorf("area %.0f m², want about %.0f", sum, want)
	}
}
