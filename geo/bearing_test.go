package geo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The azimuths and distances are those of PROJ's geod on a sphere of EarthRadius.
func TestBearingAgreesWithGeod(t *testing.T) {
	for _, tt := range []struct {
		a, b    Point
		azimuth float64 // -180 to 180
		metres  float64
	}{
		{Point{48.8584, 2.2945}, Point{48.8606, 2.3376}, 85.5473382459, 3162.503653},
		{Point{48.8584, 2.2945}, Point{40.7128, -74.006}, -68.2400576296, 5833254.685393},
		{Point{-17.5, 179.9}, Point{-17.6, -179.9}, 117.7030504022, 23942.596094},
		{Point{-20.88, 55.45}, Point{-21.34, 55.49}, 175.3694590076, 51317.757746},
		{Point{83.9, -60}, Point{84.1, 120}, 0, 1334340.962802},
		{Point{0, 0}, Point{0, -1}, -90, 111195.080234},
		{Point{48, 2}, Point{48.0000001, 2.0000001}, 33.7876905841, 0.013379},
		{Point{-33.86, 151.2}, Point{51.5, -0.12}, -40.8428941062, 16992586.555930},
		{Point{10, 20}, Point{-9.9, -159.9}, -44.5744981791, 19999506.899246},
		{Point{89.999, 10}, Point{89.999, -100}, -35.0000000041, 182.171355},
	} {
		got := Bearing(tt.a, tt.b)
		if got < 0 || got >= 360 || AngleBetween(got, tt.azimuth) > 2e-6 {
			t.Errorf("Bearing(%v, %v) = %.9f, want %.9f", tt.a, tt.b, got, tt.azimuth)
		}
		if m := Distance(tt.a, tt.b); math.Abs(m-tt.metres) > 2e-6*(1+tt.metres/1000) {
			t.Errorf("Distance(%v, %v) = %f, want %f", tt.a, tt.b, m, tt.metres)
		}
	}
}

// vector returns the point of the unit sphere for p.
func vector(p Point) [3]float64 {
	lat, lng := p.Lat*math.Pi/180, p.Lng*math.Pi/180
	return [3]float64{math.Cos(lat) * math.Cos(lng), math.Cos(lat) * math.Sin(lng), math.Sin(lat)}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// The other formula is the direction of b in the plane that touches the sphere at a.
func TestBearingAgreesWithVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		a := Point{r.Float64()*178 - 89, r.Float64()*360 - 180}
		b := Point{r.Float64()*180 - 90, r.Float64()*360 - 180}
		lat, lng := a.Lat*math.Pi/180, a.Lng*math.Pi/180
		north := [3]float64{-math.Sin(lat) * math.Cos(lng), -math.Sin(lat) * math.Sin(lng), math.Cos(lat)}
		east := [3]float64{-math.Sin(lng), math.Cos(lng), 0}
		to := vector(b)
		want := math.Atan2(dot(to, east), dot(to, north)) * 180 / math.Pi
		if got := Bearing(a, b); got < 0 || got >= 360 || AngleBetween(got, want) > 1e-6 {
			t.Fatalf("Bearing(%v, %v) = %v, want %v", a, b, got, want)
		}
	}
	if got := Bearing(Point{48, 2}, Point{48, 2}); got != 0 {
		t.Errorf("bearing of a point to itself = %v, want 0", got)
	}
}

func TestAngleBetween(t *testing.T) {
	for _, tt := range []struct{ a, b, want float64 }{
		{0, 0, 0}, {10, 350, 20}, {350, 10, 20}, {0, 180, 180}, {90, 271, 179}, {359.5, 0, 0.5}, {-170, 170, 20},
		{725, 5, 0},
	} {
		if got := AngleBetween(tt.a, tt.b); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("AngleBetween(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestDirection(t *testing.T) {
	for _, tt := range []struct {
		list         []float64
		mean, length float64
	}{
		{nil, 0, 0},
		{[]float64{77}, 77, 1},
		{[]float64{350, 20}, 5, math.Cos(15 * math.Pi / 180)},
		{[]float64{10, 10, 10, 10}, 10, 1},
		{[]float64{80, 100, 200}, 120, 0.6264617}, // as sums of complex numbers
	} {
		var d Direction
		for _, x := range tt.list {
			d.Add(x)
		}
		if mean, length := d.Mean(); math.Abs(mean-tt.mean) > 1e-3 || math.Abs(length-tt.length) > 1e-4 {
			t.Errorf("mean of %v = %v, %v, want %v, %v", tt.list, mean, length, tt.mean, tt.length)
		}
	}
	var opposite Direction
	opposite.Add(30)
	opposite.Add(210)
	if _, length := opposite.Mean(); length > 1e-12 {
		t.Errorf("mean length of opposite directions = %v, want 0", length)
	}
}
