package avif

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
)

var limits = Limits{Pixels: 20_000_000, Memory: 512 << 20}

// compiled is shared by all tests: compiling takes ten seconds under the race detector.
var compiled = sync.OnceValues(func() (*Decoder, error) { return NewDecoder(context.Background(), limits) })

func decoder(t testing.TB) *Decoder {
	t.Helper()
	d, err := compiled()
	errtest.Must(t, err)
	return d
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	return filetest.Read(t, "testdata/"+name+".avif")
}

var (
	red    = color.NRGBA{200, 30, 40, 255}
	green  = color.NRGBA{40, 180, 60, 255}
	blue   = color.NRGBA{50, 60, 190, 255}
	yellow = color.NRGBA{220, 210, 50, 255}
)

// grey returns the luma of BT.601, which avifenc used.
func grey(c color.NRGBA) color.NRGBA {
	y := uint8(0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B) + 0.5)
	return color.NRGBA{y, y, y, 255}
}

func clear(c color.NRGBA) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, 102} }

// quarters are the colours of the upper left, upper right, lower left and lower right.
type quarters [4]color.NRGBA

// The files are of testdata/make.sh, and their colours those that are written there:
// they are a few levels off where 4:2:0 or a little opacity costs precision.
func TestDecode(t *testing.T) {
	d := decoder(t)
	plain := quarters{red, green, blue, yellow}
	for _, c := range []struct {
		name   string
		size   image.Point
		cross  image.Point // where the lower right quarter begins
		want   quarters
		within int
	}{
		{"420", image.Pt(65, 43), image.Pt(33, 22), plain, 3},
		{"422", image.Pt(65, 43), image.Pt(33, 22), plain, 3},
		{"444", image.Pt(65, 43), image.Pt(33, 22), plain, 2},
		{"grey", image.Pt(65, 43), image.Pt(33, 22), quarters{grey(red), grey(green), grey(blue), grey(yellow)}, 2},
		{"identity", image.Pt(65, 43), image.Pt(33, 22), plain, 0},
		{"unspecified", image.Pt(65, 43), image.Pt(33, 22), plain, 2},
		{"alpha", image.Pt(65, 43), image.Pt(33, 22), quarters{clear(red), green, clear(blue), yellow}, 2},
		{"premultiplied", image.Pt(65, 43), image.Pt(33, 22), quarters{clear(red), green, clear(blue), yellow}, 4},
		{"grid", image.Pt(256, 128), image.Pt(128, 64), plain, 3},
		// Cut to 48 × 40 from 4, 2; turned against the clock; left and right swapped.
		{"turned", image.Pt(40, 48), image.Pt(20, 19), quarters{yellow, green, blue, red}, 3},
	} {
		img, err := d.Decode(t.Context(), read(t, c.name))
		if err != nil {
			t.Errorf("%s: %v, want no error", c.name, err)
			continue
		}
		if img.Rect != (image.Rectangle{Max: c.size}) || img.Stride != 4*c.size.X ||
			len(img.Pix) != 4*c.size.X*c.size.Y {
			t.Errorf("%s: wrong size: %v, stride %d, %d bytes, want %v, %d and %d", c.name, img.Rect, img.Stride,
				len(img.Pix), image.Rectangle{Max: c.size}, 4*c.size.X, 4*c.size.X*c.size.Y)
			continue
		}
		for y := range c.size.Y {
			for x := range c.size.X {
				if dx, dy := x-c.cross.X, y-c.cross.Y; dx >= -4 && dx < 4 || dy >= -4 && dy < 4 {
					continue // edges ring
				}
				i := 0
				if x >= c.cross.X {
					i++
				}
				if y >= c.cross.Y {
					i += 2
				}
				if got := img.NRGBAAt(x, y); maxDifference(got, c.want[i]) > c.within {
					t.Fatalf("%s: colour at %d, %d = %v, want %v", c.name, x, y, got, c.want[i])
				}
			}
		}
	}
}

// maxDifference returns the largest difference of the colours' channels.
func maxDifference(a, b color.NRGBA) int {
	most := 0
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		most = max(most, d, -d)
	}
	return most
}

func TestErrors(t *testing.T) {
	d := decoder(t)
	whole := read(t, "420")
	change := func(old, new string) []byte { return bytes.Replace(whole, []byte(old), []byte(new), 1) }
	for _, c := range []struct {
		name string
		data []byte
		is   error
		want string
	}{
		{"nothing", nil, errDamaged, "ftyp"},
		{"end", whole[:len(whole)-40], errDamaged, "states 111 bytes"},
		{"another codec", change("infe\x02\x00\x00\x00\x00\x01\x00\x00av01",
			"infe\x02\x00\x00\x00\x00\x01\x00\x00hvc1"), ErrUnsupported, "hvc1"},
		{"another brand", change("ftypavif\x00\x00\x00\x00avifmif1miafMA1B",
			"ftypXvif\x00\x00\x00\x00XvifXif1XiafXA1B"), ErrUnsupported, "Xvif"},
		{"unknown property", change("av1C", "av1X"), ErrUnsupported, "av1X"},
		{"matrix", change("nclx\x00\x01\x00\x0d\x00\x06", "nclx\x00\x01\x00\x0d\x00\x0b"), ErrUnsupported, "matrix 11"},
		{"size", change("\x00\x00\x00\x41\x00\x00\x00\x2b", "\x00\x00\x00\x41\x00\x00\x00\x2c"), errDamaged, "stated"},
		{"smaller", change("\x00\x00\x00\x41\x00\x00\x00\x2b", "\x00\x00\x00\x01\x00\x00\x00\x01"), errDamaged,
			"dav1d: error 68"}, // ERANGE
		{"too large", change("\x00\x00\x00\x41\x00\x00\x00\x2b", "\x00\x00\xff\xff\x00\x00\xff\xff"), ErrTooLarge,
			"4294836225 pixels"},
	} {
		if bytes.Equal(c.data, whole) {
			t.Errorf("%s: the file of the test was not changed", c.name)
		}
		img, err := d.Decode(t.Context(), c.data)
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.want) || img != nil {
			t.Errorf("%s: error = %v, want %q", c.name, err, c.want)
		}
	}
	small := *d
	small.maxPixels = 65*43 - 1
	if _, err := small.Decode(t.Context(), whole); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one pixel over the limit: error = %v, want ErrTooLarge", err)
	}
	if _, err := d.Decode(t.Context(), whole); err != nil {
		t.Errorf("decode after the errors: %v", err)
	}
}

// A picture that needs more memory than the limit is too large.
func TestMemory(t *testing.T) {
	tier.Slow(t)
	d, err := NewDecoder(t.Context(), Limits{Pixels: 2048 * 1024, Memory: 4 << 20})
	errtest.Must(t, err)
	if _, err := d.Decode(t.Context(), read(t, "large")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error = %v, want %v", err, ErrTooLarge)
	}
	if err := d.runtime.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestContext(t *testing.T) {
	d := decoder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Decode(ctx, read(t, "420")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error = %v, want context.Canceled", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := d.Decode(ctx, read(t, "large")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the deadline: error = %v, want context.DeadlineExceeded", err)
	}
	if _, err := d.Decode(t.Context(), read(t, "large")); err != nil {
		t.Errorf("decode afterwards: %v", err)
	}
}

// The artefact matches the committed digest.
func TestDigest(t *testing.T) {
	line := filetest.Read(t, "codec/dav1d.sha256")
	if want := fmt.Sprintf("%x  dav1d.wasm.gz\n", sha256.Sum256(dav1d)); string(line) != want {
		t.Errorf("dav1d.sha256 is %q, want %q", line, want)
	}
}
