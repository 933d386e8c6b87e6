package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"
)

// The error names what is not supported, and what to do.
func TestUnsupportedImageErrors(t *testing.T) {
	m := quarters(32, 32)
	jpg := asJPEG(t, m)
	frame := bytes.Index(jpg, []byte{0xff, 0xc0})
	changed := func(at int, with ...byte) []byte {
		b := bytes.Clone(jpg)
		copy(b[frame+at:], with)
		return b
	}
	tif := func(compression, photometric uint32) []byte {
		return tiffOf(make([]byte, 32*32*4), tag{256, 4, 32, nil}, tag{257, 4, 32, nil},
			tag{258, 3, 0, []byte{8, 0, 8, 0, 8, 0, 8, 0}}, tag{tagCompression, 3, compression, nil},
			tag{tagPhotometric, 3, photometric, nil}, tag{tagStrips, 4, 0, nil}, tag{277, 3, 4, nil},
			tag{278, 4, 32, nil}, tag{tagStripBytes, 4, 0, nil})
	}
	// Four channels without an Adobe marker, which would state their meaning.
	old := 2 + int(binary.BigEndian.Uint16(jpg[frame+2:]))
	four := append([]byte{0xff, 0xc0, 0, 20, 8, 0, 32, 0, 32, 4}, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0)
	noAdobe := slices.Concat(jpg[:frame], four, jpg[frame+old:])
	for _, tt := range []struct {
		name, words string
		file        []byte
	}{
		{"JPEG 2000 in TIFF", "compressed as JPEG 2000,", tif(34712, 2)},
		{"a TIFF of an unknown compression", "number 4711", tif(4711, 2)},
		{"linear raw in TIFF", "linear raw", tif(1, 34892)},
		{"a lossless JPEG", "lossless", changed(1, 0xc3)},
		{"an arithmetic JPEG", "arithmetic", changed(1, 0xc9)},
		{"a JPEG of 12 bits", "12 bits", changed(4, 12)},
		{"a JPEG of two channels", "2 channels", changed(9, 2)},
		{"a JPEG of another sampling", "sampled in an unusual way", changed(11, 0x32, 0, 2, 0x12)},
		{"a JPEG of four channels", "four channels", noAdobe},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := renderer.Render(context.Background(), tt.file)
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), tt.words) ||
				!strings.Contains(err.Error(), "save it as") {
				t.Errorf("error = %v, want ErrUnsupported with %q", err, tt.words)
			}
		})
	}
}

// A JPEG in CMYK is read without its profile, as Adobe's programs write it: inverted.
func TestCMYK(t *testing.T) {
	m := image.NewCMYK(image.Rect(0, 0, 2, 1))
	m.SetCMYK(0, 0, color.CMYK{C: 0, M: 200, Y: 200, K: 0})
	m.SetCMYK(1, 0, color.CMYK{C: 255, M: 255, Y: 255, K: 255})
	got := plain(m)
	for x, want := range []color.NRGBA{{255, 55, 55, 255}, {0, 0, 0, 255}} {
		if c := color.NRGBAModel.Convert(got.At(x, 0)).(color.NRGBA); !near(c, want, 1) {
			t.Errorf("pixel %d = %v, want %v", x, c, want)
		}
	}
}
