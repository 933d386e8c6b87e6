package exif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Tags of TIFF 6.0 and Exif 2.3 that are read.
const (
	tagMake        = 0x010f
	tagModel       = 0x0110
	tagOrientation = 0x0112
	tagExif        = 0x8769 // offset of the Exif directory
	tagGPS         = 0x8825 // offset of the GPS directory
	tagTaken       = 0x9003
)

var (
	mainTags = []uint16{tagMake, tagModel, tagOrientation, tagExif, tagGPS}
	exifTags = []uint16{tagTaken}
	gpsTags  = []uint16{1, 2, 3, 4, 17} // latitude's hemisphere, latitude, longitude's, longitude, image direction
)

const (
	maxEntries = 1000 // of all directories that are read
	maxValue   = 4096 // bytes; larger values of these tags are not valid
)

// valueSizes are the bytes of a value by type, 1 (BYTE) to 12 (DOUBLE).
var valueSizes = [...]uint64{1: 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8}

// An entry is one of a directory, whose value is inside the blob.
type entry struct {
	tag, kind uint16
	count     uint32
	value     []byte
}

// extract makes a TIFF of the wanted tags. It reads only the main directory and the Exif and GPS
// directories that it names, each once, so that no chain can loop. It leaves out entries that claim
// more bytes than the blob has.
func extract(blob []byte) ([]byte, error) {
	order, err := byteOrder(blob)
	if err != nil {
		return nil, err
	}
	if len(blob) < 8 {
		return nil, errCut
	}
	r := reader{blob: blob, order: order, left: maxEntries}
	main, err := r.dir(order.Uint32(blob[4:]), mainTags)
	if err != nil {
		return nil, err
	}
	out := append([]byte{}, blob[:8]...)
	for i, e := range main {
		tags := exifTags
		switch e.tag {
		case tagGPS:
			tags = gpsTags
			fallthrough
		case tagExif:
			if len(e.value) != 4 {
				return nil, errors.New("a directory's offset is not one number")
			}
			sub, err := r.dir(order.Uint32(e.value), tags)
			if err != nil {
				return nil, err
			}
			at := uint32(len(out))
			out = appendDir(out, order, sub)
			main[i].value = order.AppendUint32(nil, at)
		}
	}
	order.PutUint32(out[4:], uint32(len(out)))
	return appendDir(out, order, main), nil
}

type reader struct {
	blob  []byte
	order order
	left  int      // entries that may still be read
	seen  []uint32 // offsets of the directories that were read
}

type order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// dir reads the entries with the tags, the first of each.
func (r *reader) dir(offset uint32, tags []uint16) ([]entry, error) {
	if slices.Contains(r.seen, offset) {
		return nil, fmt.Errorf("two directories are at %d", offset)
	}
	r.seen = append(r.seen, offset)
	if uint64(offset)+2 > uint64(len(r.blob)) {
		return nil, errCut
	}
	n := int(r.order.Uint16(r.blob[offset:]))
	if r.left -= n; r.left < 0 {
		return nil, fmt.Errorf("it has more than %d entries", maxEntries)
	}
	var entries []entry
	for rest := r.blob[offset+2:]; n > 0 && len(rest) >= 12; n, rest = n-1, rest[12:] {
		e, ok := r.entry(rest[:12])
		same := func(other entry) bool { return other.tag == e.tag }
		if ok && slices.Contains(tags, e.tag) && !slices.ContainsFunc(entries, same) {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

func (r *reader) entry(b []byte) (entry, bool) {
	e := entry{tag: r.order.Uint16(b), kind: r.order.Uint16(b[2:]), count: r.order.Uint32(b[4:])}
	if int(e.kind) >= len(valueSizes) {
		return e, false
	}
	size := uint64(e.count) * valueSizes[e.kind] // below 2^35
	if size == 0 || size > maxValue {
		return e, false
	}
	from := b[8:]
	if size > 4 {
		offset := uint64(r.order.Uint32(b[8:]))
		if offset+size > uint64(len(r.blob)) {
			return e, false
		}
		from = r.blob[offset:]
	}
	e.value = from[:size]
	return e, true
}

// appendDir appends a directory and, behind it, its values.
func appendDir(out []byte, order order, entries []entry) []byte {
	at := len(out) + 2 + 12*len(entries) + 4
	var values []byte
	out = order.AppendUint16(out, uint16(len(entries)))
	for _, e := range entries {
		out = order.AppendUint16(out, e.tag)
		out = order.AppendUint16(out, e.kind)
		out = order.AppendUint32(out, e.count)
		if len(e.value) > 4 {
			out = order.AppendUint32(out, uint32(at+len(values)))
			values = append(values, e.value...)
		} else {
			out = append(append(out, e.value...), make([]byte, 4-len(e.value))...)
		}
	}
	out = order.AppendUint32(out, 0) // no directory follows
	return append(out, values...)
}
