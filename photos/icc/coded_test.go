package icc

import (
	"errors"
	"image"
	"image/color"
	"testing"
)

// Grey of HDR, as Chromium 156 shows it: a PNG with cICP 9/16/0/1 or 9/18/0/1.
func TestHDR(t *testing.T) {
	for _, tt := range []struct {
		name     string
		transfer uint16
		want     map[uint8]int
	}{
		{"PQ", transferPQ, map[uint8]int{0: 0, 32: 5, 64: 30, 96: 70, 128: 132, 148: 187, 160: 213, 176: 237, 192: 255, 255: 255}},
		{"HLG", transferHLG, map[uint8]int{0: 0, 32: 14, 64: 43, 128: 99, 160: 135, 192: 189, 208: 212, 224: 228, 255: 255}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Coded(9, tt.transfer)
			must(t, err)
			for from, want := range tt.want {
				if got := int(converted(p, color.NRGBA{from, from, from, 255}).R); got > want+4 || got+4 < want {
					t.Errorf("%d becomes %d, want %d", from, got, want)
				}
			}
		})
	}
}

// Display P3 by code points is what its ICC profile is: the colours are those of littleCMS.
func TestCodedP3(t *testing.T) {
	p, err := Coded(12, 13)
	must(t, err)
	for from, want := range map[color.NRGBA]color.NRGBA{
		{200, 30, 30, 255}: {218, 0, 6, 255}, {30, 180, 30, 255}: {0, 183, 0, 255}, {40, 40, 220, 255}: {39, 40, 229, 255},
	} {
		got := converted(p, from)
		for i, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
			if d < -3 || d > 3 {
				t.Errorf("channel %d of %v becomes %v, want %v", i, from, got, want)
			}
		}
	}
}

func converted(p *Profile, c color.NRGBA) color.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	m.SetNRGBA(0, 0, c)
	return p.Convert(m).NRGBAAt(0, 0)
}

func TestCodedUnknown(t *testing.T) {
	for _, codes := range [][2]uint16{{3, 13}, {10, 13}, {1, 3}, {1, 9}, {1, 10}, {1, 300}} {
		if _, err := Coded(codes[0], codes[1]); !errors.Is(err, ErrUnsupported) {
			t.Errorf("Coded(%v) = %v, want %v", codes, err, ErrUnsupported)
		}
	}
	for _, codes := range [][2]uint16{{1, 1}, {1, 13}, {2, 2}, {1, 6}} {
		if p, err := Coded(codes[0], codes[1]); p != nil || err != nil {
			t.Errorf("Coded(%v) = %v, %v; want nil, which is sRGB", codes, p, err)
		}
	}
}

// The parts of luminance that H.273 states for matrices follow from the primaries.
func TestLuma(t *testing.T) {
	for code, want := range map[uint16][2]float64{1: {0.2126, 0.0722}, 9: {0.2627, 0.0593}} {
		c, _ := Primaries(code)
		red, blue := c.Luma()
		if d := red - want[0]; d < -0.0005 || d > 0.0005 {
			t.Errorf("primaries %d: red = %.4f, want %.4f", code, red, want[0])
		}
		if d := blue - want[1]; d < -0.0005 || d > 0.0005 {
			t.Errorf("primaries %d: blue = %.4f, want %.4f", code, blue, want[1])
		}
	}
}
