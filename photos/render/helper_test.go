package render

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"relais/internal/errtest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

var (
	red    = color.NRGBA{200, 30, 30, 255}
	green  = color.NRGBA{30, 180, 30, 255}
	blue   = color.NRGBA{40, 40, 220, 255}
	yellow = color.NRGBA{220, 210, 40, 255}
)

// quarters returns an image of red, green, blue and yellow quarters, in reading order.
func quarters(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, [2][2]color.NRGBA{{red, green}, {blue, yellow}}[2*y/h][2*x/w])
		}
	}
	return m
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}))
	return b.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, m))
	return b.Bytes()
}

// renderer is shared by all tests, so that its decoders are compiled once.
var renderer = New()

func rendered(t testing.TB, data []byte) *Result {
	t.Helper()
	res, err := renderer.Render(context.Background(), data)
	must(t, err)
	return res
}

// shown decodes a picture with libwebp, to straight alpha.
func shown(t testing.TB, p Picture) *image.NRGBA {
	t.Helper()
	m, err := libwebpDecode(p.WebP)
	must(t, err)
	if got := m.Rect.Size(); got != image.Pt(p.Width, p.Height) {
		t.Fatalf("size = %v, stated as %d × %d, want %v", got, p.Width, p.Height, image.Pt(p.Width, p.Height))
	}
	return m
}

func near(a, b color.NRGBA, most int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d > most || d < -most {
			return false
		}
	}
	return true
}

// corners asserts the colours in the middle of the quarters, in reading order.
func corners(t *testing.T, name string, m *image.NRGBA, want ...color.NRGBA) {
	t.Helper()
	w, h := m.Rect.Dx(), m.Rect.Dy()
	for i, c := range want {
		if got := m.NRGBAAt(w/4+i%2*w/2, h/4+i/2*h/2); !near(got, c, 12) {
			t.Errorf("%s: quarter %d = %v, want %v", name, i, got, c)
		}
	}
}

// typed reports whether an error is one of the package's.
func typed(err error) bool {
	return errors.Is(err, ErrTooLarge) || errors.Is(err, ErrUnsupported) || errors.Is(err, ErrHEIC)
}

// sharedImages are the paths of the shared test images that match.
func sharedImages(t testing.TB, patterns ...string) []string {
	t.Helper()
	var paths []string
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "images", pattern))
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		t.Skip("the shared images are not there")
	}
	return paths
}

// tool runs a program, or skips the test if it is not installed.
func tool(t testing.TB, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(name + " is not installed")
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s, want no error", name, err, out)
	}
	return string(out)
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
