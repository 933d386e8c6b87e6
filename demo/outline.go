package demo

// cellAreas are cells of a grid, the rows from south to north.
type cellAreas struct {
	cols, rows int
	has        func(col, row int) bool // false outside of the grid
	seen       []bool                  // cells whose area was found
	traced     []bool                  // cells whose south side is in a ring
}

// outlines returns the areas of the cells that has reports, as polygons that are valid by the rules of simple features:
// cells that touch at a corner only are of two areas or have a hole between them, and no ring touches itself.
func outlines(cols, rows int, has func(col, row int) bool) (areas [][]ring) {
	c := &cellAreas{cols: cols, rows: rows, seen: make([]bool, cols*rows), traced: make([]bool, cols*rows)}
	c.has = func(col, row int) bool { return col >= 0 && row >= 0 && col < cols && row < rows && has(col, row) }
	for i := range c.seen {
		if !c.seen[i] && has(i%cols, i/cols) {
			areas = append(areas, c.area(i))
		}
	}
	return areas
}

// area returns the rings of the area with a cell, the outer one first.
func (c *cellAreas) area(first int) (rings []ring) {
	c.seen[first] = true
	for waiting := []int{first}; len(waiting) > 0; {
		i := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		col, row := i%c.cols, i/c.cols
		for _, n := range [...][2]int{{col - 1, row}, {col + 1, row}, {col, row - 1}, {col, row + 1}} {
			if at := n[1]*c.cols + n[0]; c.has(n[0], n[1]) && !c.seen[at] {
				c.seen[at] = true
				waiting = append(waiting, at)
			}
		}
		// From the west end of a line, so that the ring begins at a corner.
		for !c.traced[i] && !c.has(col, row-1) {
			if !c.has(col-1, row) || c.has(col-1, row-1) {
				rings = append(rings, c.trace(col, row)...)
				break
			}
			col, i = col-1, i-1
		}
	}
	for i, r := range rings {
		if r.area() > 0 {
			rings[0], rings[i] = r, rings[0]
		}
	}
	return rings
}

// trace follows the border of an area from the south side of a cell, with the area on its left, and returns it as rings
// that do not touch themselves.
func (c *cellAreas) trace(col, row int) (rings []ring) {
	x, y, dx, dy := col, row, 1, 0
	startX, startY := x, y
	open, at := ring{}, map[[2]float64]int{} // where corners are that two cells of the area touch
	touching := c.has(col-1, row-1) && !c.has(col-1, row)
	for {
		corner := [2]float64{float64(x), float64(y)}
		if i, ok := at[corner]; ok { // the ring touches itself: the corners in between are a ring of their own
			for _, p := range open[i+1:] {
				delete(at, p)
			}
			rings = append(rings, append(ring(nil), open[i:]...))
			open = open[:i]
		}
		if touching {
			at[corner] = len(open)
		}
		open = append(open, corner)
		for straight := true; straight; {
			if dx == 1 {
				c.traced[y*c.cols+x] = true
			}
			x, y = x+dx, y+dy
			// The cells ahead, left and right of the way.
			left := c.has(x+(dx-dy-1)/2, y+(dy+dx-1)/2)
			right := c.has(x+(dx+dy-1)/2, y+(dy-dx-1)/2)
			switch touching = right && !left; {
			case !left:
				dx, dy, straight = -dy, dx, false
			case right:
				dx, dy, straight = dy, -dx, false
			}
		}
		if x == startX && y == startY && dx == 1 {
			return append(rings, open)
		}
	}
}

// area is twice the area of a ring, negative if it goes clockwise, as a hole does.
func (r ring) area() (sum float64) {
	for i, p := range r {
		next := r[(i+1)%len(r)]
		sum += p[0]*next[1] - next[0]*p[1]
	}
	return sum
}
