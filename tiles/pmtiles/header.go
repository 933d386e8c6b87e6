// Package pmtiles reads archives of map tiles in the format PMTiles 3, and cuts the tiles of an area out of
// them: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md. It knows neither what is in a tile nor
// where an archive is.
package pmtiles

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"relais/geo"
)

const (
	headerSize = 127     // bytes
	rootEnds   = 1 << 14 // header and root directory are within so many bytes
)

const (
	lastZoom = 30 // that an archive can have
	// MaxZoom is the last zoom that is cut out. No public build has more, and the edge of an area has twice as many tiles
	// with each.
	MaxZoom = 15
)

// Compressions and tile types that are read. Others are Brotli, Zstandard and pictures.
const (
	plain   = 1
	gzipped = 2
	vector  = 1 // MVT
)

// A section is a part of an archive, in bytes.
type section struct{ at, length uint64 }

// end returns the first byte after the section.
func (s section) end() uint64 { return s.at + s.length }

// The sections, in the order of the header.
const (
	rootSection = iota
	metadataSection
	leafSection
	tileSection
)

var sectionNames = [...]string{"root directory", "metadata", "leaf directories", "tiles"}

// A Header is the beginning of an archive of vector tiles.
type Header struct {
	sections          [len(sectionNames)]section
	Tiles             uint64 // that can be asked for; 0: unknown
	entries, contents uint64 // 0: unknown
	clustered         bool   // contents are in the order of the tiles
	internal          byte   // compression of directories and metadata
	tiles             byte   // compression of tiles
	MinZoom, MaxZoom  int
	Bounds            geo.Box
	center            geo.Point
	centerZoom        byte
}

// ParseHeader reads the header of an archive of so many bytes. It returns an error for what is not a whole archive of
// vector tiles that browsers can read.
func ParseHeader(h []byte, size int64) (*Header, error) {
	switch {
	case len(h) < 8 || string(h[:7]) != "PMTiles":
		return nil, errors.New("not a PMTiles file: it does not begin with PMTiles")
	case h[7] != 3:
		return nil, fmt.Errorf("a PMTiles file of version %d: want version 3", h[7])
	case len(h) < headerSize || size < headerSize:
		return nil, errors.New("the PMTiles file is cut off in its header")
	}
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(h[at:]) }
	degrees := func(at int) float64 { return geo.Degrees(int32(binary.LittleEndian.Uint32(h[at:]))) }
	p := &Header{Tiles: number(72), entries: number(80), contents: number(88), clustered: h[96] == 1, internal: h[97],
		tiles: h[98], MinZoom: int(h[100]), MaxZoom: int(h[101]),
		Bounds:     geo.Box{West: degrees(102), South: degrees(106), East: degrees(110), North: degrees(114)},
		centerZoom: h[118], center: geo.Point{Lng: degrees(119), Lat: degrees(123)}}
	for i := range p.sections {
		p.sections[i] = section{number(8 + 16*i), number(16 + 16*i)}
	}
	return p, p.check(size, h[99])
}

// check returns an error for a header whose sections are not in the file, or whose tiles browsers cannot read.
func (p *Header) check(size int64, kind byte) error {
	for i, s := range p.sections {
		switch {
		case s.at > uint64(size) || s.length > uint64(size)-s.at:
			return fmt.Errorf("the PMTiles file is cut off: it has %d bytes, and its %s would end after that", size,
				sectionNames[i])
		case i == rootSection && (s.length == 0 || s.at < headerSize || s.end() > rootEnds):
			return errors.New("the PMTiles file is damaged: its root directory is not at its beginning")
		}
	}
	readable := func(compression byte) bool { return compression == plain || compression == gzipped }
	switch {
	case kind != vector:
		return errors.New("the PMTiles file has pictures: want vector tiles (MVT)")
	case !readable(p.internal) || !readable(p.tiles):
		return errors.New("the PMTiles file is compressed in a way that browsers cannot read: want gzip")
	case p.MinZoom > p.MaxZoom || p.MaxZoom > lastZoom:
		return fmt.Errorf("the PMTiles file is damaged: its zooms are %d to %d", p.MinZoom, p.MaxZoom)
	}
	return nil
}

// append appends the header to an archive.
func (p *Header) append(dst []byte) []byte {
	dst = append(dst, "PMTiles\x03"...)
	for _, s := range p.sections {
		dst = binary.LittleEndian.AppendUint64(dst, s.at)
		dst = binary.LittleEndian.AppendUint64(dst, s.length)
	}
	for _, n := range []uint64{p.Tiles, p.entries, p.contents} {
		dst = binary.LittleEndian.AppendUint64(dst, n)
	}
	clustered := byte(0)
	if p.clustered {
		clustered = 1
	}
	dst = append(dst, clustered, p.internal, p.tiles, vector, byte(p.MinZoom), byte(p.MaxZoom))
	degrees := func(values ...float64) {
		for _, v := range values {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(geo.Fix(math.Max(-180, math.Min(180, v)))))
		}
	}
	degrees(p.Bounds.West, p.Bounds.South, p.Bounds.East, p.Bounds.North)
	dst = append(dst, p.centerZoom)
	degrees(p.center.Lng, p.center.Lat)
	return dst
}
