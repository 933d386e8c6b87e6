package bmp

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	xbmp "golang.org/x/image/bmp"
)

// written is a BMP of x/image's writer.
func written(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := xbmp.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every cut of a file ends in an error, or in the whole picture where only padding is missing.
func TestCut(t *testing.T) {
	m := image.NewPaletted(image.Rect(0, 0, 7, 5), color.Palette{color.White, color.Black})
	file := written(t, m)
	for n := range len(file) - 1 {
		f, err := Parse(file[:n])
		if err == nil {
			_, err = f.Decode()
		}
		if err == nil {
			t.Errorf("%d of %d bytes are read, want an error", n, len(file))
		}
	}
}

func FuzzDecode(f *testing.F) {
	m := image.NewPaletted(image.Rect(0, 0, 7, 5), color.Palette{color.White, color.Black})
	file := written(f, m)
	f.Add(file)
	f.Add(written(f, image.NewNRGBA(m.Rect)))
	for compression, bits := range map[byte]byte{rle8: 8, rle4: 4, bitFields: 16} {
		changed := bytes.Clone(file)
		changed[28], changed[30] = bits, compression
		f.Add(changed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := Parse(data)
		if err != nil || parsed.Width > 4096 || parsed.Height > 4096 {
			return
		}
		if m, err := parsed.Decode(); err == nil && m.Rect.Size() != image.Pt(parsed.Width, parsed.Height) {
			t.Errorf("size = %v, want %d × %d", m.Rect, parsed.Width, parsed.Height)
		}
	})
}
