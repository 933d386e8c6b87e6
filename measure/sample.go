package measure

import (
	"math"
	"runtime"
	"slices"

	"relais/geo"
)

// Coverage returns the coverage points that a query selects, the newest first. Where
// there are more than its limit, they are an even sample of the place: it is divided
// into cells of about equal sides in metres, no more than the limit, and each cell gives
// its newest points, as many as any other cell that has them.
func (s *Store) Coverage(q Query) ([]Point, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	v := s.view()
	defer runtime.KeepAlive(v)
	filters := v.filters(Coverage, &q)
	g := newGrid(filters, q.Limit)
	counts := g.count(filters)
	picks := g.newest(filters, counts, q.Limit)
	points := make([]Point, len(picks))
	for i, p := range picks {
		points[i] = filters[p.segment].point(p.row)
	}
	return points, nil
}

// A grid divides a place into cells.
type grid struct {
	south, west    int32
	perLat, perLng uint64 // rows and columns of cells to 2^32 steps of 1e-7 degrees
	rows, cols     int
}

// newGrid divides what the filters can match into at most limit cells.
func newGrid(filters []*filter, limit int) grid {
	south, west, north, east := int64(math.MaxInt32), int64(math.MaxInt32), int64(math.MinInt32), int64(math.MinInt32)
	for _, f := range filters {
		for k := range f.blocks {
			b := &f.blocks[k]
			for _, r := range meet(f.places, []rectangle{{b.south, b.west, b.north, b.east}}) {
				south, west = min(south, int64(r.south)), min(west, int64(r.west))
				north, east = max(north, int64(r.north)), max(east, int64(r.east))
			}
		}
	}
	if south > north {
		return grid{rows: 1, cols: 1}
	}
	height, width := north-south+1, east-west+1 // at most 2^32
	metric := float64(width) * max(math.Cos(geo.Degrees(int32((north+south)/2))*math.Pi/180), 1e-6)
	cols := int(math.Round(math.Sqrt(float64(limit) * metric / float64(height))))
	cols = min(max(cols, 1), limit)
	rows := max(limit/cols, 1)
	return grid{int32(south), int32(west), uint64(rows) << 32 / uint64(height), uint64(cols) << 32 / uint64(width), rows, cols}
}

// cell is the number of the cell in which a point lies.
func (g *grid) cell(lat, lng int32) uint32 {
	y := uint64(uint32(lat-g.south)) * g.perLat >> 32
	x := uint64(uint32(lng-g.west)) * g.perLng >> 32
	return uint32(y)*uint32(g.cols) + uint32(x)
}

// count returns how many rows match in each cell.
func (g *grid) count(filters []*filter) []uint32 {
	counts := make([]uint32, g.rows*g.cols)
	var space [blockRows]uint32
	for _, f := range filters {
		for k := range f.blocks {
			for _, i := range f.matches(k, &space) {
				counts[g.cell(f.lat[i], f.lng[i])]++
			}
		}
	}
	return counts
}

// shares returns how many rows each cell gives, so that they are limit in all or all
// there are. Of cells with more to give than their equal share, those that give one more
// are scattered.
func shares(counts []uint32, limit int) []uint32 {
	given := func(each uint32) (sum int) {
		for _, c := range counts {
			sum += int(min(c, each))
		}
		return sum
	}
	most := slices.Max(counts)
	if given(most) <= limit {
		return counts
	}
	low, high := uint32(0), most // of equal shares: low can be given, high cannot
	for high-low > 1 {
		if mid := low + (high-low)/2; given(mid) <= limit {
			low = mid
		} else {
			high = mid
		}
	}
	rest := limit - given(low)
	list := make([]uint32, len(counts))
	var more []int
	for i, c := range counts {
		if list[i] = min(c, low); c > low {
			more = append(more, i)
		}
	}
	for k := range rest {
		list[more[k*len(more)/rest]]++
	}
	return list
}

// newest returns the newest rows of each cell, the newest of all first.
func (g *grid) newest(filters []*filter, counts []uint32, limit int) []pick {
	share := shares(counts, limit)
	start := make([]uint32, len(share)+1)
	for i, n := range share {
		start[i+1] = start[i] + n
	}
	picks := make([]pick, start[len(share)])
	filled, least := make([]uint32, len(share)), make([]uint32, len(share)) // least time of a row that is taken in
	var space [blockRows]uint32
	for at, f := range filters {
		for k := range f.blocks {
			for _, i := range f.matches(k, &space) {
				c, t := g.cell(f.lat[i], f.lng[i]), f.time[i]
				if t < least[c] {
					continue
				}
				heap, p := picks[start[c]:start[c+1]], pick{t, place{uint32(at), i}}
				if n := filled[c]; int(n) < len(heap) {
					heap[n] = p
					if filled[c]++; int(n)+1 < len(heap) {
						continue
					}
					heapify(heap)
				} else { // of the same time, the first row stays
					heap[0] = p
					sink(heap, 0)
				}
				least[c] = heap[0].time + 1
			}
		}
	}
	slices.SortFunc(picks, older)
	return picks
}
