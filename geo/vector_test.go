package geo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Near and far, at the poles, along the antimeridian and opposite each other.
func TestVectorsAgreeWithPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	worst := 0.0
	for k := range 300000 {
		a := Point{r.Float64()*180 - 90, r.Float64()*360 - 180}
		switch k % 4 {
		case 1:
			a.Lng = math.Copysign(180, a.Lng)
		case 2:
			a.Lat = math.Copysign(90-math.Pow(10, -8*r.Float64()), a.Lat)
		case 3:
			a.Lat = math.Copysign(90, a.Lat)
		}
		b := Point{r.Float64()*180 - 90, r.Float64()*360 - 180}
		switch spread := math.Pow(10, 2-10*r.Float64()); k / 4 % 4 {
		case 1:
			b = Point{min(max(a.Lat+spread*(r.Float64()-0.5), -90), 90), wrap(a.Lng + spread*(r.Float64()-0.5))}
		case 2:
			b = Point{-a.Lat, wrap(a.Lng + 180)}
		case 3:
			b = a
		}
		got, want := a.Vector().Haversine(b.Vector()), Haversine(a, b)
		worst = max(worst, math.Abs(math.Sqrt(got)-math.Sqrt(want)))
	}
	if worst > VectorError/4 {
		t.Errorf("half a chord is off by %v", worst)
	}
}
