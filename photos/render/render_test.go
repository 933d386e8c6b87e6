package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"relais/internal/tier"
	"relais/photos/avif"
	"relais/photos/heif"
)

// withExif puts an Exif segment that has only an orientation behind a JPEG's first bytes.
func withExif(file []byte, orientation int) []byte {
	app1 := "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" +
		string(rune(orientation)) + "\x00\x00\x00\x00\x00\x00"
	return append(append(append([]byte{}, file[:2]...), app1...), file[2:]...)
}

// The stored picture is 60 × 40, red and green above blue and yellow. The expected pictures follow
// from the definition of the values (TIFF 6.0, Orientation: where row 0 and column 0 are).
func TestOrientation(t *testing.T) {
	tier.Slow(t)
	file := asJPEG(t, quarters(60, 40))
	for _, want := range []struct {
		orientation, degrees int
		colors               []color.NRGBA
	}{
		{1, 0, []color.NRGBA{red, green, blue, yellow}},
		{2, 0, []color.NRGBA{green, red, yellow, blue}},
		{3, 180, []color.NRGBA{yellow, blue, green, red}},
		{4, 180, []color.NRGBA{blue, yellow, red, green}},
		{5, 270, []color.NRGBA{red, blue, green, yellow}},
		{6, 90, []color.NRGBA{blue, red, yellow, green}},
		{7, 90, []color.NRGBA{yellow, green, blue, red}},
		{8, 270, []color.NRGBA{green, yellow, red, blue}},
		{9, 0, []color.NRGBA{red, green, blue, yellow}},
	} {
		res := rendered(t, withExif(file, want.orientation))
		if res.Rotation != want.degrees {
			t.Errorf("orientation %d: wrong turn of %d degrees, want %d", want.orientation, res.Rotation, want.degrees)
		}
		w, h := 60, 40
		if 5 <= want.orientation && want.orientation <= 8 {
			w, h = 40, 60
		}
		if res.Main.Width != w || res.Main.Height != h {
			t.Errorf("orientation %d: main = %d × %d, want %d × %d", want.orientation, res.Main.Width,
				res.Main.Height, w, h)
		}
		for _, tt := range []struct {
			name string
			p    Picture
		}{
			{"main", res.Main},
			{"thumbnail", res.Thumbnail},
			{"open graph", res.OpenGraph},
		} {
			t.Run(tt.name, func(t *testing.T) {
				corners(t, fmt.Sprint(want.orientation, " ", tt.name), shown(t, tt.p), want.colors...)
			})
		}
	}
}

func TestSizes(t *testing.T) {
	tier.Slow(t)
	for _, c := range []struct{ w, h, mainW, mainH int }{
		{1, 1, 1, 1}, {1920, 700, 1920, 700}, {2400, 600, 1920, 480}, {500, 2000, 480, 1920},
		{6000, 1, 1920, 1}, {3, 9000, 1, 1920},
	} {
		res := rendered(t, asPNG(t, quarters(c.w, c.h)))
		if res.Main.Width != c.mainW || res.Main.Height != c.mainH {
			t.Errorf("%d × %d: main = %d × %d, want %d × %d", c.w, c.h, res.Main.Width, res.Main.Height, c.mainW,
				c.mainH)
		}
		if p := res.Thumbnail; p.Width != 400 || p.Height != 400 {
			t.Errorf("%d × %d: thumbnail = %d × %d, want 400 × 400", c.w, c.h, p.Width, p.Height)
		}
		if p := res.OpenGraph; p.Width != 1200 || p.Height != 630 {
			t.Errorf("%d × %d: open graph = %d × %d, want 1200 × 630", c.w, c.h, p.Width, p.Height)
		}
		if c.w > 3 {
			corners(t, fmt.Sprint(c), shown(t, res.OpenGraph), red, green)
		}
		for _, p := range []Picture{res.Main, res.Thumbnail, res.OpenGraph} {
			shown(t, p)
		}
	}
}

// Each format that the standard library or x/image writes.
func TestFormats(t *testing.T) {
	m := quarters(80, 60)
	palette := image.NewPaletted(m.Rect, color.Palette{red, green, blue, yellow})
	for y := range 60 {
		for x := range 80 {
			palette.Set(x, y, m.At(x, y))
		}
	}
	var g, b, tf bytes.Buffer
	for _, err := range []error{gif.Encode(&g, palette, nil), bmp.Encode(&b, m), tiff.Encode(&tf, m, nil)} {
		must(t, err)
	}
	deep := image.NewNRGBA64(m.Rect)
	for y := range 60 {
		for x := range 80 {
			deep.Set(x, y, m.At(x, y))
		}
	}
	for _, tt := range []struct {
		want Format
		file []byte
	}{{JPEG, asJPEG(t, m)}, {PNG, asPNG(t, deep)}, {GIF, g.Bytes()}, {BMP, b.Bytes()}, {TIFF, tf.Bytes()}} {
		t.Run(string(tt.want), func(t *testing.T) {
			res := rendered(t, tt.file)
			if res.Format != tt.want || res.Main.Width != 80 || res.Main.Height != 60 {
				t.Errorf("format = %s of %d × %d, want %s", res.Format, res.Main.Width, res.Main.Height, tt.want)
			}
			corners(t, string(tt.want), shown(t, res.Main), red, green, blue, yellow)
			for n := 0; n < len(tt.file); n += 1 + len(tt.file)/40 {
				if _, err := (Renderer{}).Render(context.Background(), tt.file[:n]); err != nil && !typed(err) {
					t.Errorf("%s cut at %d: error = %v, want one of the package's", tt.want, n, err)
				}
			}
		})
	}
}

func TestAlphaStaysStraight(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 600, 600))
	for i := 0; i < len(m.Pix); i += 4 {
		copy(m.Pix[i:], []uint8{200, 100, 50, 128})
	}
	res := rendered(t, asPNG(t, m))
	for _, p := range []Picture{res.Main, res.Thumbnail, res.OpenGraph} {
		if got := shown(t, p).NRGBAAt(p.Width/2, p.Height/2); !near(got, color.NRGBA{200, 100, 50, 128}, 4) ||
			got.A < 126 || got.A > 130 {
			t.Errorf("colour = %v, want about {200 100 50 128}", got)
		}
	}
}

// A paletted BMP whose pixels lie outside its palette.
func TestIndexOutsidePalette(t *testing.T) {
	m := image.NewPaletted(image.Rect(0, 0, 64, 64), make(color.Palette, 256))
	for i := range m.Palette {
		m.Palette[i] = color.RGBA{A: 255}
	}
	for i := range m.Pix {
		m.Pix[i] = 200
	}
	m.Palette = m.Palette[:2]
	if got := unpaletted(m).NRGBAAt(1, 1); got != (color.NRGBA{}) {
		t.Errorf("colour outside the palette = %v, want transparent", got)
	}
}

func TestQualityStepsDown(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 400, 400))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.Uint32()) | uint8(i&3/3*255)
	}
	at80, err := encode(context.Background(), m, quality)
	must(t, err)
	below, err := encodeBelow(context.Background(), m, len(at80.WebP)*2/3)
	if err != nil || len(below.WebP) >= len(at80.WebP)*2/3 {
		t.Errorf("%d bytes, %v; want less than two thirds of %d", len(below.WebP), err, len(at80.WebP))
	}
	least, err := encodeBelow(context.Background(), m, 1)
	if err != nil || len(least.WebP) == 0 || len(least.WebP) > len(below.WebP) {
		t.Errorf("at the lowest quality: %d bytes, %v; want at most %d", len(least.WebP), err, len(below.WebP))
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Renderer{}).Render(ctx, asPNG(t, quarters(9, 9))); err != context.Canceled {
		t.Error(err)
	}
}

func TestAVIFPlugsIn(t *testing.T) {
	box := func(kind, body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8))) + kind + body
	}
	full := func(kind, body string) string { return box(kind, "\x00\x00\x00\x00"+body) }
	file := []byte(box("ftyp", "avif\x00\x00\x00\x00avifmif1") + full("meta",
		full("hdlr", "\x00\x00\x00\x00pict\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")+
			full("pitm", "\x00\x01")+
			full("iloc", "\x44\x40\x00\x00")+
			full("iinf", "\x00\x01"+box("infe", "\x02\x00\x00\x00\x00\x01\x00\x00av01\x00"))+
			box("iprp", box("ipco", full("ispe", "\x00\x00\x00\x50\x00\x00\x00\x3c")+box("irot", "\x03"))+
				full("ipma", "\x00\x00\x00\x01\x00\x01\x02\x01\x82"))))
	if _, err := (Renderer{}).Render(context.Background(), file); !typed(err) {
		t.Error(err)
	}
	r := Renderer{AVIF: func(context.Context, []byte) (*avif.Picture, error) {
		return &avif.Picture{NRGBA: quarters(60, 80), Color: heif.Color{Primaries: 1, Transfer: 13}}, nil
	}}
	res, err := r.Render(context.Background(), file)
	must(t, err)
	if res.Format != AVIF || res.Rotation != 90 || res.Main.Width != 60 {
		t.Errorf("%s, %d degrees, %d wide; want AVIF, 90, 60", res.Format, res.Rotation, res.Main.Width)
	}
}
