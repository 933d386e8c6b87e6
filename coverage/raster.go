package coverage

import (
	"fmt"
	"math"
	"math/bits"

	"relais/geo"
)

// A raster makes areas to cells: a cell is in an area if its middle is. Areas have the even-odd rule, whatever the
// direction of their rings, and rings may have holes and cross themselves.
type raster struct {
	x0, y0, cell float64
	cols, rows   int
	words        int      // of a row
	toggles      []uint64 // a bit where a row enters or leaves the area, in the cell that is the first on the other side
	low, high    int      // rows with toggles
}

func newRaster(x0, y0, cell float64, cols, rows int) *raster {
	words := (cols + 63) / 64
	return &raster{x0: x0, y0: y0, cell: cell, cols: cols, rows: rows, words: words,
		toggles: make([]uint64, words*rows), low: rows, high: -1}
}

// edge adds an edge of a ring. An edge west of the grid still decides which cells of its rows are inside.
func (r *raster) edge(x1, y1, x2, y2 float64) {
	if y1 > y2 {
		x1, y1, x2, y2 = x2, y2, x1, y1
	}
	first := max(0, math.Ceil((y1-r.y0)/r.cell-0.5))
	after := min(float64(r.rows), math.Ceil((y2-r.y0)/r.cell-0.5))
	if !(first < after) { // also for NaN
		return
	}
	slope := (x2 - x1) / (y2 - y1)
	r.low, r.high = min(r.low, int(first)), max(r.high, int(after)-1)
	for row := int(first); row < int(after); row++ {
		y := r.y0 + (float64(row)+0.5)*r.cell
		col := max(0, math.Ceil((x1+(y-y1)*slope-r.x0)/r.cell-0.5))
		if col < float64(r.cols) {
			r.toggles[row*r.words+int(col)>>6] ^= 1 << (uint(col) & 63)
		}
	}
}

// fill adds the cells of the area whose edges were added to a plane, and begins another area.
func (r *raster) fill(plane []uint64) {
	for row := r.low; row <= r.high; row++ {
		inside := uint64(0) // all ones while the area goes on from the word before
		for w := row * r.words; w < (row+1)*r.words; w++ {
			t := r.toggles[w]
			if t == 0 && inside == 0 {
				continue
			}
			r.toggles[w] = 0
			for shift := 1; shift < 64; shift <<= 1 { // running sums of the bits
				t ^= t << shift
			}
			t ^= inside
			plane[w] |= t
			inside = uint64(int64(t) >> 63)
		}
		if tail := r.cols & 63; tail > 0 {
			plane[(row+1)*r.words-1] &= 1<<tail - 1
		}
	}
	r.low, r.high = r.rows, -1
}

// count returns the number of cells of a plane.
func count(plane []uint64) (n int64) {
	for _, w := range plane {
		n += int64(bits.OnesCount64(w))
	}
	return n
}

// outline gives the edges of a box in degrees, whose sides are bent in a projection.
func outline(p *geo.Projection, b geo.Box, edge func(x1, y1, x2, y2 float64)) {
	const step = 0.02 // degrees; the bend of so short a piece is a few centimetres
	side := func(lat1, lng1, lat2, lng2 float64) {
		n := max(1, int(math.Ceil(max(math.Abs(lat2-lat1), math.Abs(lng2-lng1))/step)))
		x, y := p.To(geo.Point{Lat: lat1, Lng: lng1})
		for i := 1; i <= n; i++ {
			f := float64(i) / float64(n)
			x2, y2 := p.To(geo.Point{Lat: lat1 + (lat2-lat1)*f, Lng: lng1 + (lng2-lng1)*f})
			edge(x, y, x2, y2)
			x, y = x2, y2
		}
	}
	side(b.South, b.West, b.South, b.East)
	side(b.South, b.East, b.North, b.East)
	side(b.North, b.East, b.North, b.West)
	side(b.North, b.West, b.South, b.West)
}

// A canvas collects the areas of a layer, a plane for each value.
type canvas struct {
	*raster
	planes  [][]uint64
	degrees *geo.Projection // of the grid, if corners come in degrees
	bounds  [4]float64      // of the projection, wider than the grid
	strayed error
}

// farOutside is how far from where its projection is used a corner of an area may be, as a share of that size: some
// kilometres of sea are normal, another projection is not.
const farOutside = 0.5

func newCanvas(info *Info) (*canvas, error) {
	p, ok := geo.ByEPSG(info.EPSG)
	if !ok {
		return nil, fmt.Errorf("projection EPSG:%d, which is not known", info.EPSG)
	}
	x0, y0, x1, y1 := p.Bounds()
	dx, dy := farOutside*(x1-x0), farOutside*(y1-y0)
	c := &canvas{raster: newRaster(info.X0, info.Y0, info.Cell, info.Cols, info.Rows), planes: make([][]uint64, len(info.Words)),
		bounds: [4]float64{x0 - dx, y0 - dy, x1 + dx, y1 + dy}}
	for i := range c.planes {
		c.planes[i] = make([]uint64, len(c.toggles))
	}
	return c, nil
}

// add adds an edge, and remembers a corner that cannot be.
func (c *canvas) add(x1, y1, x2, y2 float64) {
	if c.degrees != nil {
		x1, y1 = c.degrees.To(geo.Point{Lat: y1, Lng: x1})
		x2, y2 = c.degrees.To(geo.Point{Lat: y2, Lng: x2})
	}
	if !(x1 >= c.bounds[0] && x1 <= c.bounds[2] && y1 >= c.bounds[1] && y1 <= c.bounds[3]) && c.strayed == nil {
		c.strayed = fmt.Errorf("a corner at %.0f, %.0f is far outside of where its projection is used: the file may state "+
			"another projection than it has", x1, y1)
	}
	c.edge(x1, y1, x2, y2)
}

// cells sets those of a block: of several values the best.
func (c *canvas) cells(to *cells, col, row int) {
	for y := range min(blockSide, c.rows-row) {
		for w := col >> 6; w < min(c.words, (col+blockSide)>>6); w++ {
			var taken uint64
			for v := len(c.planes); v > 0; v-- {
				own := c.planes[v-1][(row+y)*c.words+w] &^ taken
				taken |= own
				for ; own != 0; own &= own - 1 {
					to.set(w<<6+bits.TrailingZeros64(own)-col, y, Value(v))
				}
			}
		}
	}
}
