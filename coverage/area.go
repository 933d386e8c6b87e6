package coverage

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"relais/geo"
)

// MostCells bounds the cells of an area that is added up: a little more than the largest department has.
const MostCells = 10_000_000

// ErrLarge means that an area has more than MostCells.
var ErrLarge = errors.New("the area is too large to be added up")

// ErrSmall means that an area is in the grid of a layer, and has no middle of a cell.
var ErrSmall = errors.New("the area has no middle of a cell")

// A Share is how much of an area a layer has at each of its levels.
type Share struct {
	Layer  *Layer
	Levels []LevelShare // in the order of the layer's words, after that of LevelNone
	Whole  bool         // the layer says where nothing is expected: shares of the area are known
	Total  float64      // of the area about which the layer says something
	// Before is the previous edition. It is nil if the server has none, or if it has another grid. It is also nil if a
	// counted place is outside it.
	// Gained is covered now, and was not in Before; Lost is the reverse. Better and Worse are covered in both.
	Before                      *Layer
	Gained, Lost, Better, Worse float64
}

// A LevelShare is how much of an area has a level: land in km², or addresses.
type LevelShare struct {
	Word   Word
	Amount float64
}

// A Weight is a place that counts as so many.
type Weight struct {
	At     geo.Point
	Weight int
}

// Count adds up places, such as the addresses of a commune, as Area adds up land. Errors: those of reading a file.
func (s *Store) Count(q Filter, places []Weight) (list []Share, err error) {
	for _, l := range s.Layers(q) {
		c := counter{share: Share{Layer: l, Before: s.Before(l)}}
		for i := range places {
			at := &places[i]
			col, row, ok := l.locate(at.At)
			if !ok {
				continue
			}
			v, err := l.cell(col, row)
			if err != nil {
				return nil, err
			}
			was := Value(0)
			if before := c.share.Before; before != nil {
				if col, row, ok = before.locate(at.At); !ok {
					c.share.Before = nil
				} else if was, err = before.cell(col, row); err != nil {
					return nil, err
				}
			}
			c.add(v, was, l.Word(0, at.At).Level != "", float64(at.Weight))
		}
		if c.finish(); c.share.Total > 0 {
			list = append(list, c.share)
		}
	}
	return list, nil
}

// Area adds up the cells of an area, which is given as boxes that do not overlap. Layers of grids that are not there are
// left out. Errors: ErrLarge, ErrSmall if no layer has cells there, those of reading a file and of ctx.
func (s *Store) Area(ctx context.Context, q Filter, boxes []geo.Box) (list []Share, err error) {
	var of *mask
	small, some := false, false
	for _, l := range s.Layers(q) {
		if of == nil || !of.fits(l) {
			if of, err = newMask(l, boxes); err != nil {
				return nil, err
			}
		}
		small = small || of.small
		if of.low > of.high {
			continue
		}
		some = true
		before := s.Before(l)
		if before != nil && !of.fits(before) {
			before = nil
		}
		c := counter{share: Share{Layer: l, Before: before}}
		if err := of.each(ctx, l, before, c.add); err != nil {
			return nil, err
		}
		if c.finish(); c.share.Total > 0 {
			list = append(list, c.share)
		}
	}
	if small && !some {
		return nil, ErrSmall
	}
	return list, nil
}

// A mask has the cells of an area in the grids of layers that are alike.
type mask struct {
	*raster
	of        *Layer
	col, row  int // of the grids, where the raster begins
	plane     []uint64
	land      []uint64  // the cells of it on the land of the layers, nil if they have none
	km2       []float64 // of a cell, by row
	low, high int
	small     bool // the area is in the grids, and has no cell
}

func (m *mask) fits(l *Layer) bool {
	return l.EPSG == m.of.EPSG && l.Cell == m.of.Cell && l.X0 == m.of.X0 && l.Y0 == m.of.Y0 && l.Cols == m.of.Cols &&
		l.Rows == m.of.Rows && l.Outline == m.of.Outline
}

// newMask finds the cells of an area.
func newMask(l *Layer, boxes []geo.Box) (*mask, error) {
	m, parts := &mask{of: l, low: 1}, l.within(boxes)
	col0, row0, col1, row1, ok := l.rectangle(parts)
	if !ok {
		return m, nil
	}
	if (col1-col0)*(row1-row0) > 8*MostCells {
		return nil, ErrLarge
	}
	m.col, m.row = col0, row0
	m.raster = newRaster(l.X0+float64(col0)*l.Cell, l.Y0+float64(row0)*l.Cell, l.Cell, col1-col0, row1-row0)
	m.plane = make([]uint64, len(m.toggles))
	for _, part := range parts {
		outline(l.proj, part, m.edge)
	}
	m.fill(m.plane)
	switch n := count(m.plane); {
	case n > MostCells:
		return nil, ErrLarge
	case n == 0:
		m.small = true
		return m, nil
	}
	m.low, m.high = 0, m.rows-1
	m.measure()
	m.onLand(parts)
	return m, nil
}

// measure sets the area of the cells of each row.
func (m *mask) measure() {
	m.km2 = make([]float64, m.rows)
	for row := range m.km2 {
		m.km2[row] = m.of.cellKm2(m.of.proj, m.col+m.cols/2, m.row+row)
	}
}

// onLand finds the cells that are on the land of the layers. Only land in some boxes is needed.
func (m *mask) onLand(parts []geo.Box) {
	if m.of.Outline == "" {
		return
	}
	m.land = make([]uint64, len(m.plane))
	for _, l := range landsOf(m.of.Outline) {
		for _, b := range l.boxes() {
			if slices.ContainsFunc(parts, b.Overlaps) {
				outline(m.of.proj, b, m.edge)
			}
		}
		m.fill(m.land)
	}
	for i := range m.land {
		m.land[i] &= m.plane[i]
	}
}

// A counter adds up what has which value.
type counter struct {
	share  Share
	counts [maxValue + 1]float64
}

// add adds so much with a value now and before. Without a value, only land counts.
func (c *counter) add(v, was Value, land bool, amount float64) {
	if v > 0 || land {
		c.counts[v] += amount
	}
	if c.share.Before == nil {
		return
	}
	now, then := c.share.Layer.rank(v), c.share.Before.rank(was)
	switch {
	case now > 0 && then == 0:
		c.share.Gained += amount
	case now == 0 && then > 0:
		c.share.Lost += amount
	case now > then:
		c.share.Better += amount
	case now < then:
		c.share.Worse += amount
	}
}

// finish sets the levels of the share.
func (c *counter) finish() {
	s := &c.share
	if s.Before == nil { // also if a place showed that only in the end
		s.Gained, s.Lost, s.Better, s.Worse = 0, 0, 0, 0
	}
	s.Whole = s.Layer.knowsNone()
	s.Levels = append(s.Levels, LevelShare{Word{Level: LevelNone}, c.counts[0]})
	s.Total = c.counts[0]
	for i, word := range s.Layer.Words {
		s.Total += c.counts[i+1]
		if word.Level == LevelNone {
			s.Levels[0].Word, s.Levels[0].Amount = word, s.Levels[0].Amount+c.counts[i+1]
			continue
		}
		s.Levels = append(s.Levels, LevelShare{word, c.counts[i+1]})
	}
}

// rank is the rank of the level of a value.
func (l *Layer) rank(v Value) int {
	if v == 0 || int(v) > len(l.Words) {
		return 0
	}
	return Rank(l.Words[v-1].Level)
}

// each calls add for each cell of the area.
func (m *mask) each(ctx context.Context, l, before *Layer, add func(v, was Value, land bool, km2 float64)) error {
	for by := m.row >> blockBits; by <= (m.row+m.rows-1)>>blockBits; by++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for bx := m.col >> blockBits; bx <= (m.col+m.cols-1)>>blockBits; bx++ {
			if err := m.inBlock(l, before, bx, by, add); err != nil {
				return err
			}
		}
	}
	return nil
}

// inBlock is each for a block. Its cells are not kept in memory: an area has many.
func (m *mask) inBlock(l, before *Layer, bx, by int, add func(v, was Value, land bool, km2 float64)) error {
	var now, then *cells
	for row := max(0, by<<blockBits-m.row); row < min(m.rows, (by+1)<<blockBits-m.row); row++ {
		from, to := max(0, bx<<blockBits-m.col), min(m.cols, (bx+1)<<blockBits-m.col)
		for col := from; col < to; {
			w := row*m.words + col>>6
			rest := m.plane[w] >> (uint(col) & 63)
			if rest == 0 { // to the next word
				col = (col>>6 + 1) << 6
				continue
			}
			if col += bits.TrailingZeros64(rest); col >= to {
				break
			}
			if now == nil {
				i, err := by*l.grids[0].wide+bx, error(nil)
				if now, err = l.readBlock(0, i); err == nil && before != nil {
					then, err = before.readBlock(0, i)
				}
				if err != nil {
					return err
				}
			}
			x, y, was := (m.col+col)&(blockSide-1), (m.row+row)&(blockSide-1), Value(0)
			if then != nil {
				was = then.at(x, y)
			}
			add(now.at(x, y), was, m.land != nil && m.land[row*m.words+col>>6]>>(uint(col)&63)&1 == 1, m.km2[row])
			col++
		}
	}
	return nil
}
