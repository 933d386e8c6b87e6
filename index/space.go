package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/tidwall/rtree"

	"relais/geo"
)

// space answers where sites are. Sites stand in Hilbert order, so that the few
// dozen of a block lie close together: the tree holds the blocks' rectangles,
// and the sites of a block are looked at one by one. That makes the tree a
// thirtieth of the size of one with a leaf entry a site.
type space struct {
	lat, lng []int32      // 1e-7 degrees
	vectors  []geo.Vector // the same
	tree     rtree.RTreeGN[int64, uint32]
}

// blockSites is the number of sites in a block.
const blockSites = 32

func newSpace(lat, lng []int32) *space {
	s := &space{lat: lat, lng: lng, vectors: make([]geo.Vector, len(lat))}
	for i := range s.vectors {
		s.vectors[i] = s.position(uint32(i)).Vector()
	}
	for from := 0; from < len(lat); from += blockSites {
		to := min(from+blockSites, len(lat))
		lo := [2]int64{int64(slices.Min(lng[from:to])), int64(slices.Min(lat[from:to]))}
		hi := [2]int64{int64(slices.Max(lng[from:to])), int64(slices.Max(lat[from:to]))}
		s.tree.Insert(lo, hi, uint32(from/blockSites))
	}
	return s
}

// block returns the sites of a block.
func (s *space) block(b uint32) (from, to uint32) {
	return b * blockSites, uint32(min(int(b+1)*blockSites, len(s.lat)))
}

// A fixedBox is a box in 1e-7 degrees. Its edges are rounded inwards, so that a
// site is in it when its position is in the box that was asked for.
type fixedBox struct{ south, west, north, east int32 }

func fix(b geo.Box) fixedBox {
	up := func(x float64) int32 { return int32(math.Ceil(x*geo.Scale - 1e-3)) }
	down := func(x float64) int32 { return int32(math.Floor(x*geo.Scale + 1e-3)) }
	return fixedBox{up(b.South), up(b.West), down(b.North), down(b.East)}
}

// box adds the sites of b to set.
func (s *space) box(set bitset, b geo.Box) {
	for _, part := range b.Split() {
		f := fix(part)
		s.tree.Search([2]int64{int64(f.west), int64(f.south)}, [2]int64{int64(f.east), int64(f.north)},
			func(lo, hi [2]int64, block uint32) bool {
				from, to := s.block(block)
				if lo[0] >= int64(f.west) && lo[1] >= int64(f.south) && hi[0] <= int64(f.east) &&
					hi[1] <= int64(f.north) {
					set.setRange(from, to)
					return true
				}
				for i := from; i < to; i++ {
					if s.lat[i] >= f.south && s.lat[i] <= f.north && s.lng[i] >= f.west && s.lng[i] <= f.east {
						set.set(i)
					}
				}
				return true
			})
	}
}

func (s *space) position(i uint32) geo.Point {
	return geo.Point{Lat: geo.Degrees(s.lat[i]), Lng: geo.Degrees(s.lng[i])}
}

// A Near is a site, by its place in the snapshot, with its distance.
type Near struct {
	Site   uint32
	Metres float64 // along the great circle
}

// An away is a site with the haversine of its distance, which orders sites as
// the distance does and is all that most of them need.
type away struct {
	site      uint32
	haversine float64
}

func byHaversine(a, b away) int {
	switch { // no cmp.Or: it is asked very often
	case a.haversine < b.haversine:
		return -1
	case a.haversine > b.haversine:
		return 1
	}
	return cmp.Compare(a.site, b.site)
}

func inMetres(list []away) []Near {
	near := make([]Near, len(list))
	for k, a := range list {
		near[k] = Near{a.site, geo.Metres(a.haversine)}
	}
	return near
}

// around returns two haversines of vectors: a site with less than the first is certainly
// nearer than a haversine, and one with more than the second is certainly farther.
func around(haversine float64) (nearer, farther float64) {
	half := math.Sqrt(haversine)
	doubt := geo.VectorError + half*1e-9 // the latter for rounding
	nearer, farther = max(half-doubt, 0), half+doubt
	return nearer * nearer, farther * farther
}

// disc returns the members of set that lie in d, nearest first from offset on,
// at most limit of them, and how many there are in all, however far offset is.
// Vectors, which are cheap, decide about all sites but those at the edge; the exact
// distances of the sites up to the page decide about their order. spare is memory for it.
func (s *space) disc(set bitset, spare *[]away, d geo.Disc, offset, limit int) (page []Near, total int) {
	half := math.Sin(min(d.Radius/geo.EarthRadius, math.Pi) / 2)
	inside, outside := around(half * half)
	center := d.Center.Vector()
	list := (*spare)[:0]
	set.each(func(i uint32) {
		h := center.Haversine(s.vectors[i])
		if h < inside || h <= outside && geo.Distance(d.Center, s.position(i)) <= d.Radius {
			list = append(list, away{i, h})
		}
	})
	*spare, total = list, len(list)
	if offset >= total || limit == 0 {
		return nil, total
	}
	end := offset + min(limit, total-offset)
	list = innermost(list, end, outside)
	for k := range list {
		list[k].haversine = geo.Haversine(d.Center, s.position(list[k].site))
	}
	slices.SortFunc(list, byHaversine)
	return inMetres(list[offset:end]), total
}

// innermost returns those of list that may be among the n nearest, of which there is at least
// one: it halves the radius of a disc for as long as enough sites are certainly in it.
func innermost(list []away, n int, haversine float64) []away {
	for {
		haversine /= 4
		nearer, farther := around(haversine)
		certain := 0
		for _, a := range list {
			if a.haversine < nearer {
				certain++
			}
		}
		if certain < n {
			return list
		}
		list = slices.DeleteFunc(list, func(a away) bool { return a.haversine > farther })
	}
}

// nearest returns the k sites nearest to p that keep accepts, nearest first.
func (s *space) nearest(p geo.Point, k int, keep func(i uint32) bool) []Near {
	if k <= 0 {
		return nil
	}
	var best []away // sorted; at most k
	s.tree.Nearby(
		func(lo, hi [2]int64, _ uint32, _ bool) float64 { return toBox(p, lo, hi) },
		func(_, _ [2]int64, block uint32, metres float64) bool {
			if len(best) == k && metres > geo.Metres(best[k-1].haversine) {
				return false
			}
			from, to := s.block(block)
			for i := from; i < to; i++ {
				if !keep(i) {
					continue
				}
				a := away{i, geo.Haversine(p, s.position(i))}
				if len(best) == k {
					if byHaversine(a, best[k-1]) >= 0 {
						continue
					}
					best = best[:k-1]
				}
				at, _ := slices.BinarySearchFunc(best, a, byHaversine)
				best = slices.Insert(best, at, a)
			}
			return true
		})
	return inMetres(best)
}

// toBox is a lower bound, in metres, of the distance from p to a rectangle that
// does not cross the antimeridian. Over the longitudes of the rectangle the
// nearest point lies on p's own meridian; beside them it lies on one of the two
// edges, at the latitude where that meridian comes closest to p.
func toBox(p geo.Point, lo, hi [2]int64) float64 {
	west, south := float64(lo[0])/geo.Scale, float64(lo[1])/geo.Scale
	east, north := float64(hi[0])/geo.Scale, float64(hi[1])/geo.Scale
	least := 0.0
	if west <= p.Lng && p.Lng <= east {
		least = geo.Distance(p, geo.Point{Lat: min(max(p.Lat, south), north), Lng: p.Lng})
	} else {
		least = min(toMeridian(p, west, south, north), toMeridian(p, east, south, north))
	}
	return least*(1-1e-9) - 1e-3 // what rounding may have added
}

// toMeridian is the distance from p to the arc of a meridian between two
// latitudes.
func toMeridian(p geo.Point, lng, south, north float64) float64 {
	const rad = math.Pi / 180
	d := (p.Lng - lng) * rad
	// The foot of the perpendicular on the meridian's great circle; beyond a
	// quarter turn it lies on the other side of the pole, and an end is nearest.
	best := min(geo.Distance(p, geo.Point{Lat: south, Lng: lng}), geo.Distance(p, geo.Point{Lat: north, Lng: lng}))
	if math.Cos(d) > 0 {
		foot := math.Atan2(math.Sin(p.Lat*rad), math.Cos(p.Lat*rad)*math.Cos(d)) / rad
		if south <= foot && foot <= north {
			best = min(best, geo.Distance(p, geo.Point{Lat: foot, Lng: lng}))
		}
	}
	return best
}
