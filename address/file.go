package address

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"relais/internal/fold"
)

// The file begins with the magic and the version (4 bytes). It ends with the offset of the table (8 bytes), the length of
// the table (4), and the xxHash64 of what comes before these three (8). Numbers are little-endian. Between are a block for
// each commune and then the table. Each is a zstd frame with its checksum. In blocks, numbers are varints, and texts have
// their length in front.
//
// A commune's block has, for each street in the order of the folded names: name, postal code and kind (flags), number of
// addresses, and its position from the middle of the commune, latitude first, in steps of 0.00001 degree.
//
// The table has the Info as JSON, and for each commune in the order of the codes: code, name, list of postal codes,
// latitude and longitude of the middle in steps, length of its block, number of streets.
const (
	magic       = "RELAISAD"
	version     = 1
	headBytes   = len(magic) + 4
	footerBytes = 20
)

// A writer writes a file of streets.
type writer struct {
	w      *bufio.Writer
	sum    *xxhash.Digest
	at     int64
	info   Info
	table  []byte
	block  []byte
	packed []byte
}

func newWriter(w io.Writer, info Info) (*writer, error) {
	f := &writer{w: bufio.NewWriterSize(w, 1<<16), sum: xxhash.New(), info: info}
	return f, f.write(binary.LittleEndian.AppendUint32([]byte(magic), version))
}

func (f *writer) write(b []byte) error {
	f.sum.Write(b) // a hash's Write never fails
	_, err := f.w.Write(b)
	f.at += int64(len(b))
	return err
}

// add writes a commune of a draft.
func (f *writer) add(c *commune) error {
	var all []Street
	for _, key := range slices.Sorted(maps.Keys(c.streets)) {
		s := c.streets[key]
		street := Street{Name: s.name, Hamlet: s.hamlet, Numbers: len(s.at), At: middle(s.at).degrees()}
		if s.postcode > 0 {
			street.Postcode = c.postcodes[s.postcode-1]
		}
		all = append(all, street)
	}
	return f.addStreets(c.code, c.name, c.postcodes, all)
}

// addStreets writes the streets of a commune, in any order. There must be one.
func (f *writer) addStreets(code, name string, postcodes []string, all []Street) error {
	slices.SortStableFunc(all, func(a, b Street) int { return cmp.Compare(fold.String(a.Name), fold.String(b.Name)) })
	places := make([]point, len(all))
	for i, s := range all {
		places[i] = pointOf(s.At)
	}
	center := middle(places)
	b := f.block[:0]
	for i, s := range all {
		b = appendText(b, s.Name)
		b = binary.AppendUvarint(b, flags(slices.Index(postcodes, s.Postcode)+1, s.Hamlet))
		b = binary.AppendUvarint(b, uint64(s.Numbers))
		b = binary.AppendVarint(b, int64(places[i].lat-center.lat))
		b = binary.AppendVarint(b, int64(places[i].lng-center.lng))
		if !s.Hamlet { // an address of a hamlet is one of a street too
			f.info.Addresses += s.Numbers
		}
	}
	f.block, f.packed = b, packer().EncodeAll(b, f.packed[:0])
	t := appendText(appendText(f.table, code), name)
	t = binary.AppendUvarint(t, uint64(len(postcodes)))
	for _, p := range postcodes {
		t = appendText(t, p)
	}
	t = binary.AppendVarint(binary.AppendVarint(t, int64(center.lat)), int64(center.lng))
	t = binary.AppendUvarint(t, uint64(len(f.packed)))
	f.table = binary.AppendUvarint(t, uint64(len(all)))
	f.info.Streets += len(all)
	f.info.Communes++
	return f.write(f.packed)
}

// close writes the table and returns what the file has.
func (f *writer) close() (Info, error) {
	text, err := json.Marshal(f.info)
	if err != nil {
		return Info{}, err
	}
	b := append(appendText(nil, string(text)), f.table...)
	f.packed = packer().EncodeAll(b, f.packed[:0])
	footer := binary.LittleEndian.AppendUint64(nil, uint64(f.at))
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(f.packed)))
	if err := f.write(f.packed); err != nil {
		return Info{}, err
	}
	f.info.Version = versionOf(f.info.Date, f.sum.Sum64())
	footer = binary.LittleEndian.AppendUint64(footer, f.sum.Sum64())
	if err := f.write(footer); err != nil {
		return Info{}, err
	}
	return f.info, f.w.Flush()
}

func versionOf(date string, sum uint64) string { return fmt.Sprintf("%s-%016x", date, sum) }
