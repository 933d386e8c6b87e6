package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

func pngHeader(w, h uint32, depth, kind, interlace byte) []byte {
	ihdr := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)...)
	ihdr = append(ihdr, depth, kind, 0, 0, interlace)
	file := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(ihdr))
}

func jpegHeader(marker byte, w, h uint16, sampling ...byte) []byte {
	file := append([]byte("\xff\xd8\xff\xff"), marker, 0, byte(8+3*len(sampling)), 8)
	file = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(file, h), w)
	file = append(file, byte(len(sampling)))
	for i, s := range sampling {
		file = append(file, byte(i+1), s, 0)
	}
	return append(file, "\xff\xda\x00\x0c"...)
}

// 120 megapixels or 600 MB: a byte a sample, 8 for a deep PNG's pixel, 5 for a progressive
// JPEG's sample.
func TestLimits(t *testing.T) {
	bmp60000 := append([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00"),
		"\x60\xea\x00\x00\x60\xea\x00\x00\x01\x00\x18\x00"...)
	bmp60000 = append(bmp60000, make([]byte, 24)...)
	forgedTIFF := []byte("II*\x00\x08\x00\x00\x00\x02\x00\x00\x01\x04\x00\x01\x00\x00\x00\x04\x00\x00\x00\x01\x01\x04\x00\xff\xff\xff\x0f\x04\x00\x00\x00\x00\x00\x00\x00")
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"PNG 60000²", pngHeader(60000, 60000, 8, 6, 0), ErrTooLarge},
		{"PNG 10800²", pngHeader(10800, 10800, 8, 6, 0), nil},
		{"PNG 10800², interlaced", pngHeader(10800, 10800, 8, 6, 1), ErrTooLarge},
		{"PNG 10800², deep", pngHeader(10800, 10800, 16, 6, 0), ErrTooLarge},
		{"PNG 8000², deep", pngHeader(8000, 8000, 16, 6, 0), nil},
		{"PNG 0", pngHeader(0, 10, 8, 6, 0), ErrUnsupported},
		{"JPEG of a telephone, 108 megapixels", jpegHeader(0xc0, 12000, 9000, 0x22, 0x11, 0x11), nil},
		{"the same, progressive", jpegHeader(0xc2, 12000, 9000, 0x22, 0x11, 0x11), ErrTooLarge},
		{"JPEG 65500²", jpegHeader(0xc0, 65500, 65500, 0x11), ErrTooLarge},
		{"JPEG, arithmetic", jpegHeader(0xc9, 10, 10, 0x11), ErrUnsupported},
		{"GIF 65535²", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"), ErrTooLarge},
		{"BMP 60000²", bmp60000, ErrTooLarge},
		{"WebP 16384²", []byte("RIFF\x16\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x10\x00\x00\x9d\x01\x2a\xff\x3f\xff\x3f"),
			ErrTooLarge},
		{"TIFF with forged counts", forgedTIFF, ErrUnsupported},
		{"nothing", nil, ErrUnsupported},
		{"HTML", []byte("<!DOCTYPE html><html><svg/></html>"), ErrUnsupported},
		{"HTML, then JPEG", append([]byte("<html>"), asJPEG(t, quarters(8, 8))...), ErrUnsupported},
	} {
		var err error
		if n := allocated(func() { _, err = sniff(c.file) }); n > 1<<20 {
			t.Errorf("%s: %d bytes were allocated, want at most 1 MiB", c.name, n)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: wrong error %v, want %v", c.name, err, c.want)
		}
	}
}

func TestSharedBombs(t *testing.T) {
	for _, path := range sharedImages(t, "made/bomb-*") {
		data := filetest.Read(t, path)
		var err error
		n := allocated(func() { _, err = Renderer{}.Render(context.Background(), data) })
		want, most := ErrTooLarge, uint64(1<<20)
		if strings.HasPrefix(filepath.Base(path), "bomb-frame") { // 5000², which is allowed, without its pixels
			want, most = ErrUnsupported, 100<<20
		}
		if !errors.Is(err, want) || n > most {
			t.Errorf("%s: %v, %d bytes, want %v and at most %d", filepath.Base(path), err, n, want, most)
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add(asJPEG(f, quarters(4, 4)))
	f.Add(asPNG(f, quarters(4, 4)))
	f.Add([]byte(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0,0 1e9 1" width="1e-3mm"/>`))
	f.Add(animation(f, image.Pt(4, 4), image.Pt(2, 2), quarters(2, 2)))
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x02\x00\x00\x01\x04\x00\x01\x00\x00\x00\x04\x00\x00\x00\x01\x01\x04\x00\xff\xff\xff\x0f\x04\x00\x00\x00"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x00\x10ftypheic\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := sniff(data)
		if err != nil && !typed(err) {
			t.Error(err)
		}
		if err == nil && (h.Width <= 0 || h.Height <= 0 || h.Width*h.Height > maxPixels) {
			t.Errorf("size of %+v, want 1 to MaxPixels pixels", h)
		}
		stillWebP(bytes.Clone(data))
		readScans(data)
		profilePNG(data)
	})
}
