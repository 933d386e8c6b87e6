package tiff

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	xtiff "golang.org/x/image/tiff"

	"relais/internal/errtest"
)

// written is a TIFF of x/image's writer: 40 × 30, red rising to the right, green downwards.
func written(t testing.TB, compression xtiff.CompressionType) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for y := range 30 {
		for x := range 40 {
			m.SetNRGBA(x, y, color.NRGBA{uint8(6 * x), uint8(8 * y), 100, 255})
		}
	}
	var b bytes.Buffer
	errtest.Must(t, xtiff.Encode(&b, m, &xtiff.Options{Compression: compression}))
	return b.Bytes()
}

// with changes the number of a field of a little-endian TIFF.
func with(t testing.TB, file []byte, tag uint16, value uint32) []byte {
	t.Helper()
	file = bytes.Clone(file)
	at := binary.LittleEndian.Uint32(file[4:])
	for i := range uint32(binary.LittleEndian.Uint16(file[at:])) {
		entry := file[at+2+12*i:]
		if binary.LittleEndian.Uint16(entry) == tag {
			binary.LittleEndian.PutUint16(entry[2:], 4)
			binary.LittleEndian.PutUint32(entry[4:], 1)
			binary.LittleEndian.PutUint32(entry[8:], value)
			return file
		}
	}
	t.Fatalf("the file of the test has no tag %d", tag)
	return nil
}

func decode(data []byte) (*image.NRGBA, error) {
	f, err := Parse(data)
	if err != nil {
		return nil, err
	}
	if f.Memory() > 64<<20 {
		return nil, errors.New("too large for the test")
	}
	return f.Decode(context.Background(), func([]byte) (image.Image, error) { return nil, errors.New("no WebP here") })
}

func TestDecode(t *testing.T) {
	for name, compression := range map[string]xtiff.CompressionType{"none": xtiff.Uncompressed, "deflate": xtiff.Deflate} {
		t.Run(name, func(t *testing.T) {
			m, err := decode(written(t, compression))
			errtest.Must(t, err)
			if got, want := m.NRGBAAt(20, 10), (color.NRGBA{120, 80, 100, 255}); got != want || m.Rect.Dx() != 40 {
				t.Errorf("pixel of %v = %v, want %v", m.Rect, got, want)
			}
		})
	}
}

// Damaged files and what is not decoded end in an error that names it.
func TestErrors(t *testing.T) {
	file := written(t, xtiff.Deflate)
	plain := written(t, xtiff.Uncompressed)
	for _, tt := range []struct {
		name, words string
		unsupported bool
		file        []byte
	}{
		{"nothing", "no complete directory", false, nil},
		{"cut directory", "no complete directory", false, file[:len(file)-40]},
		{"directory beyond the end", "no complete directory", false, append([]byte("II*\x00\xff\xff\xff\xff"), file[8:]...)},
		{"no width", "0 × 30 pixels", false, with(t, file, tagWidth, 0)},
		{"wide", "pixels", false, with(t, file, tagWidth, 1<<31)},
		{"strip beyond the end", "lacks a part", false, with(t, plain, tagStripOffsets, 1<<30)},
		{"short strip", "lacks a part", false, with(t, plain, tagStripByteCounts, 40*29*4)},
		{"short packed strip", "lacks a part", false, with(t, file, tagStripByteCounts, 30)},
		{"no zlib", "zlib", false, with(t, file, tagStripOffsets, 0)},
		{"too few strips", "lacks a part", false, with(t, file, tagRowsPerStrip, 7)},
		{"strips without rows", "without rows", false, with(t, file, tagRowsPerStrip, 0)},
		{"colours of nothing", "does not state", false, with(t, file, tagPhotometric, 77)},
		{"channels", "more than 16 channels", true, with(t, file, tagSamples, 1<<20)},
		{"too few channels", "2 channels, its colours need 3", false, with(t, file, tagSamples, 2)},
		{"no palette", "palette of 0 numbers", false, with(t, file, tagPhotometric, paletted)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := decode(tt.file)
			var unsupported UnsupportedError
			if !strings.Contains(fmt.Sprint(err), tt.words) || errors.As(err, &unsupported) != tt.unsupported {
				t.Errorf("error = %v (%T), want %q, unsupported: %v", err, err, tt.words, tt.unsupported)
			}
		})
	}
}

// Memory counts a tile that is larger than its picture.
func TestMemory(t *testing.T) {
	f, err := Parse(written(t, xtiff.Uncompressed))
	errtest.Must(t, err)
	f.block.width, f.block.height = 60000, 60000
	if got := f.Memory(); got < 60000*60000*4 {
		t.Errorf("memory = %.0f, want at least that of a tile", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, compression := range []xtiff.CompressionType{xtiff.Uncompressed, xtiff.Deflate} {
		file := written(f, compression)
		f.Add(file)
		for _, c := range []uint32{group3, group4, lzwCoded, jpegCoded, packBits, zstdCoded} {
			f.Add(with(f, file, tagCompression, c))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if err == nil && m.Rect.Empty() {
			t.Error("a picture without pixels, want an error")
		}
	})
}
