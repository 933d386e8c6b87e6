package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/tidwall/rtree"

	"relais/geo"
)

// space finds sites by position. Sites are in Hilbert order, so that the sites of a block
// are close to each other: the tree has the rectangles of blocks, and the sites of a block
// are tested one by one. The tree is a thirtieth of the size of one with all sites.
type space struct {
	lat, lng []int32 // 1e-7 degrees
	vectors  []geo.Vector
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

// block returns the sites from to to-1 of a block.
func (s *space) block(b uint32) (from, to uint32) {
	return b * blockSites, uint32(min(int(b+1)*blockSites, len(s.lat)))
}

// A fixedBox is a box in 1e-7 degrees. Its edges are rounded inwards, so that it contains
// the positions that the original box contains.
type fixedBox struct{ south, west, north, east int32 }

func toFixedBox(b geo.Box) fixedBox {
	up := func(x float64) int32 { return int32(math.Ceil(x*geo.Scale - 1e-3)) }
	down := func(x float64) int32 { return int32(math.Floor(x*geo.Scale + 1e-3)) }
	return fixedBox{up(b.South), up(b.West), down(b.North), down(b.East)}
}

// addBox adds the sites in b to set.
func (s *space) addBox(set bitset, b geo.Box) {
	for _, part := range b.Split() {
		f := toFixedBox(part)
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

// A Near is a site, by its position in the snapshot, with its distance.
type Near struct {
	Site   uint32
	Metres float64 // along the great circle
}

// An away is a site with the haversine of its distance, which orders sites as the distance
// does.
type away struct {
	site      uint32
	haversine float64
}

func compareDistances(a, b away) int {
	switch { // faster than cmp.Or, which evaluates all arguments
	case a.haversine < b.haversine:
		return -1
	case a.haversine > b.haversine:
		return 1
	}
	return cmp.Compare(a.site, b.site)
}

func toNear(list []away) []Near {
	near := make([]Near, len(list))
	for k, a := range list {
		near[k] = Near{a.site, geo.Metres(a.haversine)}
	}
	return near
}

// disc returns the members of set that lie in d, nearest first from offset on, at most limit of
// them, and how many lie in it in all. spare is memory for it.
func (s *space) disc(set bitset, spare *[]away, d geo.Disc, offset, limit int) (page []Near, total int) {
	center, rim := d.Center.Vector(), d.Haversine()
	list := (*spare)[:0]
	set.each(func(i uint32) {
		if h := center.Haversine(s.vectors[i]); h <= rim {
			list = append(list, away{i, h})
		}
	})
	*spare, total = list, len(list)
	offset = min(offset, total)
	end := offset + min(limit, total-offset)
	list = innermost(list, end, rim)
	slices.SortFunc(list, compareDistances)
	return toNear(list[offset:end]), total
}

// innermost keeps the sites of list up to a distance within which there are at least n, so that few
// have to be sorted for a page. It counts the sites in rings of equal area, drops those beyond the
// ring that completes n, and divides what is left again. No site is farther than rim.
func innermost(list []away, n int, rim float64) []away {
	const rings = 64
	for rim > 0 {
		ring := func(a away) int { return min(int(a.haversine/rim*rings), rings-1) }
		var counts [rings]int
		for _, a := range list {
			counts[ring(a)]++
		}
		last, inner := 0, counts[0]
		for inner < n {
			last++
			inner += counts[last]
		}
		if inner == len(list) {
			break
		}
		list = slices.DeleteFunc(list, func(a away) bool { return ring(a) > last })
		rim *= float64(last+1) / rings
	}
	return list
}
