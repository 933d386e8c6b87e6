package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"relais/market"
)

// Each square has what was imported there, taken one by one.
func TestSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s, list := openStore(t, t.TempDir()), random(r, 1_600) // few enough that no square is sampled
	half := len(list) / 2                                  // in two segments
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(list[:half])), write(t, "b.csv", testsOf(list[:half])))
	imported(t, s, market.FR, write(t, "a.csv", coverageOf(list[half:])), write(t, "b.csv", testsOf(list[half:])))
	const side = 8
	square := func(lat, lng int32) int { // of half a degree around the town
		y, x := math.Floor((float64(lat)/1e7-44)*2), math.Floor((float64(lng)/1e7-3)*2)
		if min(x, y) < 0 || max(x, y) >= side {
			return -1
		}
		return int(y)*side + int(x)
	}
	for range 30 {
		q := randomQuery(r)
		q.Box, q.Disc = nil, nil
		for _, kind := range []Kind{Coverage, Speedtest} {
			got, err := s.Squares(kind, q, side*side, square)
			must(t, err)
			checkSquares(t, kind, q, list, got, square)
		}
	}
}

func checkSquares(t *testing.T, kind Kind, q Query, list []made, got []Square, square func(lat, lng int32) int) {
	t.Helper()
	first, newest := make([][]float64, len(got)), make([]Generation, len(got))
	counts := make([]int, len(got))
	for _, m := range list {
		g, value := generationOf[m.tech], float64(m.rsrp)
		if kind == Speedtest {
			g, value = 4, m.down
		}
		at := square(int32(math.Round(m.lat*1e5))*100, int32(math.Round(m.lng*1e5))*100) // as the file has them
		if at < 0 || !matches(&q, &m, g) || q.Generations != nil && !slices.Contains(q.Generations, g) {
			continue
		}
		if g >= 4 { // of others the column is another quantity
			first[at] = append(first[at], value)
		}
		counts[at], newest[at] = counts[at]+1, max(newest[at], g)
	}
	for i, sq := range got {
		what := fmt.Sprintf("%s, square %d of %+v", kind, i, q)
		if sq.Count != counts[i] || sq.Newest != newest[i] {
			t.Errorf("%s: %d, newest %d, want %d, %d", what, sq.Count, sq.Newest, counts[i], newest[i])
			continue
		}
		sameQuantiles(t, what, sq.Values[0], first[i])
	}
}
