package worker

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/webp"

	"relais/internal/tier"
	"relais/photos/render"
)

func newRenderer(t *testing.T, o Options) *Pool {
	t.Helper()
	o.Program, o.Log = []string{os.Args[0], command, "render"}, slog.New(slog.DiscardHandler)
	p := New(o)
	t.Cleanup(p.Close)
	return p
}

func TestRender(t *testing.T) {
	tier.Slow(t)
	p := newRenderer(t, Options{Deadline: time.Minute}) // on a slow machine under the race detector
	var file bytes.Buffer
	m := image.NewNRGBA(image.Rect(0, 0, 2400, 1200))
	for i := range m.Pix {
		m.Pix[i] = uint8(i / 7)
	}
	must(t, png.Encode(&file, m))
	r, err := p.Render(context.Background(), "a", bytes.NewReader(file.Bytes()), int64(file.Len()))
	must(t, err)
	for _, tt := range []struct {
		name string
		got  render.Picture
		want image.Point
	}{
		{"main", r.Main, image.Pt(1920, 960)},
		{"thumbnail", r.Thumbnail, image.Pt(400, 400)},
		{"Open Graph", r.OpenGraph, image.Pt(1200, 630)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := webp.DecodeConfig(bytes.NewReader(tt.got.WebP))
			if err != nil || image.Pt(c.Width, c.Height) != tt.want ||
				image.Pt(tt.got.Width, tt.got.Height) != tt.want {
				t.Errorf("%s has %d×%d, says %d×%d, want %v; %v", tt.name, c.Width, c.Height, tt.got.Width,
					tt.got.Height, tt.want, err)
			}
		})
	}
	if r.Format != render.PNG || r.Rotation != 0 || r.Exif.Position != nil {
		t.Errorf("wrong result: %v, turned by %d, %+v, want %v, 0 and no Position", r.Format, r.Rotation, r.Exif,
			render.PNG)
	}
}

// The kinds of failure are kept, and the worker survives each.
func TestRenderFailures(t *testing.T) {
	p := newRenderer(t, Options{})
	for _, tt := range []struct {
		name string
		file string
		want error
	}{
		{"empty", "", render.ErrUnsupported},
		{"text", "no image", render.ErrUnsupported},
		{"half a PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x09\x00\x00\x00\x09\x08\x00\x00\x00\x00",
			render.ErrUnsupported},
		{"large", "BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x60\xea\x00\x00\x60\xea\x00\x00\x01\x00\x18\x00" + strings.Repeat("\x00", 24), render.ErrTooLarge},
		{"HEIC", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", render.ErrHEIC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := p.Render(context.Background(), "a", strings.NewReader(tt.file),
				int64(len(tt.file))); !errors.Is(err, tt.want) || errors.Is(err, errFault) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := p.Render(context.Background(), "a", strings.NewReader(""), maxInput+1); !errors.Is(err,
		render.ErrTooLarge) {
		t.Errorf("a file over the limit: error = %v, want render.ErrTooLarge", err)
	}
	if len(p.idle) != 1 {
		t.Errorf("%d workers are idle, want 1", len(p.idle))
	}
}

// An image that kills its worker cannot be read.
func TestRenderFault(t *testing.T) {
	var file bytes.Buffer
	must(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, 3000, 3000))))
	p := newRenderer(t, Options{Deadline: time.Millisecond})
	if _, err := p.Render(context.Background(), "a", bytes.NewReader(file.Bytes()), int64(file.Len())); !errors.Is(err,
		render.ErrUnsupported) || !errors.Is(err, errFault) {
		t.Errorf("wrong error %v, want render.ErrUnsupported and ErrFault", err)
	}
}
