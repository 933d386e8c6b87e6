package measure

import (
	"math"
	"slices"
	"sort"

	"relais/geo"
)

// Coverage returns the coverage points that a query selects, the newest first. If there are more
// than its limit, it returns an even sample of the place. The place is divided into cells with
// sides of about equal metres, as small as possible with at most limit cells that have points. Each
// cell provides its newest points, and all cells provide the same number if they have enough.
func (s *Store) Coverage(q Query) ([]Point, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	filters := s.view().filters(Coverage, &q)
	picks := newGrid(filters, q.Limit).newest(filters, q.Limit)
	points := make([]Point, len(picks))
	for i, p := range picks {
		points[i] = filters[p.segment].point(p.row)
	}
	return points, nil
}

// A grid divides a place into cells and counts their rows.
type grid struct {
	south, west   int32
	height, width uint32 // of a cell, in steps of 1e-7 degrees
	rows, cols    int
	counts        []uint32 // of rows that match in each cell
	occupied      int      // cells with such rows
}

// maxCells bounds the memory of a grid to about a megabyte.
const maxCells = 1 << 17

// newGrid returns the finest grid of the matching rows in which at most limit cells have
// matching rows.
func newGrid(filters []*filter, limit int) *grid {
	total, place := bounds(filters)
	if total == 0 {
		return &grid{}
	}
	g := divide(place, min(maxCells, 16*total)) // many more cells than rows
	for _, f := range filters {
		for rows := range f.matches() {
			for _, i := range rows {
				g.counts[g.cell(f.lat[i], f.lng[i])]++
			}
		}
	}
	// Halving the resolution merges counts, so that the rows are read once for all grids.
	for g.count(); g.occupied > limit; g.count() {
		g = g.coarser()
	}
	return g
}

// bounds returns the number of matching rows, and the rectangle of their positions.
func bounds(filters []*filter) (total int, place rectangle) {
	place = noRectangle
	for _, f := range filters {
		for rows := range f.matches() {
			total += len(rows)
			for _, i := range rows {
				lat, lng := f.lat[i], f.lng[i]
				place.south, place.north = min(place.south, lat), max(place.north, lat)
				place.west, place.east = min(place.west, lng), max(place.east, lng)
			}
		}
	}
	return total, place
}

// divide returns a grid of a place with at least about the given number of cells, and at most three
// times as many.
func divide(place rectangle, cells int) *grid {
	cos := max(math.Cos((geo.Degrees(place.south)+geo.Degrees(place.north))/2*math.Pi/180), 1e-6)
	height := float64(place.north) - float64(place.south) + 1
	width := float64(place.east) - float64(place.west) + 1
	n := float64(cells)
	side := max(math.Sqrt(height*width*cos/n), height/n, width*cos/n)
	g := &grid{south: place.south, west: place.west}
	g.height, g.width = uint32(math.Ceil(side)), uint32(math.Ceil(side/cos))
	g.rows, g.cols = int(math.Ceil(height/float64(g.height))), int(math.Ceil(width/float64(g.width)))
	g.counts = make([]uint32, g.rows*g.cols)
	return g
}

// cell returns the number of the cell with a point.
func (g *grid) cell(lat, lng int32) int {
	return int(uint32(lat-g.south)/g.height)*g.cols + int(uint32(lng-g.west)/g.width)
}

// count counts the occupied cells.
func (g *grid) count() {
	g.occupied = 0
	for _, n := range g.counts {
		if n > 0 {
			g.occupied++
		}
	}
}

// coarser returns a grid whose cells are four cells of g each.
func (g *grid) coarser() *grid {
	c := &grid{south: g.south, west: g.west, height: 2 * g.height, width: 2 * g.width}
	c.rows, c.cols = (g.rows+1)/2, (g.cols+1)/2
	c.counts = make([]uint32, c.rows*c.cols)
	for i, n := range g.counts {
		c.counts[i/g.cols/2*c.cols+i%g.cols/2] += n
	}
	return c
}

// newest returns the newest rows of each cell, the newest of all first.
func (g *grid) newest(filters []*filter, limit int) []pick {
	number := make([]uint32, len(g.counts)) // of a cell, among those that are occupied
	counts := make([]int, 0, g.occupied)
	for c, n := range g.counts {
		if number[c] = uint32(len(counts)); n > 0 {
			counts = append(counts, int(n))
		}
	}
	cells := make([]newest, len(counts))
	for c, n := range shares(counts, limit) {
		cells[c].limit = n
	}
	for at, f := range filters {
		for rows := range f.matches() {
			for _, i := range rows {
				cells[number[g.cell(f.lat[i], f.lng[i])]].add(pick{f.time[i], uint32(at), i})
			}
		}
	}
	var picks []pick
	for c := range cells {
		picks = append(picks, cells[c].cut()...)
	}
	slices.SortFunc(picks, compareAge)
	return picks
}

// shares returns how many rows each cell provides, so that they are limit in all, or all rows.
// Some cells with more rows than their equal share provide one more; these are scattered.
func shares(counts []int, limit int) []int {
	given := func(each int) (sum int) {
		for _, n := range counts {
			sum += min(n, each)
		}
		return sum
	}
	largest := 0
	for _, n := range counts {
		largest = max(largest, n)
	}
	each := sort.Search(largest, func(n int) bool { return given(n+1) > limit })
	list := make([]int, len(counts))
	var more []int // cells with more rows than their share
	for i, n := range counts {
		if list[i] = min(n, each); n > each {
			more = append(more, i)
		}
	}
	rest := min(limit-given(each), len(more))
	for k := range rest {
		list[more[k*len(more)/rest]]++
	}
	return list
}
