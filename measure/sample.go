package measure

import (
	"math"
	"math/bits"
	"runtime"
	"slices"

	"relais/geo"
)

// Coverage returns the coverage points that a query selects, the newest first. Where
// there are more than its limit, they are an even sample of the place: it is divided
// into cells of about equal sides in metres, as small as no more than limit of them have
// points, and each cell gives its newest points, as many as any other cell that has them.
func (s *Store) Coverage(q Query) ([]Point, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	v := s.view()
	defer runtime.KeepAlive(v)
	return sample(v.filters(Coverage, &q), q.Limit), nil
}

// sample returns an even sample of the rows that the filters match.
func sample(filters []*filter, limit int) []Point {
	picks := newGrid(filters, limit).newest(filters, limit)
	points := make([]Point, len(picks))
	for i, p := range picks {
		points[i] = filters[p.segment].point(p.row)
	}
	return points
}

// A grid divides a place into cells.
type grid struct {
	south, west    int32
	perLat, perLng uint64 // rows and columns of cells to 2^stepBits steps of 1e-7 degrees
	rows, cols     int
	across         bool     // it is columns that are halved next
	counts         []uint32 // of points that match in each cell
}

// stepBits leave room for the product of a place, below 2^32, and what there are of rows
// to it, which is below 2^62.
const stepBits = 44

// maxCells bounds the memory of a grid, and what it takes to make it: 512 KB.
const maxCells = 1 << 17

// newGrid divides what the filters can match into cells of which at most limit have
// points that match.
func newGrid(filters []*filter, limit int) *grid {
	g := span(filters)
	g.count(filters)
	occupied := 0
	for _, n := range g.counts {
		if n > 0 {
			occupied++
		}
	}
	for occupied > limit {
		occupied = g.halve()
	}
	return g
}

// span divides what the filters can match into many cells.
func span(filters []*filter) *grid {
	most := reached(filters)
	south, west, north, east := int64(math.MaxInt32), int64(math.MaxInt32), int64(math.MinInt32), int64(math.MinInt32)
	for _, f := range filters {
		b := &f.reach().bounds
		south, west, north, east = min(south, int64(b.south)), min(west, int64(b.west)), max(north, int64(b.north)), max(east, int64(b.east))
	}
	if most == 0 {
		return &grid{rows: 1, cols: 1, counts: make([]uint32, 1)}
	}
	height, width := north-south+1, east-west+1 // at most 2^32
	metric := float64(width) * max(math.Cos(geo.Degrees(int32((north+south)/2))*math.Pi/180), 1e-6)
	cells := min(maxCells, 16*most) // many more than have points
	cols := int(math.Round(math.Sqrt(float64(cells) * metric / float64(height))))
	cols = min(max(cols, 1), cells)
	rows := max(cells/cols, 1)
	return &grid{south: int32(south), west: int32(west), perLat: steps(rows, height), perLng: steps(cols, width), rows: rows, cols: cols,
		counts: make([]uint32, rows*cols)}
}

// steps returns what n are to 2^stepBits of so many, so that it can be halved until n is 1.
func steps(n int, of int64) uint64 {
	halvings := bits.Len(uint(n))
	return uint64(n) << stepBits / uint64(of) >> halvings << halvings
}

// cell is the number of the cell in which a point lies.
func (g *grid) cell(lat, lng int32) uint32 {
	y := uint64(uint32(lat-g.south)) * g.perLat >> stepBits
	x := uint64(uint32(lng-g.west)) * g.perLng >> stepBits
	return uint32(y)*uint32(g.cols) + uint32(x)
}

// count counts the rows that match in each cell.
func (g *grid) count(filters []*filter) {
	for _, f := range filters {
		for list := range f.lists() {
			for _, i := range list {
				g.counts[g.cell(f.lat[i], f.lng[i])]++
			}
		}
	}
}

// halve makes one cell of two that are above each other, or beside each other. It
// returns how many have points that match.
func (g *grid) halve() (occupied int) {
	stride, pairs, each := 1, g.rows, g.cols // of the cells that meet
	if g.cols == 1 || g.rows > 1 && !g.across {
		stride, pairs, each = g.cols, 1, g.rows
		g.rows, g.perLat = (g.rows+1)/2, g.perLat/2
	} else {
		g.cols, g.perLng = (g.cols+1)/2, g.perLng/2
	}
	g.across = !g.across
	to := 0 // never behind what is still to be read
	for p := range pairs {
		for i := 0; i < each; i += 2 {
			for k := range stride {
				at := (p*each+i)*stride + k
				n := g.counts[at]
				if i+1 < each {
					n += g.counts[at+stride]
				}
				if g.counts[to] = n; n > 0 {
					occupied++
				}
				to++
			}
		}
	}
	g.counts = g.counts[:to]
	return occupied
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
	most := uint32(0)
	for _, c := range counts {
		most = max(most, c)
	}
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
func (g *grid) newest(filters []*filter, limit int) []pick {
	share := shares(g.counts, limit)
	start := make([]uint32, len(share)+1)
	for i, n := range share {
		start[i+1] = start[i] + n
	}
	picks := make([]pick, start[len(share)])
	filled, least := make([]uint32, len(share)), make([]uint32, len(share)) // least time of a row that is taken in
	for at, f := range filters {
		for list := range f.lists() {
			for _, i := range list {
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
