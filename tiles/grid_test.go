package tiles

import (
	"math/rand/v2"
	"testing"

	"relais/geo"
)

// A grid agrees with the projection, at the edges of its squares and of the world too.
func TestGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for z := range uint32(maxZoom + 1) {
		for range 20 {
			last := uint32(1)<<z - 1
			tile := Tile{z, uint32(r.Uint64N(uint64(last) + 1)), uint32(r.Uint64N(uint64(last) + 1))}
			switch r.IntN(6) {
			case 0:
				tile.X, tile.Y = 0, 0
			case 1:
				tile.X, tile.Y = last, last
			}
			checkGrid(t, r, tile)
		}
	}
}

func checkGrid(t *testing.T, r *rand.Rand, tile Tile) {
	t.Helper()
	const bits = 5
	g, inside := newGrid(tile, bits), 0
	for k := range 400 {
		lat, lng := g.rows[r.IntN(len(g.rows))], g.columns[r.IntN(len(g.columns))]
		switch k % 4 {
		case 0: // next to an edge
			lat, lng = lat-int32(r.IntN(2)), lng-int32(r.IntN(2))
		case 1:
			lat, lng = between(r, g.rows), between(r, g.columns)
		case 2:
			lat, lng = r.Int32N(180e7+1)-90e7, int32(r.Int64N(360e7+1)-180e7)
		}
		lat, lng = min(max(lat, -90e7), 90e7), min(max(lng, -180e7), 180e7)
		s := geo.Mercator(lat, lng)
		column, row := tile.within(s, bits)
		want := int((1<<bits-1-row)<<bits | column) // rows of a grid begin in the south
		if !tile.has(s) {
			want = -1
		}
		if got := g.square(lat, lng); got != want {
			t.Fatalf("tile %v, position %d, %d: square %d, want %d", tile, lat, lng, got, want)
		}
		if want >= 0 {
			inside++
		}
	}
	if inside < 100 {
		t.Errorf("tile %v: %d positions inside, want more", tile, inside)
	}
}

// between returns a number from the first edge to the last.
func between(r *rand.Rand, a axis) int32 {
	from, to := int64(a[0]), int64(a[len(a)-1])
	return int32(from + r.Int64N(max(to-from, 1)))
}
