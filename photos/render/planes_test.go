package render

import (
	"fmt"
	"image"
	"testing"

	"github.com/disintegration/imaging"
)

// The library is the reference, on colours that are stored for every pixel.
func TestResizeYCbCr(t *testing.T) {
	for _, c := range []struct{ w, h, toW, toH int }{{200, 150, 97, 73}, {200, 150, 200, 60}, {31, 17, 200, 150},
		{5, 300, 1, 60}, {1, 1, 40, 30}, {64, 64, 64, 64}} {
		m := image.NewYCbCr(image.Rect(0, 0, c.w, c.h), image.YCbCrSubsampleRatio444)
		for y := range c.h {
			for x := range c.w {
				i := m.YOffset(x, y)
				m.Y[i], m.Cb[i], m.Cr[i] = uint8(60+x%20*4+y/3), uint8(100+x/5), uint8(110+y/5)
			}
		}
		want := imaging.Resize(m, c.toW, c.toH, imaging.CatmullRom)
		if d := difference(resizeYCbCr(m, c.toW, c.toH), want); d > 1 {
			t.Errorf("%+v: mean difference = %.2f levels, want at most 1", c, d)
		}
	}
}

// Every subsampling, and a part whose corner is odd.
func TestResizeSubsampled(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio422,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410} {
		for _, part := range []image.Rectangle{image.Rect(0, 0, 101, 75), image.Rect(33, 11, 82, 64),
			image.Rect(100, 74, 101, 75)} {
			m := image.NewYCbCr(image.Rect(0, 0, 101, 75), ratio)
			for i := range m.Y {
				m.Y[i] = uint8(i % 101)
			}
			for i := range m.Cb {
				m.Cb[i], m.Cr[i] = 90, 160
			}
			sub := m.SubImage(part)
			want := imaging.Resize(sub, 40, 30, imaging.CatmullRom)
			if d := difference(resize(sub, 40, 30), want); d > 1 {
				t.Errorf("%v: mean difference = %.2f levels, want at most 1", fmt.Sprint(ratio, part), d)
			}
		}
	}
}
