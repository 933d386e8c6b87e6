package areas

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// What is read of 7z archives follows DOC/7zFormat.txt of the LZMA SDK: files in folders that one method packs. The
// library for the whole format would make each program 1.3 MB larger, and trusts the counts of a header.

const signature7z = "7z\xbc\xaf\x27\x1c"

// Bounds of an archive.
const (
	maxHeader  = 1 << 20 // bytes
	maxEntries = 1000    // files, folders, streams
)

var order = binary.LittleEndian

// An entry is a file in an archive.
type entry struct {
	name   string
	folder folder7z
	before uint64 // bytes of the folder before it
	size   uint64
	sum    uint32
	summed bool
}

// A folder7z is a packed stream. One or several files are in it.
type folder7z struct {
	at, packed int64 // where in the file, and how many bytes
	method     string
	properties []byte
	size       uint64 // unpacked
	sum        uint32
	summed     bool
	parts      []entry // the files, without names
}

// entriesOf returns the files of an archive.
func entriesOf(in input) ([]entry, error) {
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	start := make([]byte, 32)
	if _, err := in.ReadAt(start, 0); err != nil || crc32.ChecksumIEEE(start[12:]) != order.Uint32(start[8:]) {
		return nil, damaged("the beginning of the archive is wrong")
	}
	at, size := order.Uint64(start[12:]), order.Uint64(start[20:])
	switch end := uint64(info.Size()); {
	case size == 0:
		return nil, nil
	case at > end || size > end || 32+at+size > end:
		return nil, damaged("the archive has %d of %d bytes", end, 32+at+size)
	case size > maxHeader:
		return nil, fmt.Errorf("its header has %d bytes, over %d: %w", size, maxHeader, ErrArchive)
	}
	header := make([]byte, size)
	if _, err := in.ReadAt(header, int64(32+at)); err != nil || crc32.ChecksumIEEE(header) != order.Uint32(start[28:]) {
		return nil, damaged("the header of the archive is wrong")
	}
	c := &cursor{rest: header, end: 32 + int64(at)}
	kind := c.byte()
	if kind == idEncodedHeader {
		if header, err = c.unpackHeader(in); err != nil {
			return nil, err
		}
		c.rest = header
		kind = c.byte()
	}
	if kind != idHeader && c.err == nil {
		return nil, damaged("the header of the archive begins with %d", kind)
	}
	entries := c.header()
	return entries, c.err
}

// Identifiers in headers.
const (
	idEnd = iota
	idHeader
	idArchiveProperties
	idAdditionalStreams
	idMainStreams
	idFiles
	idPack
	idUnpack
	idSubStreams
	idSize
	idCRC
	idFolder
	idUnpackSize
	idStreams
	idEmptyStream
	idEmptyFile
	idAnti
	idNames
	idEncodedHeader = 0x17
)

// A cursor reads a header. After an error it returns zeros.
type cursor struct {
	rest []byte
	end  int64 // of the packed streams
	err  error
}

func (c *cursor) fail(what string, args ...any) {
	if c.err == nil {
		c.err, c.rest = damaged("the header of the archive: "+what, args...), nil
	}
}

func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.fail("it is cut")
		return make([]byte, min(n, 8))
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) byte() byte { return c.bytes(1)[0] }

// number reads a number whose first bits say how many bytes follow.
func (c *cursor) number() (v uint64) {
	first := c.byte()
	mask := byte(0x80)
	for i := range 8 {
		if first&mask == 0 {
			return v | uint64(first&(mask-1))<<(8*i)
		}
		v |= uint64(c.byte()) << (8 * i)
		mask >>= 1
	}
	return v
}

// count reads how many there are of something.
func (c *cursor) count() int {
	n := c.number()
	if n > maxEntries {
		if c.err == nil {
			c.err = fmt.Errorf("it has %d files or streams, over %d: %w", n, maxEntries, ErrArchive)
		}
		c.rest = nil
		return 0
	}
	return int(n)
}

// bits reads a truth for each of n, all true if they may be left out and are.
func (c *cursor) bits(n int, optional bool) []bool {
	bits := make([]bool, n)
	all := optional && c.byte() != 0
	var packed []byte
	if !all {
		packed = c.bytes(uint64(n+7) / 8)
	}
	for i := range bits {
		bits[i] = all || c.err == nil && packed[i/8]&(0x80>>(i%8)) != 0
	}
	return bits
}

// expect reads an identifier.
func (c *cursor) expect(id byte) {
	if got := c.byte(); got != id {
		c.fail("expected identifier %d, got %d", id, got)
	}
}

// unpackHeader returns the header that this one describes.
func (c *cursor) unpackHeader(in input) ([]byte, error) {
	folders := c.streams()
	if c.err != nil {
		return nil, c.err
	}
	if len(folders) != 1 || folders[0].size > maxHeader {
		return nil, fmt.Errorf("its header is packed in %d parts, or has over %d bytes: %w", len(folders), maxHeader, ErrArchive)
	}
	f := folders[0]
	packed, err := f.open(in)
	if err != nil {
		return nil, err
	}
	header := make([]byte, f.size)
	if _, err := io.ReadFull(packed, header); err != nil {
		return nil, damaged("the header of the archive cannot be unpacked: %v", err)
	}
	if f.summed && crc32.ChecksumIEEE(header) != f.sum {
		return nil, damaged("the checksum of the header of the archive is wrong")
	}
	return header, nil
}

// header reads what follows its identifier.
func (c *cursor) header() (entries []entry) {
	var folders []folder7z
	id := c.byte()
	if id == idArchiveProperties {
		for c.err == nil && c.number() != idEnd {
			c.bytes(c.number())
		}
		id = c.byte()
	}
	if id == idAdditionalStreams {
		c.fail("it has additional streams")
	}
	if id == idMainStreams {
		folders = c.streams()
		id = c.byte()
	}
	if id == idFiles {
		entries = c.files(folders)
	}
	return entries
}

// streams reads the folders.
func (c *cursor) streams() (folders []folder7z) {
	var sizes []uint64
	at := uint64(32)
	for c.err == nil {
		switch id := c.byte(); id {
		case idPack:
			at += min(c.number(), math.MaxInt64/2)
			sizes = c.packed(c.count())
		case idUnpack:
			folders = c.folders()
		case idSubStreams:
			c.parts(folders)
		case idEnd:
			c.place(folders, sizes, at)
			return folders
		default:
			c.fail("expected the identifier of a list of streams, got %d", id)
		}
	}
	return nil
}

// place finds where each folder is.
func (c *cursor) place(folders []folder7z, sizes []uint64, at uint64) {
	if len(sizes) != len(folders) {
		c.fail("it has %d streams for %d folders", len(sizes), len(folders))
		return
	}
	for i := range folders {
		if end := uint64(c.end); at > end || sizes[i] > end-at {
			c.fail("a stream ends outside the file")
			return
		}
		f := &folders[i]
		f.at, f.packed = int64(at), int64(sizes[i])
		at += sizes[i]
		if f.parts == nil {
			f.parts = []entry{{size: f.size, sum: f.sum, summed: f.summed}}
		}
	}
}

func (c *cursor) packed(n int) []uint64 {
	sizes := make([]uint64, n)
	id := c.byte()
	if id == idSize {
		for i := range sizes {
			sizes[i] = c.number()
		}
		id = c.byte()
	}
	if id == idCRC {
		c.sums(n)
		id = c.byte()
	}
	if id != idEnd {
		c.fail("the sizes of streams end with %d", id)
	}
	return sizes
}

// sums reads checksums, and which of them there are.
func (c *cursor) sums(n int) (sums []uint32, known []bool) {
	known, sums = c.bits(n, true), make([]uint32, n)
	for i := range sums {
		if known[i] {
			sums[i] = order.Uint32(c.bytes(4))
		}
	}
	return sums, known
}
