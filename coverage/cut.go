package coverage

import (
	"fmt"
	"io"
	"math"

	"relais/geo"
)

// Cut writes the part of the layer of a file that has some boxes: a rectangle of its grid. Without such a part it writes
// nothing and returns nil. Errors: ErrDamaged, ErrVersion, those of reading and writing.
func Cut(path string, w io.Writer, boxes []geo.Box) (*Info, error) {
	l, err := openLayer(path, nil)
	if err != nil {
		return nil, err
	}
	defer l.file.Close()
	col0, row0, col1, row1, ok := l.rectangle(l.within(boxes))
	if !ok {
		return nil, nil
	}
	col0, row0 = col0-col0%blockSide, row0-row0%blockSide // a block is one of the file's
	info := l.Info
	info.X0, info.Y0 = l.X0+float64(col0)*l.Cell, l.Y0+float64(row0)*l.Cell
	info.Cols, info.Rows = col1-col0, row1-row0
	var failed error
	err = write(w, &info, func(c *cells, col, row int) {
		whole, err := l.readBlock(0, (row+row0)>>blockBits*l.grids[0].wide+(col+col0)>>blockBits)
		if err != nil {
			failed = err
			return
		}
		for y := range min(blockSide, info.Rows-row) {
			for x := range min(blockSide, info.Cols-col) {
				c.set(x, y, whole.at(x, y))
			}
		}
	})
	if failed != nil {
		return nil, fmt.Errorf("%s: %w", path, failed)
	}
	return &info, err
}

// within returns the parts of boxes that can have cells of the grid. A projection far from where it is used gives
// nonsense.
func (l *Layer) within(boxes []geo.Box) (parts []geo.Box) {
	reach := around(l.proj, l.X0, l.Y0, l.X0+float64(l.Cols)*l.Cell, l.Y0+float64(l.Rows)*l.Cell, 0.01)
	for _, b := range boxes {
		for _, part := range b.Split() {
			part = geo.Box{South: max(part.South, reach.South), West: max(part.West, reach.West),
				North: min(part.North, reach.North), East: min(part.East, reach.East)}
			if part.South < part.North && part.West < part.East {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// rectangle returns the first column and row of the grid that boxes have cells in, and those after the last. It returns
// false if they have none.
func (l *Layer) rectangle(boxes []geo.Box) (col0, row0, col1, row1 int, ok bool) {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, b := range boxes {
		outline(l.proj, b, func(ax, ay, bx, by float64) {
			x0, x1, y0, y1 = min(x0, ax, bx), max(x1, ax, bx), min(y0, ay, by), max(y1, ay, by)
		})
	}
	x0, y0 = max(0, math.Floor((x0-l.X0)/l.Cell)), max(0, math.Floor((y0-l.Y0)/l.Cell))
	x1, y1 = min(float64(l.Cols), math.Ceil((x1-l.X0)/l.Cell)), min(float64(l.Rows), math.Ceil((y1-l.Y0)/l.Cell))
	if !(x0 < x1 && y0 < y1) { // also without boxes
		return 0, 0, 0, 0, false
	}
	return int(x0), int(y0), int(x1), int(y1), true
}

// around returns a box around a rectangle of a projection, widened by more degrees, because its sides are bent.
func around(p *geo.Projection, x0, y0, x1, y1, more float64) geo.Box {
	b := geo.Box{South: 90, West: 180, North: -90, East: -180}
	for _, at := range [...][2]float64{{x0, y0}, {x1, y0}, {x0, y1}, {x1, y1}, {(x0 + x1) / 2, y0}, {(x0 + x1) / 2, y1}} {
		corner := p.From(at[0], at[1])
		b.South, b.North = min(b.South, corner.Lat-more), max(b.North, corner.Lat+more)
		b.West, b.East = min(b.West, corner.Lng-more), max(b.East, corner.Lng+more)
	}
	return b
}
