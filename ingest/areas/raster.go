package areas

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/image/tiff"
)

// A Raster is a map of cells in memory, with rows from north to south.
type Raster struct {
	EPSG       int     // the code of the coordinates' system; 0 if the file states none that EPSG has
	X0, Y0     float64 // the north-west corner of the first cell
	Cell       float64 // the side of a cell, in the unit of the system
	Cols, Rows int
	NoData     *float64 // the value of cells about which nothing is known, nil if the file names none

	wide  *image.Gray16 // one of the two
	bytes []uint8
	pitch int
}

// At returns the value of a cell. col and row must be less than Cols and Rows.
func (r *Raster) At(col, row int) uint16 {
	if r.wide != nil {
		return r.wide.Gray16At(col, row).Y
	}
	return uint16(r.bytes[row*r.pitch+col])
}

// maxCells bounds a raster.
const maxCells = 64 << 20

// OpenRaster reads a GeoTIFF of one band with whole numbers of 8 or 16 bits and square cells (OGC 19-008r4).
func OpenRaster(path string) (*Raster, error) {
	r, err := openRaster(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return r, nil
}

func openRaster(path string) (*Raster, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > 4*maxCells {
		return nil, fmt.Errorf("%d bytes: %w", info.Size(), ErrTooLarge)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tags, err := readTags(data)
	if err != nil {
		return nil, err
	}
	r := &Raster{}
	if err := r.place(tags); err != nil {
		return nil, err
	}
	return r, r.pixels(data, tags)
}

func (r *Raster) pixels(data []byte, tags *tags) error {
	config, err := tiff.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%w: %w", err, ErrUnsupported)
	}
	r.Cols, r.Rows = config.Width, config.Height
	if r.Cols > maxCells/r.Rows {
		return fmt.Errorf("%d × %d cells, over %d: %w", r.Cols, r.Rows, maxCells, ErrTooLarge)
	}
	if bits := tags.number(tagBits, 1); bits != 8 && bits != 16 {
		return unsupported("cells of %v bits", bits)
	}
	picture, err := tiff.Decode(bytes.NewReader(data))
	if err != nil {
		return damaged("the cells cannot be read: %v", err)
	}
	switch p := picture.(type) {
	case *image.Gray:
		r.bytes, r.pitch = p.Pix, p.Stride
	case *image.Paletted:
		r.bytes, r.pitch = p.Pix, p.Stride
	case *image.Gray16:
		r.wide = p
	default:
		return unsupported("cells are colours")
	}
	if tags.number(tagPhotometric, 1) == 0 { // white is zero, and the library turned that round
		return unsupported("cells are inverted")
	}
	return nil
}

// place reads where the raster is.
func (r *Raster) place(tags *tags) error {
	scale, tie := tags.doubles(tagScale), tags.doubles(tagTie)
	if len(scale) < 2 || len(tie) != 6 {
		return unsupported("it does not say where it is by one point and the size of cells")
	}
	if r.Cell = scale[0]; !(r.Cell > 0) || math.Abs(scale[1]-r.Cell) > r.Cell*1e-6 {
		return unsupported("cells are %v × %v", scale[0], scale[1])
	}
	shift := 0.0
	if tags.key(keyRasterType, 1) == 2 { // the point is the middle of a cell
		shift = 0.5
	}
	r.X0, r.Y0 = tie[3]-(tie[0]+shift)*r.Cell, tie[4]+(tie[1]+shift)*r.Cell
	if v := r.X0 + r.Y0 + r.Cell; v-v != 0 {
		return damaged("its place is not finite")
	}
	if r.EPSG = tags.key(keyProjected, tags.key(keyGeographic, 0)); r.EPSG >= 32767 { // defined by the user
		r.EPSG = 0
	}
	if text := strings.Trim(tags.text(tagNoData), " \x00"); text != "" {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return damaged("the value of unknown cells is %.20q", text)
		}
		r.NoData = &v
	}
	return nil
}

// Tags of TIFF, GeoTIFF and GDAL, and keys of GeoTIFF.
const (
	tagBits        = 258
	tagPhotometric = 262
	tagScale       = 33550
	tagTie         = 33922
	tagKeys        = 34735
	tagNoData      = 42113

	keyRasterType = 1025
	keyGeographic = 2048
	keyProjected  = 3072
)

// tags are the fields of the first picture.
type tags struct {
	order  binary.ByteOrder
	fields map[uint16]tagged
}

type tagged struct {
	kind  uint16
	value []byte
}

// Types of TIFF that are read.
const (
	kindText   = 2
	kindShort  = 3
	kindDouble = 12
)

func readTags(data []byte) (*tags, error) {
	t := &tags{fields: map[uint16]tagged{}}
	switch {
	case bytes.HasPrefix(data, []byte("II*\x00")):
		t.order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("MM\x00*")):
		t.order = binary.BigEndian
	default:
		return nil, unsupported("it is not a TIFF of up to 4 GB")
	}
	part := func(at, n uint64) []byte {
		if at > uint64(len(data)) || n > uint64(len(data))-at {
			return nil
		}
		return data[at : at+n]
	}
	at := uint64(0)
	if b := part(4, 4); b != nil {
		at = uint64(t.order.Uint32(b))
	}
	count := part(at, 2)
	if count == nil {
		return nil, damaged("it has no directory")
	}
	for i := range uint64(t.order.Uint16(count)) {
		entry := part(at+2+12*i, 12)
		if entry == nil {
			return nil, damaged("the directory is cut")
		}
		f := tagged{kind: t.order.Uint16(entry[2:])}
		size := uint64(t.order.Uint32(entry[4:])) * map[uint16]uint64{kindText: 1, kindShort: 2, kindDouble: 8}[f.kind]
		if f.value = entry[8:]; size > 4 {
			f.value = part(uint64(t.order.Uint32(entry[8:])), size)
		} else {
			f.value = f.value[:size]
		}
		t.fields[t.order.Uint16(entry)] = f
	}
	return t, nil
}

func (t *tags) text(tag uint16) string {
	if f := t.fields[tag]; f.kind == kindText {
		return string(f.value)
	}
	return ""
}

func (t *tags) shorts(tag uint16) (list []int) {
	if f := t.fields[tag]; f.kind == kindShort {
		for b := f.value; len(b) >= 2; b = b[2:] {
			list = append(list, int(t.order.Uint16(b)))
		}
	}
	return list
}

func (t *tags) doubles(tag uint16) (list []float64) {
	if f := t.fields[tag]; f.kind == kindDouble {
		for b := f.value; len(b) >= 8; b = b[8:] {
			list = append(list, math.Float64frombits(t.order.Uint64(b)))
		}
	}
	return list
}

func (t *tags) number(tag uint16, other int) int {
	if list := t.shorts(tag); len(list) > 0 {
		return list[0]
	}
	return other
}

// key returns the value of a key, or another if the file does not have it as a number.
func (t *tags) key(key, other int) int {
	keys := t.shorts(tagKeys)
	for i := 4; i+4 <= len(keys); i += 4 {
		if keys[i] == key && keys[i+1] == 0 {
			return keys[i+3]
		}
	}
	return other
}
