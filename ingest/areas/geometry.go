package areas

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// An edgeFunc gets the ends of an edge.
type edgeFunc func(x1, y1, x2, y2 float64)

// A geometry reads a GeoPackage's binary geometry: a header, then well-known binary (OGC 12-128, 2.1.3).
type geometry struct {
	in      io.Reader
	edge    edgeFunc
	polygon int            // that is read, from 1
	buf     [12 << 10]byte // a multiple of all sizes of a position
}

// readGeometry calls edge for the edges of a polygon or multipolygon.
func readGeometry(in io.Reader, edge edgeFunc) error {
	g := &geometry{in: in, edge: edge}
	err := g.read()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = damaged("the geometry ends in the middle")
	}
	if err != nil && g.polygon > 0 {
		err = fmt.Errorf("polygon %d: %w", g.polygon, err)
	}
	return err
}

func (g *geometry) read() error {
	b, err := g.next(8)
	if err != nil {
		return err
	}
	flags := b[3]
	envelope := int(flags >> 1 & 7)
	switch {
	case string(b[:2]) != "GP" || b[2] != 0 || envelope > 4:
		return damaged("the geometry does not begin as a GeoPackage's")
	case flags&0x20 != 0:
		return unsupported("the geometry is of an extension")
	}
	if _, err := g.next([]int{0, 32, 48, 48, 64}[envelope]); err != nil {
		return err
	}
	kind, order, dimensions, err := g.shape()
	if err != nil {
		return err
	}
	switch kind {
	case polygon:
		g.polygon = 1
		err = g.rings(order, dimensions)
	case multiPolygon:
		err = g.polygons(order)
	default:
		return unsupported("the geometry is of type %d, not a polygon or multipolygon", kind)
	}
	if err != nil {
		return err
	}
	if _, err := g.next(1); err != io.EOF {
		return damaged("something follows the geometry")
	}
	return nil
}

// Types of well-known binary.
const (
	polygon      = 3
	multiPolygon = 6
)

// shape reads the beginning of a geometry. Both ways to say Z and M are known: the thousands of ISO, and the high
// bits of older programs.
func (g *geometry) shape() (kind uint32, order binary.ByteOrder, dimensions int, err error) {
	b, err := g.next(5)
	if err != nil {
		return 0, nil, 0, err
	}
	switch b[0] {
	case 0:
		order = binary.BigEndian
	case 1:
		order = binary.LittleEndian
	default:
		return 0, nil, 0, damaged("the order of bytes is %d", b[0])
	}
	kind, dimensions = order.Uint32(b[1:]), 2
	if kind&(1<<31) != 0 {
		dimensions++
	}
	if kind&(1<<30) != 0 {
		dimensions++
	}
	switch kind &= 1<<29 - 1; kind / 1000 {
	case 1, 2:
		dimensions = 3
	case 3:
		dimensions = 4
	}
	if kind < 4000 {
		kind %= 1000
	}
	return kind, order, dimensions, nil
}

func (g *geometry) polygons(order binary.ByteOrder) error {
	b, err := g.next(4)
	if err != nil {
		return err
	}
	for range order.Uint32(b) {
		g.polygon++
		kind, order, dimensions, err := g.shape()
		if err != nil {
			return err
		}
		if kind != polygon {
			return damaged("it is of type %d", kind)
		}
		if err := g.rings(order, dimensions); err != nil {
			return err
		}
	}
	return nil
}

func (g *geometry) rings(order binary.ByteOrder, dimensions int) error {
	b, err := g.next(4)
	if err != nil {
		return err
	}
	for i := range order.Uint32(b) {
		if err := g.ring(order, dimensions); err != nil {
			return fmt.Errorf("ring %d: %w", i+1, err)
		}
	}
	return nil
}

func (g *geometry) ring(order binary.ByteOrder, dimensions int) error {
	b, err := g.next(4)
	if err != nil {
		return err
	}
	var ring ring
	size := 8 * dimensions
	for left := int64(order.Uint32(b)); left > 0; {
		n := min(left, int64(len(g.buf)/size))
		b, err := g.next(int(n) * size)
		if err != nil {
			return err
		}
		left -= n
		for ; len(b) > 0; b = b[size:] {
			x, y := math.Float64frombits(order.Uint64(b)), math.Float64frombits(order.Uint64(b[8:]))
			if err := ring.add(x, y, g.edge); err != nil {
				return err
			}
		}
	}
	return ring.close()
}

// next returns the next bytes, at most those of the buffer, valid until the next call.
func (g *geometry) next(n int) ([]byte, error) {
	_, err := io.ReadFull(g.in, g.buf[:n])
	return g.buf[:n], err
}

// A ring makes edges of positions.
type ring struct {
	begun                bool
	firstX, firstY, x, y float64
}

func (r *ring) add(x, y float64, edge edgeFunc) error {
	if x-x != 0 || y-y != 0 { // NaN or infinite
		return damaged("a coordinate is not a finite number")
	}
	if r.begun {
		edge(r.x, r.y, x, y)
	} else {
		r.begun, r.firstX, r.firstY = true, x, y
	}
	r.x, r.y = x, y
	return nil
}

// close reports whether the ring ends where it began.
func (r *ring) close() error {
	if r.x != r.firstX || r.y != r.firstY {
		return damaged("it begins at %s, %s and ends at %s, %s", number(r.firstX), number(r.firstY), number(r.x), number(r.y))
	}
	return nil
}
