package demo

import (
	"bytes"
	"image"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"relais/photos/render"
)

// Photos are of several sites, ShownSite first. Each says in words and in itself that it is drawn, in
// all its sizes. Drawings are the same each time.
func TestPhotos(t *testing.T) {
	f, err := NewFrance(2000)
	must(t, err)
	list := f.Photos()
	if !slices.Equal(list, f.Photos()) {
		t.Error("the same photos are drawn in two ways")
	}
	held, reported, sites, drawings := 0, 0, map[string]bool{}, map[string]bool{}
	for _, p := range list {
		if !strings.HasPrefix(p.Caption, "SYNTHETIC") || p.Operator == "" {
			t.Errorf("photo of %s: caption %q, operator %q", p.SiteKey, p.Caption, p.Operator)
		}
		sites[p.SiteKey], drawings[p.SVG] = true, true
		if p.Held {
			held++
		}
		if p.Report != "" {
			reported++
		}
	}
	if list[0].SiteKey != ShownSite || len(sites) < photographed || len(drawings) < drawnShown+2 || held != 2 || reported != 2 {
		t.Errorf("%d photos of %d sites, first of %s, %d drawings, %d held, %d reported", len(list), len(sites),
			list[0].SiteKey, len(drawings), held, reported)
	}
	res, err := render.Renderer{}.Render(t.Context(), []byte(list[0].SVG))
	must(t, err)
	for _, picture := range []render.Picture{res.Main, res.Thumbnail, res.OpenGraph} {
		m, err := webp.Decode(bytes.NewReader(picture.WebP))
		must(t, err)
		if n := whitish(m); n < 300 {
			t.Errorf("%d × %d: %d white points on the plate, want those of its letters", picture.Width, picture.Height, n)
		}
	}
}

// whitish counts the white points that follow black ones in the lower half of a picture.
func whitish(m image.Image) (n int) {
	b := m.Bounds()
	for y := b.Min.Y + b.Dy()/2; y < b.Max.Y; y++ {
		sinceDark := b.Dx()
		for x := b.Min.X; x < b.Max.X; x++ {
			red, green, blue, _ := m.At(x, y).RGBA()
			sinceDark++
			if max(red, green, blue)>>8 < 90 {
				sinceDark = 0
			}
			if min(red, green, blue)>>8 > 200 && sinceDark < 12 {
				n++
			}
		}
	}
	return n
}
