package geo

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b Point
		want float64 // metres, worked out from the arc's angle
	}{
		{"same", Point{48, 2}, Point{48, 2}, 0},
		{"quarter of the equator", Point{0, 0}, Point{0, 90}, math.Pi / 2 * EarthRadius},
		{"pole to pole", Point{-90, 7}, Point{90, 120}, math.Pi * EarthRadius},
		{"one degree north", Point{45, 5}, Point{46, 5}, math.Pi / 180 * EarthRadius},
		{"over the antimeridian", Point{0, 179.5}, Point{0, -179.5}, math.Pi / 180 * EarthRadius},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Distance(tt.a, tt.b); math.Abs(got-tt.want) > 1e-6*(1+tt.want) {
				t.Errorf("Distance(%v, %v) = %f, want %f", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

// TestHaversine compares vectors with the textbook formula.
func TestHaversine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		a := Point{180*r.Float64() - 90, 360*r.Float64() - 180}
		spread := math.Pow(10, 2-9*r.Float64()) // down to some centimetres
		b := Point{min(max(a.Lat+spread*(r.Float64()-0.5), -90), 90), a.Lng + spread*(r.Float64()-0.5)}
		sinLat, sinLng := math.Sin((b.Lat-a.Lat)*rad/2), math.Sin((b.Lng-a.Lng)*rad/2)
		want := Metres(sinLat*sinLat + math.Cos(a.Lat*rad)*math.Cos(b.Lat*rad)*sinLng*sinLng)
		if got := Distance(a, b); math.Abs(got-want) > 1e-8+1e-11*want {
			t.Fatalf("Distance(%v, %v) = %.9f, want %.9f", a, b, got, want)
		}
	}
}

func TestBoxContains(t *testing.T) {
	paris := Box{South: 48.8, West: 2.2, North: 48.9, East: 2.4}
	fiji := Box{South: -20, West: 177, North: -15, East: -178}
	for _, tt := range []struct {
		b    Box
		p    Point
		want bool
	}{
		{paris, Point{48.85, 2.3}, true},
		{paris, Point{48.8, 2.2}, true}, // edges are inclusive
		{paris, Point{48.9, 2.4}, true},
		{paris, Point{48.9000001, 2.4}, false},
		{fiji, Point{-17, 179}, true},
		{fiji, Point{-17, -179}, true},
		{fiji, Point{-17, 180}, true},
		{fiji, Point{-17, 0}, false},
		{paris, Point{math.NaN(), 2.3}, false},
	} {
		if got := tt.b.Contains(tt.p); got != tt.want {
			t.Errorf("%v.Contains(%v) = %t, want %t", tt.b, tt.p, got, tt.want)
		}
		in := false
		for _, half := range tt.b.Split() {
			if half.West > half.East {
				t.Errorf("%v.Split() has %v, whose west is greater than its east", tt.b, half)
			}
			in = in || half.Contains(tt.p)
		}
		if in != tt.want {
			t.Errorf("the boxes of %v.Split() contain %v: %t, want %t", tt.b, tt.p, in, tt.want)
		}
	}
}

// Every point of a disc must lie in its box, near the poles and the
// antimeridian too.
func TestDiscBox(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inside := 0
	for range 200000 {
		d := Disc{Point{r.Float64()*180 - 90, r.Float64()*360 - 180}, math.Exp(r.Float64()*15 - 2)}
		b := d.Box()
		// A point near the edge, at a distance along a bearing.
		bearing, angle := r.Float64()*2*math.Pi, d.Radius/EarthRadius*(0.9+0.1*r.Float64())
		lat := d.Center.Lat * math.Pi / 180
		sin := math.Sin(lat)*math.Cos(angle) + math.Cos(lat)*math.Sin(angle)*math.Cos(bearing)
		lng := math.Atan2(math.Sin(bearing)*math.Sin(angle)*math.Cos(lat), math.Cos(angle)-math.Sin(lat)*sin)
		p := Point{math.Asin(sin) * 180 / math.Pi, wrap(d.Center.Lng + lng*180/math.Pi)}
		if Distance(d.Center, p) > d.Radius {
			continue
		}
		inside++
		if !b.Contains(p) {
			t.Fatalf("%v.Box() = %v, which does not contain %v of the disc", d, b, p)
		}
	}
	if inside < 100000 {
		t.Fatalf("%d points were inside their disc, want 100000 or more", inside)
	}
}

func TestFix(t *testing.T) {
	for _, tt := range []struct {
		degrees float64
		want    int32
	}{{46.177499999999995, 461775000}, {-61.5488888888, -615488889}, {180, 1800000000}, {0, 0}} {
		if got := Fix(tt.degrees); got != tt.want {
			t.Errorf("Fix(%v) = %d, want %d", tt.degrees, got, tt.want)
		}
		if got := Degrees(tt.want); math.Abs(got-tt.degrees) > 0.5/Scale {
			t.Errorf("Degrees(%d) = %v, want about %v", tt.want, got, tt.degrees)
		}
	}
}

// The curve must visit the cells of a 64×64 grid so that each step goes to a
// neighbour: that is what makes it Hilbert's.
func TestHilbertStepsToNeighbours(t *testing.T) {
	const n = 64
	at := map[uint64][2]int{}
	for x := range n {
		for y := range n {
			p := Point{Lat: (float64(y)+0.5)/n*180 - 90, Lng: (float64(x)+0.5)/n*360 - 180}
			at[Hilbert(p)>>(64-12)] = [2]int{x, y}
		}
	}
	if len(at) != n*n {
		t.Fatalf("%d cells, want %d", len(at), n*n)
	}
	for d := uint64(1); d < n*n; d++ {
		a, b := at[d-1], at[d]
		if dx, dy := a[0]-b[0], a[1]-b[1]; dx*dx+dy*dy != 1 {
			t.Fatalf("step %d goes from %v to %v, want a distance of 1", d, a, b)
		}
	}
}
