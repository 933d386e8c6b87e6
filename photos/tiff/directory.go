package tiff

import (
	"encoding/binary"
	"errors"
)

// A directory is the fields of a picture, by tag.
type directory struct {
	data   []byte // the whole file
	order  binary.ByteOrder
	fields map[uint16]field
}

// A field is the values of a tag.
type field struct {
	kind  uint16
	bytes []byte
}

// sizes are the bytes of a value by type: those of TIFF 6.0 to DOUBLE, IFD, and those of BigTIFF.
var sizes = map[uint16]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4,
	16: 8, 17: 8, 18: 8}

const maxFields = 4096

var errDirectory = errors.New("the TIFF is cut off or damaged: it has no complete directory")

// HasSignature reports whether a file begins like a TIFF or a BigTIFF.
func HasSignature(data []byte) bool {
	_, _, ok := signature(data)
	return ok
}

func signature(data []byte) (order binary.ByteOrder, big, ok bool) {
	if len(data) < 4 {
		return nil, false, false
	}
	switch string(data[:4]) {
	case "II*\x00":
		return binary.LittleEndian, false, true
	case "MM\x00*":
		return binary.BigEndian, false, true
	case "II+\x00":
		return binary.LittleEndian, true, true
	case "MM\x00+":
		return binary.BigEndian, true, true
	}
	return nil, false, false
}

// readDirectory reads the first directory (TIFF 6.0, section 2; BigTIFF has numbers of 8 bytes for those of
// 2 and 4). Fields whose values lie outside of the file are left out.
func readDirectory(data []byte) (*directory, error) {
	order, big, ok := signature(data)
	if !ok {
		return nil, errDirectory
	}
	d := &directory{data, order, map[uint16]field{}}
	at, countSize, wide := uint64(4), uint64(2), uint64(4)
	if big {
		at, countSize, wide = 8, 8, 8
	}
	at, ok = d.uint(at, wide)
	n, found := d.uint(at, countSize)
	if !ok || !found || n > maxFields {
		return nil, errDirectory
	}
	for at += countSize; n > 0; n-- {
		entry, ok := d.slice(at, 4+2*wide)
		if !ok {
			return nil, errDirectory
		}
		tag, kind := order.Uint16(entry), order.Uint16(entry[2:])
		count, _ := d.uint(at+4, wide)
		value := at + 4 + wide
		if size := sizes[kind]; size > 0 && count > 0 && count <= uint64(len(data)) {
			if size*count > wide {
				value, _ = d.uint(value, wide)
			}
			if b, ok := d.slice(value, size*count); ok {
				d.fields[tag] = field{kind, b}
			}
		}
		at += 4 + 2*wide
	}
	return d, nil
}

// slice returns n bytes of the file.
func (d *directory) slice(at, n uint64) ([]byte, bool) {
	if at > uint64(len(d.data)) || n > uint64(len(d.data))-at {
		return nil, false
	}
	return d.data[at : at+n], true
}

// uint reads an unsigned number of 2, 4 or 8 bytes.
func (d *directory) uint(at, size uint64) (uint64, bool) {
	b, ok := d.slice(at, size)
	switch {
	case !ok:
		return 0, false
	case size == 2:
		return uint64(d.order.Uint16(b)), true
	case size == 4:
		return uint64(d.order.Uint32(b)), true
	}
	return d.order.Uint64(b), true
}

// numbers returns the values of a field of unsigned numbers, or nil.
func (d *directory) numbers(tag uint16) []uint64 {
	f := d.fields[tag]
	size := int(sizes[f.kind])
	switch f.kind {
	case 1, 3, 4, 13, 16, 18:
	default:
		return nil
	}
	list := make([]uint64, len(f.bytes)/size)
	for i := range list {
		switch b := f.bytes[i*size:]; size {
		case 1:
			list[i] = uint64(b[0])
		case 2:
			list[i] = uint64(d.order.Uint16(b))
		case 4:
			list[i] = uint64(d.order.Uint32(b))
		default:
			list[i] = d.order.Uint64(b)
		}
	}
	return list
}

// number returns the first value of a field, or other if it has no values.
func (d *directory) number(tag uint16, other uint64) uint64 {
	if list := d.numbers(tag); len(list) > 0 {
		return list[0]
	}
	return other
}
