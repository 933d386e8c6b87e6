package belgium

import (
	"math"
	"math/rand/v2"
	"testing"

	"relais/market"
)

// greedy clusters in n² steps, in metres: it returns for each position, which come
// in order, the number of the first one of its place.
func greedy(x, y []float64) []int {
	first := make([]int, len(x))
	for i := range x {
		first[i] = i
		for k := range i {
			if first[k] == k && math.Hypot(x[i]-x[k], y[i]-y[k]) <= 10+1e-7 {
				first[i] = k
				break
			}
		}
	}
	return first
}

// places of the grid are those that comparing each with each finds.
func TestGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, side := range []float64{1, 30, 300, 3000} {
		var x, y []float64
		g := grid{cells: map[spot][]int{}}
		c := &country{market: market.Get(market.BE)}
		var got []*place
		firstOf := map[spot]int{}
		for i := range 2000 {
			x, y = append(x, math.Round(1e4*(100000-side/2+side*r.Float64()))/1e4), append(y,
				math.Round(1e4*(200000+side*r.Float64()))/1e4)
			if i%3 == 0 { // whole metres: many are exactly ten apart
				x[i], y[i] = math.Round(x[i]), math.Round(y[i])
			}
			s, reason := c.inBelgium(x[i], y[i])
			if reason != "" {
				t.Fatalf("reason = %v, want %q", reason, "")
			}
			p := *g.placeAt(s)
			if p.spot == s {
				if _, ok := firstOf[s]; !ok {
					firstOf[s] = i
				}
			}
			got = append(got, &p)
		}
		for i, want := range greedy(x, y) {
			if firstOf[got[i].spot] != want {
				t.Fatalf("side %v: %d (%v, %v) belongs to %d, want %d", side, i, x[i], y[i], firstOf[got[i].spot], want)
			}
		}
	}
}

// Ten metres are within reach in every direction, a tenth of a millimetre more is
// not.
func TestReach(t *testing.T) {
	for _, d := range [][2]float64{{10, 0}, {-10, 0}, {0, 10}, {0, -10}, {6, 8}, {-8, -6}, {7.0711, 7.071}} {
		for _, from := range [][2]float64{{104675.2953, 193447.8034}, {100000, 200000}, {104679.9999, 193440}} {
			for _, more := range []float64{0, 0.0001} {
				c := &country{market: market.Get(market.BE)}
				a, _ := c.inBelgium(from[0], from[1])
				b, _ := c.inBelgium(from[0]+d[0]+math.Copysign(more, d[0]), from[1]+d[1]+math.Copysign(more, d[1]))
				g := grid{cells: map[spot][]int{}}
				g.placeAt(a)
				g.placeAt(b)
				want := 1
				if more > 0 || math.Hypot(d[0], d[1]) > 10 {
					want = 2
				}
				if len(g.places) != want {
					t.Errorf("%v from %v, %v more: %d places, want %d", d, from, more, len(g.places), want)
				}
			}
		}
	}
}
