package coverage

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"relais/geo"
	"relais/internal/cache"
	"relais/internal/system"
)

// A file has a magic, the blocks of its grids one after the other, their directory and a footer. The first grid has the
// cells of the layer; the others are coarser, for maps of large areas. A block has 128 × 128 cells, two in a byte, packed
// with a checksum; one whose cells are all alike has no bytes.
const (
	magic       = "RELAISCV"
	version     = 1
	headBytes   = len(magic) + 4
	footerBytes = 8 + 4 + 8 // where the directory is, how long, and the checksum of the directory

	blockBits  = 7
	blockSide  = 1 << blockBits
	blockBytes = blockSide * blockSide / 2

	// coarser is how many cells of a grid are a cell of the next, in both directions.
	coarser = 8
	grids   = 3

	maxDirectory = 16 << 20
)

var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true),
			zstd.WithEncoderLevel(zstd.SpeedBestCompression)) // no option can be wrong
		return w
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		r, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxDirectory))
		return r
	})
)

// A block is where the cells of a block are, and the least and the greatest value among them.
type block struct {
	at        int64
	length    uint32
	low, high Value
}

// A grid is the directory of a grid.
type grid struct {
	cols, rows int // cells
	wide       int // blocks in a row
	blocks     []block
}

func newGrid(cols, rows int) grid {
	g := grid{cols: cols, rows: rows, wide: (cols + blockSide - 1) >> blockBits}
	g.blocks = make([]block, g.wide*((rows+blockSide-1)>>blockBits))
	return g
}

// newGrids returns the grids of a layer without their blocks.
func newGrids(cols, rows int) (list [grids]grid) {
	for i := range list {
		list[i] = newGrid(cols, rows)
		cols, rows = (cols+coarser-1)/coarser, (rows+coarser-1)/coarser
	}
	return list
}

// cells are those of a block, two in a byte, the first in the low half.
type cells [blockBytes]byte

func (c *cells) at(x, y int) Value { return Value(c[(y<<blockBits+x)>>1] >> (4 * (x & 1)) & 15) }

// set sets a cell that has no value yet.
func (c *cells) set(x, y int, v Value) { c[(y<<blockBits+x)>>1] |= byte(v&15) << (4 * (x & 1)) }

// A filler sets the cells of the block whose first cell it is given, as far as the grid has them.
type filler func(c *cells, col, row int)

// each returns the filler of a function that knows the value of each cell of a grid.
func each(cols, rows int, value func(col, row int) Value) filler {
	return func(c *cells, col, row int) {
		for y := range min(blockSide, rows-row) {
			for x := range min(blockSide, cols-col) {
				c.set(x, y, value(col+x, row+y))
			}
		}
	}
}

// write writes a layer, and counts its cells in info.
func write(w io.Writer, info *Info, fill filler) error {
	info.Cells, info.Km2 = make([]int64, len(info.Words)+1), make([]float64, len(info.Words)+1)
	p, _ := geo.ByEPSG(info.EPSG) // it was checked
	out := begin(w)
	all := newGrids(info.Cols, info.Rows)
	var directory []byte
	for level := range all {
		g, next := &all[level], []Value(nil)
		if level+1 < grids {
			next = make([]Value, all[level+1].cols*all[level+1].rows)
		}
		for i := range g.blocks {
			var c cells
			fill(&c, i%g.wide<<blockBits, i/g.wide<<blockBits)
			counts, km2 := c.count(g, i), 0.0
			if level == 0 {
				km2 = info.cellKm2(p, i%g.wide<<blockBits+blockSide/2, i/g.wide<<blockBits+blockSide/2)
			}
			for v, n := range counts {
				switch {
				case level == 0 && v < len(info.Cells):
					info.Cells[v] += n
					info.Km2[v] += float64(n) * km2
				case n > 0 && v >= len(info.Cells):
					return fmt.Errorf("a cell has the value %d, which has no word", v)
				}
			}
			if next != nil {
				c.coarsen(g, i, next, all[level+1].cols)
			}
			directory = out.block(directory, &c, &counts)
		}
		if next != nil {
			cols := all[level+1].cols
			fill = each(cols, all[level+1].rows, func(col, row int) Value { return next[row*cols+col] })
		}
	}
	return out.finish(info, directory)
}

// count returns how many cells of a block have each value. Those beyond the grid are not counted.
func (c *cells) count(g *grid, i int) (counts [maxValue + 1]int64) {
	wide, high := min(blockSide, g.cols-i%g.wide<<blockBits), min(blockSide, g.rows-i/g.wide<<blockBits)
	if *c == (cells{}) {
		counts[0] = int64(wide * high)
		return counts
	}
	for y := range high {
		for x := range wide {
			counts[c.at(x, y)]++
		}
	}
	return counts
}

// coarsen sets the cells of the next grid: each has the value that most of its cells have, of several the best.
func (c *cells) coarsen(g *grid, i int, next []Value, cols int) {
	if *c == (cells{}) {
		return // as next is
	}
	x0, y0 := i%g.wide<<blockBits, i/g.wide<<blockBits
	wide, high := min(blockSide, g.cols-x0), min(blockSide, g.rows-y0)
	for y := 0; y < high; y += coarser {
		for x := 0; x < wide; x += coarser {
			var counts [maxValue + 1]int
			for dy := range min(coarser, high-y) {
				for dx := range min(coarser, wide-x) {
					counts[c.at(x+dx, y+dy)]++
				}
			}
			most := Value(0)
			for v := range counts {
				if counts[v] >= counts[most] {
					most = Value(v)
				}
			}
			next[(y0+y)/coarser*cols+(x0+x)/coarser] = most
		}
	}
}

// A writer counts what it writes, and keeps the first error.
type writer struct {
	w   io.Writer
	n   int64
	err error
}

// begin writes the head of a file.
func begin(w io.Writer) *writer {
	out := &writer{w: w}
	out.write(binary.LittleEndian.AppendUint32([]byte(magic), version))
	return out
}

func (w *writer) write(b []byte) {
	if w.err == nil {
		n, err := w.w.Write(b)
		w.n, w.err = w.n+int64(n), err
	}
}

// block writes the cells of a block and appends its entry to the directory.
func (w *writer) block(directory []byte, c *cells, counts *[maxValue + 1]int64) []byte {
	low, high := Value(maxValue), Value(0)
	for v := range Value(maxValue + 1) {
		if counts[v] > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	var packed []byte
	if low < high {
		packed = packer().EncodeAll(c[:], nil)
		w.write(packed)
	}
	return binary.AppendUvarint(append(directory, byte(low)<<4|byte(high)), uint64(len(packed)))
}

// finish writes the directory and the footer.
func (w *writer) finish(info *Info, directory []byte) error {
	head, err := json.Marshal(info)
	if err != nil {
		return err
	}
	packed := packer().EncodeAll(append(binary.AppendUvarint(nil, uint64(len(head))), append(head, directory...)...), nil)
	foot := binary.LittleEndian.AppendUint64(nil, uint64(w.n))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(packed)))
	w.write(packed)
	w.write(binary.LittleEndian.AppendUint64(foot, xxhash.Sum64(packed)))
	return w.err
}

// read reads the directory of the file, which has so many bytes. Errors: ErrDamaged, ErrVersion, those of reading.
func (l *Layer) read(size int64) error {
	head, foot := make([]byte, headBytes), make([]byte, footerBytes)
	if size < int64(headBytes+footerBytes) {
		return ErrDamaged
	}
	if _, err := l.file.ReadAt(head, 0); err != nil {
		return err
	}
	if string(head[:len(magic)]) != magic {
		return ErrDamaged
	}
	if binary.LittleEndian.Uint32(head[len(magic):]) != version {
		return ErrVersion
	}
	if _, err := l.file.ReadAt(foot, size-footerBytes); err != nil {
		return err
	}
	at, length := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint32(foot[8:])
	if at != uint64(size)-uint64(footerBytes)-uint64(length) || length > maxDirectory {
		return ErrDamaged
	}
	packed := make([]byte, length)
	if _, err := l.file.ReadAt(packed, int64(at)); err != nil {
		return err
	}
	if l.sum = binary.LittleEndian.Uint64(foot[12:]); xxhash.Sum64(packed) != l.sum {
		return ErrDamaged
	}
	plain, err := unpacker().DecodeAll(packed, nil)
	if err != nil {
		return ErrDamaged
	}
	return l.parse(plain, int64(at))
}

// parse takes the directory, which begins after so many bytes of the file.
func (l *Layer) parse(plain []byte, at int64) error {
	n, used := binary.Uvarint(plain)
	if used <= 0 || n > uint64(len(plain)-used) {
		return ErrDamaged
	}
	text, rest := plain[used:used+int(n)], plain[used+int(n):]
	if err := json.Unmarshal(text, &l.Info); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := l.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	end := int64(headBytes)
	l.proj, _ = geo.ByEPSG(l.EPSG) // it was checked
	l.grids = newGrids(l.Cols, l.Rows)
	for level := range l.grids {
		for i := range l.grids[level].blocks {
			if len(rest) < 2 {
				return ErrDamaged
			}
			b := block{at: end, low: Value(rest[0] >> 4), high: Value(rest[0] & 15)}
			n, used := binary.Uvarint(rest[1:])
			if used <= 0 || n > 2*blockBytes || (n == 0) != (b.low == b.high) || int(b.high) > len(l.Words) {
				return ErrDamaged
			}
			b.length, end, rest = uint32(n), end+int64(n), rest[1+used:]
			l.grids[level].blocks[i] = b
		}
	}
	if end != at || len(rest) > 0 {
		return ErrDamaged
	}
	return nil
}

// packedBlocks has buffers for reading.
var packedBlocks = sync.Pool{New: func() any { return new([2 * blockBytes]byte) }}

// readBlock reads the cells of a block of a grid.
func (l *Layer) readBlock(level, i int) (*cells, error) {
	b, c := &l.grids[level].blocks[i], &cells{}
	if b.length == 0 {
		for i := range c {
			c[i] = byte(b.low)<<4 | byte(b.low)
		}
		return c, nil
	}
	buffer := packedBlocks.Get().(*[2 * blockBytes]byte) // parse has checked the length
	defer packedBlocks.Put(buffer)
	packed := buffer[:b.length]
	if _, err := l.file.ReadAt(packed, b.at); err != nil {
		return nil, err
	}
	plain, err := unpacker().DecodeAll(packed, c[:0])
	if err != nil || len(plain) != blockBytes {
		return nil, fmt.Errorf("%w: a block at %d", ErrDamaged, b.at)
	}
	copy(c[:], plain)
	high := byte(0)
	for _, two := range c {
		high = max(high, two>>4, two&15)
	}
	if Value(high) > b.high { // which has a word
		return nil, fmt.Errorf("%w: a block at %d has the value %d", ErrDamaged, b.at, high)
	}
	return c, nil
}

// openLayer opens the layer of a file. kept has the cells of its store; without a store, they are read with readBlock.
func openLayer(path string, kept *cache.Cache[cellsKey, *cells]) (*Layer, error) {
	f, err := system.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	l := &Layer{file: f, cells: kept}
	stat, err := f.Stat()
	if err == nil {
		err = l.read(stat.Size())
	}
	if err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return l, nil
}

// ReadInfo returns what a file says of its layer.
func ReadInfo(path string) (*Info, error) {
	l, err := openLayer(path, nil)
	if err != nil {
		return nil, err
	}
	info := l.Info // without its grids
	return &info, l.file.Close()
}

// Verify reads all of a file. Errors: ErrDamaged, ErrVersion, those of reading.
func Verify(path string) (*Info, error) {
	l, err := openLayer(path, nil)
	if err != nil {
		return nil, err
	}
	defer l.file.Close()
	info := l.Info
	for level := range l.grids {
		for i := range l.grids[level].blocks {
			if _, err := l.readBlock(level, i); err != nil {
				return nil, err
			}
		}
	}
	return &info, nil
}
