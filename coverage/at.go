package coverage

import (
	"cmp"
	"math"
	"slices"

	"relais/geo"
)

// A Place is what a layer says of a place.
type Place struct {
	Layer *Layer
	Word  Word
	// Stated means that an area of the source has the place. Otherwise the word follows from where land is.
	Stated bool
	// Better is the nearest cell with a better word, nil if the distance that was asked for has no such cell.
	Better *Better
}

// Better says where the next better cell is.
type Better struct {
	Word    Word
	Metres  float64 // to its middle
	Azimuth float64 // degrees from true north
}

// At returns what the layers say of a place, and where within so many metres it is better. Layers whose grids do not
// reach the place are left out. Errors: those of reading a file.
func (s *Store) At(q Filter, p geo.Point, metres float64) (list []Place, err error) {
	for _, l := range s.Layers(q) {
		col, row, ok := l.locate(p)
		if !ok {
			continue
		}
		v, err := l.cell(col, row)
		if err != nil {
			return nil, err
		}
		place := Place{Layer: l, Word: l.Word(v, p), Stated: v > 0}
		if place.Better, err = l.better(p, v, metres); err != nil {
			return nil, err
		}
		list = append(list, place)
	}
	return list, nil
}

// locate returns the cell that has a point, and false if the grid does not reach there.
func (l *Layer) locate(p geo.Point) (col, row int, ok bool) {
	x, y := l.proj.To(p)
	c, r := math.Floor((x-l.X0)/l.Cell), math.Floor((y-l.Y0)/l.Cell)
	if !(c >= 0 && r >= 0 && c < float64(l.Cols) && r < float64(l.Rows)) { // also for NaN
		return 0, 0, false
	}
	return int(c), int(r), true
}

// middle is the middle of a cell.
func (l *Layer) middle(col, row int) geo.Point { return l.Info.middle(l.proj, col, row) }

// above returns the least value that means more than v, 0 if no value does.
func (l *Layer) above(v Value) Value {
	own := Word{Level: LevelNone}
	if v > 0 {
		own = l.Words[v-1]
	}
	for ; int(v) < len(l.Words); v++ {
		if w := l.Words[v]; w.Level != LevelNone && (w.Level != own.Level || w.Operators != own.Operators) {
			return v + 1
		}
	}
	return 0
}

// better finds the nearest cell whose value means more than v.
func (l *Layer) better(p geo.Point, v Value, metres float64) (*Better, error) {
	least := l.above(v)
	if least == 0 || metres <= 0 {
		return nil, nil
	}
	x, y := l.proj.To(p)
	u, w := (x-l.X0)/l.Cell, (y-l.Y0)/l.Cell // in cells
	most := metres / float64(l.Metres)
	col, row, best, to := 0, 0, most*most, Value(0)
	g := &l.grids[0]
	for _, i := range g.near(u, w, most) {
		b := &g.blocks[i]
		x0, y0 := i%g.wide<<blockBits, i/g.wide<<blockBits
		if d := gap(u, x0); b.high < least || d*d+square(gap(w, y0)) > best {
			continue
		}
		c, err := l.block(0, i)
		if err != nil {
			return nil, err
		}
		for y := y0; y < min(g.rows, y0+blockSide); y++ {
			up := square(float64(y) + 0.5 - w)
			if up >= best {
				continue
			}
			reach := math.Sqrt(best - up)
			for x := max(x0, int(u-reach-1)); x < min(g.cols, x0+blockSide, int(u+reach+2)); x++ {
				if d := up + square(float64(x)+0.5-u); d < best {
					if at := c.at(x-x0, y-y0); at >= least {
						col, row, best, to = x, y, d, at
					}
				}
			}
		}
	}
	if to == 0 {
		return nil, nil
	}
	there := l.middle(col, row)
	return &Better{Word: l.Words[to-1], Metres: geo.Distance(p, there), Azimuth: geo.Bearing(p, there)}, nil
}

func square(x float64) float64 { return x * x }

// gap is how far a position is from a block that begins at start, in cells.
func gap(at float64, start int) float64 {
	return max(0, float64(start)-at, at-float64(start+blockSide))
}

// near lists the blocks within so many cells of a position, the nearest first.
func (g *grid) near(u, w, most float64) (list []int) {
	side := func(at float64, last int) (from, to int) {
		return max(0, int((at-most)/blockSide)), min(last, int((at+most)/blockSide))
	}
	x0, x1 := side(u, g.wide-1)
	y0, y1 := side(w, len(g.blocks)/g.wide-1)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			list = append(list, y*g.wide+x)
		}
	}
	distance := func(i int) float64 {
		return square(gap(u, i%g.wide<<blockBits)) + square(gap(w, i/g.wide<<blockBits))
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
	return list
}
