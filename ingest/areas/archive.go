package areas

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"github.com/ulikunitz/xz/lzma"

	"relais/internal/system"
)

// openArchive unpacks the only GeoPackage of a 7z archive, and opens it.
func openArchive(in input, tmp string, limit int64) (*File, error) {
	entry, err := findGeoPackage(in)
	if err != nil {
		return nil, err
	}
	if end := entry.before + entry.size; end > uint64(max(limit, 0)) { // a stream is read from its beginning
		return nil, fmt.Errorf("up to the end of %.80q there are %d bytes, over %d: %w", entry.name, end, limit, ErrTooLarge)
	}
	free, _, err := system.Free(tmp)
	if err != nil {
		return nil, err
	}
	if free < entry.size {
		return nil, fmt.Errorf("%.80q needs %d bytes in %s, and %d are free: %w", entry.name, entry.size, tmp, free, ErrNoSpace)
	}
	out, err := os.CreateTemp(tmp, "areas-*.gpkg")
	if err != nil {
		return nil, err
	}
	remove := func() error { return errors.Join(out.Close(), os.Remove(out.Name())) }
	f, err := unpackTo(out, in, entry)
	if err != nil {
		remove()
		return nil, fmt.Errorf("%.80q in the archive: %w", entry.name, err)
	}
	f.close = func() error { return errors.Join(remove(), in.Close()) }
	return f, nil
}

func unpackTo(out *os.File, in input, entry entry) (*File, error) {
	packed, err := entry.folder.open(in)
	if err != nil {
		return nil, err
	}
	packed = unpacking{packed, in.ctx}
	sum := crc32.NewIEEE()
	if _, err = io.CopyN(io.Discard, packed, int64(entry.before)); err == nil {
		_, err = io.CopyN(io.MultiWriter(out, sum), packed, int64(entry.size))
	}
	switch {
	case system.Full(err):
		return nil, fmt.Errorf("%w: %w", err, ErrNoSpace)
	case errors.As(err, new(*os.PathError)):
		return nil, err
	case err != nil:
		return nil, damaged("it cannot be unpacked: %v", err)
	case entry.summed && sum.Sum32() != entry.sum:
		return nil, damaged("its checksum is wrong")
	}
	head := make([]byte, len(signatureSQLite))
	if _, err := out.ReadAt(head, 0); err != nil || string(head) != signatureSQLite {
		return nil, damaged("it is not a GeoPackage")
	}
	return openGeoPackage(input{out, in.ctx})
}

// An unpacking ends with a context: much may come of little that is read.
type unpacking struct {
	io.Reader
	ctx context.Context
}

func (u unpacking) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(b)
}

// findGeoPackage returns the only entry that is one.
func findGeoPackage(in input) (found entry, err error) {
	entries, err := entriesOf(in)
	if err != nil {
		return entry{}, err
	}
	for _, e := range entries {
		switch {
		case !strings.HasSuffix(strings.ToLower(e.name), ".gpkg"):
		case found.name != "":
			return entry{}, fmt.Errorf("it has several GeoPackages, %.80q and %.80q: %w", found.name, e.name, ErrArchive)
		default:
			found = e
		}
	}
	if found.name == "" {
		return entry{}, fmt.Errorf("none of its %d files is a GeoPackage: %w", len(entries), ErrArchive)
	}
	return found, nil
}

// maxDictionary is the memory that a stream may need: what 7z uses at its highest level.
const maxDictionary = 256 << 20

// Methods of compression, by the identifiers of 7z's methods.txt.
const (
	methodCopy  = "\x00"
	methodLZMA  = "\x03\x01\x01"
	methodLZMA2 = "\x21"
	methodAES   = "\x06\xf1\x07\x01"
)

// open returns the unpacked bytes.
func (f folder7z) open(in io.ReaderAt) (io.Reader, error) {
	packed := bufio.NewReaderSize(io.NewSectionReader(in, f.at, f.packed), 256<<10)
	var dictionary uint64
	switch {
	case f.method == methodCopy:
		return packed, nil
	case f.method == methodLZMA && len(f.properties) == 5:
		dictionary = uint64(order.Uint32(f.properties[1:]))
	case f.method == methodLZMA2 && len(f.properties) == 1 && f.properties[0] <= 40:
		p := f.properties[0]
		dictionary = uint64(2|p&1) << (p/2 + 11)
	default:
		return nil, fmt.Errorf("it is packed by method %x: %w", f.method, ErrArchive)
	}
	if dictionary = min(dictionary, max(f.size, lzma.MinDictCap)); dictionary > maxDictionary {
		return nil, fmt.Errorf("it needs a dictionary of %d bytes, and at most %d are possible: %w", dictionary, maxDictionary, ErrArchive)
	}
	if f.method == methodLZMA2 {
		return lzma.Reader2Config{DictCap: int(dictionary)}.NewReader2(packed)
	}
	header := order.AppendUint64(order.AppendUint32(f.properties[:1:1], uint32(dictionary)), f.size)
	return lzma.NewReader(withHeader{io.MultiReader(bytes.NewReader(header), packed), packed})
}

// withHeader is a header and what follows. Its bytes are read one by one only after the header.
type withHeader struct {
	io.Reader
	io.ByteReader
}
