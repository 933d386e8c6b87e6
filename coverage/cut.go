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
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, part := range l.within(boxes) {
		outline(l.proj, part, func(ax, ay, bx, by float64) {
			x0, x1, y0, y1 = min(x0, ax, bx), max(x1, ax, bx), min(y0, ay, by), max(y1, ay, by)
		})
	}
	col0, row0 := max(0, math.Floor((x0-l.X0)/l.Cell)), max(0, math.Floor((y0-l.Y0)/l.Cell))
	col1, row1 := min(float64(l.Cols), math.Ceil((x1-l.X0)/l.Cell)), min(float64(l.Rows), math.Ceil((y1-l.Y0)/l.Cell))
	if !(col0 < col1 && row0 < row1) {
		return nil, nil
	}
	col0, row0 = col0-math.Mod(col0, blockSide), row0-math.Mod(row0, blockSide) // a block is one of the file's
	info := l.Info
	info.X0, info.Y0 = l.X0+col0*l.Cell, l.Y0+row0*l.Cell
	info.Cols, info.Rows = int(col1-col0), int(row1-row0)
	var failed error
	err = write(w, &info, func(c *cells, col, row int) {
		whole, err := l.readBlock(0, (row+int(row0))>>blockBits*l.grids[0].wide+(col+int(col0))>>blockBits)
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
