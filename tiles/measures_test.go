package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/maptile"

	"relais/geo"
	"relais/internal/errtest"
	"relais/market"
	"relais/measure"
	"relais/measure/measuretest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A point is a coverage point of these tests.
type point struct {
	at     geo.Point
	rsrp   float64
	newest uint64
}

// pointsOf imports points.
func pointsOf(t *testing.T, points []point) *measure.Store {
	t.Helper()
	var text strings.Builder
	text.WriteString("timestamp,lat,lng,technology,mcc,mnc,rsrp\n")
	for i, p := range points {
		moment := time.Now().Add(-time.Duration(i) * time.Second).UTC().Format(time.RFC3339)
		fmt.Fprintf(&text, "%s,%.5f,%.5f,%dG,208,1,%.0f\n", moment, p.at.Lat, p.at.Lng, p.newest, p.rsrp)
	}
	return measuretest.Open(t, time.Now, text.String())
}

func randomPoints(n int) (list []point) {
	r := rand.New(rand.NewPCG(9, 10))
	for i := range n {
		at := geo.Point{Lat: 48.85 + r.NormFloat64()*0.05, Lng: 2.35 + r.NormFloat64()*0.05}
		if i%4 == 0 {
			at = geo.Point{Lat: 43 + r.Float64()*7, Lng: -1 + r.Float64()*7}
		}
		at = geo.Point{Lat: math.Round(at.Lat*1e5) / 1e5, Lng: math.Round(at.Lng*1e5) / 1e5}
		list = append(list, point{at, float64(-60 - r.IntN(60)), uint64(4 + r.IntN(2))})
	}
	return list
}

// Each point is on one tile of a zoom, in the square in which another implementation finds it, and
// the level of a square is the median of its points.
func TestCoverage(t *testing.T) {
	all := randomPoints(1000) // few enough that no square is sampled
	s := pointsOf(t, all)
	for _, z := range []uint32{withMeasures, 9, 12, 16} {
		squares := map[maptile.Tile][]point{} // a square is a tile of a larger zoom
		tiles := map[maptile.Tile]bool{}
		for _, p := range all {
			square := tileOf(p.at, z+measureBits)
			squares[square] = append(squares[square], p)
			tiles[tileOf(p.at, z)] = true
		}
		found := 0
		for o := range tiles {
			layer, err := Coverage(s, measure.Query{Market: market.FR}, Tile{z, o.X, o.Y})
			must(t, err)
			for _, f := range decode(t, layer)["coverage"] {
				ring := f.Geometry.(orb.Polygon)[0]
				at, to := ring[0], ring[2]
				if len(ring) != 5 || ring.Orientation() != orb.CCW || to[0]-at[0] != Extent>>measureBits || to[1]-at[1] != to[0]-at[0] {
					t.Errorf("zoom %d: ring %v, want a square", z, ring)
				}
				in := maptile.New(o.X<<measureBits+uint32(at[0])>>(extentBits-measureBits),
					o.Y<<measureBits+uint32(at[1])>>(extentBits-measureBits), maptile.Zoom(z+measureBits))
				want := squares[in]
				if len(want) == 0 {
					t.Fatalf("zoom %d: a feature in %v, where no point is", z, in)
				}
				slices.SortFunc(want, func(a, b point) int { return int(a.rsrp - b.rsrp) })
				newest := slices.MaxFunc(want, func(a, b point) int { return int(a.newest) - int(b.newest) }).newest
				if rsrp := f.Properties["rsrp"]; number(f, "n") != uint64(len(want)) || rsrp != want[(len(want)-1)/2].rsrp ||
					number(f, "gen") != newest || f.Properties["synthetic"] != nil {
					t.Errorf("zoom %d, square %v: %v, want n = %d, rsrp = %v, gen = %d", z, in, f.Properties, len(want),
						want[(len(want)-1)/2].rsrp, newest)
				}
				delete(squares, in)
				found += len(want)
			}
		}
		if found != len(all) {
			t.Errorf("zoom %d: %d points on all tiles, want %d", z, found, len(all))
		}
	}
	o := tileOf(all[1].at, withMeasures-1)
	if layer, err := Coverage(s, measure.Query{Market: market.FR}, Tile{withMeasures - 1, o.X, o.Y}); len(layer) > 0 || err != nil {
		t.Errorf("zoom %d: %d bytes, error %v, want no layer", withMeasures-1, len(layer), err)
	}
}

// The numbers of all features are the outages on the tile.
func TestOutages(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var all []Outage
	for i, p := range randomPoints(500) {
		all = append(all, Outage{ID: fmt.Sprint("o", i), Position: p.at, Operators: 1 << r.IntN(4), Down: i%3 == 0, Reported: i%5 == 0})
	}
	for _, z := range []uint32{0, 3, 8, 9, 14, 22} {
		wants, lists := map[maptile.Tile][4]uint64{}, map[maptile.Tile]int{}
		for _, o := range all {
			at, one := tileOf(o.Position, z), [4]uint64{1, o.Operators, 0, 0}
			if o.Down {
				one[2] = 1
			}
			if o.Reported {
				one[3] = 1
			}
			sum := wants[at]
			wants[at] = [4]uint64{sum[0] + 1, sum[1] | one[1], sum[2] + one[2], sum[3] + one[3]}
			lists[at]++
		}
		for at, want := range wants {
			var got [4]uint64
			features := decode(t, Outages(all, Tile{z, at.X, at.Y}))["outages"]
			for _, f := range features {
				n := number(f, "n")
				got = [4]uint64{got[0] + n, got[1] | number(f, "ops"), got[2] + number(f, "down"), got[3] + number(f, "reported")}
				if (n == 1) != (f.Properties["id"] != nil) {
					t.Errorf("tile %v: %v, want an id exactly of one", at, f.Properties)
				}
			}
			if got != want {
				t.Errorf("tile %v: n, ops, down, reported = %v, want %v", at, got, want)
			}
			if z >= everyOutage && len(features) != lists[at] {
				t.Errorf("tile %v: %d features, want %d", at, len(features), lists[at])
			}
		}
	}
}
