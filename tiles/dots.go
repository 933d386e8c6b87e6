package tiles

import (
	"math/bits"
	"slices"
	"sort"

	"relais/geo"
	"relais/index"
)

// Keys of the layer dots. n, ops and gen are as in the layer sites. live is 1 if a site has an emission that is more
// than a project.
const (
	dotN = iota
	dotOps
	dotLive
	dotGen
)

var dotKeys = []string{"n", "ops", "live", "gen"}

// dotBits says how many units a side of the layer dots has: 2^dotBits. Map libraries draw a tile 512 pixels wide, so
// that a unit is half a pixel.
const dotBits = 10

// Dots returns the layer dots, of the sites that a filter selects: a feature for all sites that are shown alike, with
// the places that have one. n counts the sites. Several may be at one place. From zoom 12 on the layer is
// empty.
func Dots(m *index.Market, f index.Filter, t Tile) []byte {
	if t.Z >= everySite {
		return nil
	}
	l, selected := newLayer(DotsLayer, dotKeys...), m.Select(f)
	l.extent = 1 << dotBits
	var dots []dot
	alike := selected.Alike()
	eachSite(m, selected, t, func(i uint32, s geo.Spot) {
		x, y := t.within(s, dotBits)
		dots = append(dots, newDot(alike.Of(i), x, y))
	})
	dots = sortDots(dots, len(alike.List))
	for len(dots) > 0 {
		like := dots[0].like()
		n := sort.Search(len(dots), func(i int) bool { return dots[i].like() != like })
		addDots(l, alike.List[like], dots[:n])
		dots = dots[n:]
	}
	return l.appendTo(nil)
}

// addDots adds a feature.
func addDots(l *layer, s index.Likeness, dots []dot) {
	l.number(dotN, uint64(len(dots)))
	l.number(dotOps, s.Operators)
	live := uint64(0)
	if s.Live {
		live = 1
	}
	l.number(dotLive, live)
	l.number(dotGen, uint64(s.Generation))
	var places []geo.Spot
	for _, d := range slices.Compact(dots) {
		places = append(places, d.place())
	}
	l.points(0, places...)
}

// A dot is a site: the number of its likeness, its row and its column, in this order of their bits. So the dots of a
// feature are sorted by row, and compress well.
type dot uint64

const lastDot = 1<<dotBits - 1 // of the columns and of the rows

func newDot(like int, x, y uint32) dot { return dot(like)<<(2*dotBits) | dot(y)<<dotBits | dot(x) }

func (d dot) like() int { return int(d >> (2 * dotBits)) }

func (d dot) place() geo.Spot {
	return geo.Spot{X: uint32(d) & lastDot, Y: uint32(d>>dotBits) & lastDot}
}

// sortDots returns dots in their order. It counts how often each column, row and likeness occurs, which takes a tenth of
// the time of comparing a hundred thousand dots.
func sortDots(dots []dot, likes int) []dot {
	spare := make([]dot, len(dots))
	for shift := 0; shift < 2*dotBits+bits.Len(uint(likes)); shift += dotBits {
		var next [1 << dotBits]int
		for _, d := range dots {
			next[d>>shift&lastDot]++
		}
		before := 0
		for k, n := range next {
			next[k], before = before, before+n
		}
		for _, d := range dots {
			at := &next[d>>shift&lastDot]
			spare[*at] = d
			*at++
		}
		dots, spare = spare, dots
	}
	return dots
}
