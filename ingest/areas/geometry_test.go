package areas

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// blob returns a GeoPackage's geometry of numbers: bytes, uint32 and float64 in an order of bytes.
func blob(order binary.AppendByteOrder, parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b = append(b, p...)
		case byte:
			b = append(b, p)
		case int:
			b = order.AppendUint32(b, uint32(p))
		case float64:
			b = order.AppendUint64(b, math.Float64bits(p))
		}
	}
	return b
}

var little, big = binary.LittleEndian, binary.BigEndian

const head = "GP\x00\x01\x6a\x08\x00\x00" // of the standard, little endian, without envelope, in EPSG:2154

func TestGeometry(t *testing.T) {
	triangle := []any{4, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0}
	high := []any{4, 0.0, 0.0, 9.0, 2.0, 0.0, math.NaN(), 0.0, 1.0, 9.0, 0.0, 0.0, 8.0}
	with := func(parts []any, more ...any) []any { return append(append([]any(nil), parts...), more...) }
	for _, tt := range []struct {
		name  string
		blob  []byte
		edges int
		want  string // a part of the error
	}{
		{"polygon", blob(little, with([]any{head, byte(1), 3, 1}, triangle...)...), 3, ""},
		{"big endian", blob(big, with([]any{"GP\x00\x00\x00\x00\x08\x6a", byte(0), 3, 1}, triangle...)...), 3, ""},
		{"envelope", blob(little, with([]any{"GP\x00\x03\x6a\x08\x00\x00", 0.0, 2.0, 0.0, 1.0, byte(1), 3, 1}, triangle...)...), 3, ""},
		{"large envelope", blob(little, with([]any{"GP\x00\x09\x6a\x08\x00\x00" + strings.Repeat("\x00", 64), byte(1), 3, 1},
			triangle...)...), 3, ""},
		{"two of two", blob(little, with(with([]any{head, byte(1), 6, 2, byte(1), 3, 1}, triangle...),
			with([]any{byte(1), 3, 1}, triangle...)...)...), 6, ""},
		{"Z of ISO", blob(little, with([]any{head, byte(1), 1003, 1}, high...)...), 3, ""},
		{"M of ISO", blob(little, with([]any{head, byte(1), 2006, 1, byte(1), 2003, 1}, high...)...), 3, ""},
		{"Z of older programs", blob(little, with([]any{head, byte(1), 1<<31 + 3, 1}, high...)...), 3, ""},
		{"ZM", blob(little, head, byte(1), 3003, 1, 2, 1.0, 1.0, 5.0, 5.0, 1.0, 1.0, 6.0, 6.0), 1, ""},
		{"empty", blob(little, "GP\x00\x11\x6a\x08\x00\x00", byte(1), 6, 0), 0, ""},
		{"ring without positions", blob(little, head, byte(1), 3, 1, 0), 0, ""},
		{"not closed", blob(little, head, byte(1), 6, 1, byte(1), 3, 1, 3, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0), 2,
			"polygon 1: ring 1: it begins at 0, 0 and ends at 0, 1"},
		{"NaN", blob(little, head, byte(1), 3, 1, 2, 0.0, math.NaN(), 0.0, 0.0), 0, "not a finite number"},
		{"infinite", blob(little, head, byte(1), 3, 1, 2, 0.0, 0.0, math.Inf(-1), 0.0), 0, "not a finite number"},
		{"cut", blob(little, head, byte(1), 3, 1, 2, 0.0, 0.0), 0, "ends in the middle"},
		{"many rings", blob(little, head, byte(1), 3, math.MaxUint32), 0, "ends in the middle"},
		{"many positions", blob(little, head, byte(1), 3, 1, math.MaxUint32, 0.0, 0.0), 0, "ends in the middle"},
		{"more", blob(little, with([]any{head, byte(1), 3, 1}, with(triangle, byte(0))...)...), 3, "something follows"},
		{"line", blob(little, head, byte(1), 2, 0), 0, "type 2"},
		{"line in a multipolygon", blob(little, head, byte(1), 6, 1, byte(1), 2, 0), 0, "type 2"},
		{"curve", blob(little, head, byte(1), 10, 0), 0, "type 10"},
		{"order", blob(little, head, byte(2), 3, 0), 0, "order of bytes"},
		{"extension", blob(little, "GP\x00\x21\x00\x00\x00\x00"), 0, "extension"},
		{"other header", blob(little, "XP\x00\x01\x00\x00\x00\x00"), 0, "does not begin"},
		{"other envelope", blob(little, "GP\x00\x0b\x00\x00\x00\x00"), 0, "does not begin"},
		{"nothing", nil, 0, "ends in the middle"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edges := 0
			err := readGeometry(bytes.NewReader(tt.blob), func(_, _, _, _ float64) { edges++ })
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) || edges != tt.edges {
				t.Errorf("got %d edges, %v, want %d, %q", edges, err, tt.edges, tt.want)
			}
			if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%v is neither of the two", err)
			}
		})
	}
}

// Edges come in order, also where a ring is longer than the buffer.
func TestLongRing(t *testing.T) {
	parts := []any{head, byte(1), 3, 1, 5001}
	for i := range 5000 {
		parts = append(parts, float64(i), -float64(i))
	}
	parts = append(parts, 0.0, 0.0)
	next := 0
	err := readGeometry(bytes.NewReader(blob(little, parts...)), func(x1, y1, x2, y2 float64) {
		if next++; x1 != float64(next-1) || y1 != -x1 || x2 != float64(next%5000) || y2 != -x2 {
			t.Fatalf("edge %d: %f, %f to %f, %f", next, x1, y1, x2, y2)
		}
	})
	if err != nil || next != 5000 {
		t.Errorf("got %d edges, %v, want 5000", next, err)
	}
}

func FuzzGeometry(f *testing.F) {
	f.Add(blob(little, head, byte(1), 6, 1, byte(1), 1003, 1, 1, 1.0, 2.0, 3.0))
	f.Add(blob(big, "GP\x00\x02\x00\x00\x08\x6a", 0.0, 2.0, 0.0, 1.0, byte(0), 3, 1, 2, 0.0, 0.0, 0.0, 0.0))
	f.Fuzz(func(t *testing.T, b []byte) {
		edges := 0
		err := readGeometry(bytes.NewReader(b), func(x1, y1, x2, y2 float64) {
			edges++
			for _, v := range []float64{x1, y1, x2, y2} {
				if v-v != 0 {
					t.Fatalf("an edge from %f, %f to %f, %f", x1, y1, x2, y2)
				}
			}
		})
		if edges > len(b)/16 {
			t.Errorf("%d edges of %d bytes, %v", edges, len(b), err)
		}
	})
}

// Any bytes are a file: the pages of a database, the header of an archive, JSON.
func FuzzOpen(f *testing.F) {
	for _, name := range strings.Fields("lzma lzma2 plain solid two encrypted") {
		f.Add(filetest.Read(f, "testdata/"+name+".7z"))
	}
	f.Add(filetest.Read(f, unpacked(f)))
	f.Add([]byte(collection))
	tmp := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		openAreas(filetest.New(t, "file", b), tmp)
		if len(b) > 32 {
			openAreas(filetest.New(t, "file.7z", archiveOf("", string(b[32:]))), tmp)
		}
	})
}

// archiveOf returns an archive whose header is right as far as checksums go.
func archiveOf(packed, header string) []byte {
	start := binary.LittleEndian.AppendUint64(nil, uint64(len(packed)))
	start = binary.LittleEndian.AppendUint64(start, uint64(len(header)))
	start = binary.LittleEndian.AppendUint32(start, crc32.ChecksumIEEE([]byte(header)))
	b := binary.LittleEndian.AppendUint32([]byte(signature7z+"\x00\x04"), crc32.ChecksumIEEE(start))
	return append(append(b, start...), packed+header...)
}
