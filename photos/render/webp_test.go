package render

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"testing"

	"relais/photos/chunk"
)

// animation is a WebP file with a first frame at a place on a canvas, and a second one.
func animation(t testing.TB, canvas, at image.Point, m *image.NRGBA) []byte {
	t.Helper()
	still, err := encodeWebP(m, 90)
	must(t, err)
	threeBytes := func(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n))[:3] }
	file := []byte("RIFF\x00\x00\x00\x00WEBP")
	file = appendChunk(file, "VP8X",
		bytes.Join([][]byte{{0x12, 0, 0, 0}, threeBytes(canvas.X - 1), threeBytes(canvas.Y - 1)}, nil))
	file = appendChunk(file, "ANIM", make([]byte, 6))
	for _, at := range []image.Point{at, {}} {
		body := bytes.Join([][]byte{threeBytes(at.X / 2), threeBytes(at.Y / 2), threeBytes(m.Rect.Dx() - 1),
			threeBytes(m.Rect.Dy() - 1), {100, 0, 0, 0}}, nil)
		for name, part := range chunk.RIFF(still, "WEBP") {
			if name != "VP8X" {
				body = appendChunk(body, name, part)
			}
		}
		file = appendChunk(file, "ANMF", body)
	}
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

func TestAnimatedWebP(t *testing.T) {
	none := color.NRGBA{}
	for _, tt := range []struct {
		name string
		m    *image.NRGBA
	}{
		{"lossy", quarters(50, 40)},
		{"with alpha", quarters(50, 40)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			colors := []color.NRGBA{red, green, blue, yellow}
			if tt.name == "with alpha" {
				for y := range 20 {
					for x := range 25 {
						tt.m.SetNRGBA(x, y, color.NRGBA{200, 30, 30, 100})
					}
				}
				colors[0].A = 100
			}
			res := rendered(t, animation(t, image.Pt(100, 80), image.Pt(50, 40), tt.m))
			if res.Format != WebP || res.Main.Width != 100 || res.Main.Height != 80 {
				t.Fatalf("main = %s, %d × %d; want WebP, 100 × 80", res.Format, res.Main.Width, res.Main.Height)
			}
			shownMain := shown(t, res.Main)
			for i, at := range []image.Point{{25, 20}, {75, 20}, {25, 60}} {
				if got := shownMain.NRGBAAt(at.X, at.Y); got.A != none.A {
					t.Errorf("alpha of quarter %d = %v, want that of %v", i, got, none)
				}
			}
			lower := image.NewNRGBA(image.Rect(0, 0, 50, 40))
			for y := range 40 {
				for x := range 50 {
					lower.SetNRGBA(x, y, shownMain.NRGBAAt(50+x, 40+y))
				}
			}
			corners(t, tt.name, lower, colors...)
		})
	}
	if _, err := sniff(animation(t, image.Pt(60, 60), image.Pt(50, 40), quarters(50, 40))); !typed(err) {
		t.Errorf("frame beyond the canvas: error = %v, want one of the package's", err)
	}
}

// A lossy WebP has the levels of video; libwebp's own decoder is the reference.
func TestLevels(t *testing.T) {
	for _, c := range []color.NRGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, red, blue, {255, 0, 0, 255}} {
		m := image.NewNRGBA(image.Rect(0, 0, 32, 32))
		for i := 0; i < len(m.Pix); i += 4 {
			copy(m.Pix[i:], []uint8{c.R, c.G, c.B, c.A})
		}
		file, err := encodeWebP(m, 90)
		must(t, err)
		want := shown(t, Picture{WebP: file, Width: 32, Height: 32}).NRGBAAt(16, 16)
		got, err := decodeWebP(file)
		must(t, err)
		if got := color.NRGBAModel.Convert(got.At(16, 16)).(color.NRGBA); !near(got, want, 3) {
			t.Errorf("colour = %v, want %v as libwebp has", got, want)
		}
	}
}
