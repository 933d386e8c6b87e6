package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"

	"golang.org/x/image/webp"

	"relais/photos/avif"
	"relais/photos/bmp"
	"relais/photos/tiff"
)

// guarded runs a decoder and returns its panic as an error.
func guarded[T any](decode func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	return decode()
}

// decode decodes the file to one of the image types that resizing handles fast and safely.

func (r Renderer) decode(ctx context.Context, h imageHeader, data []byte) (image.Image, error) {
	return guarded(func() (image.Image, error) {
		m, err := r.decoder(ctx, h, data)
		if err != nil {
			return nil, err
		}
		if m.Bounds().Empty() {
			return nil, errors.New("the image has no pixels")
		}
		return plain(m), nil
	})
}

func (r Renderer) decoder(ctx context.Context, h imageHeader, data []byte) (image.Image, error) {
	switch h.Format {
	case JPEG:
		return decodeJPEG(data)
	case PNG:
		return decodePNG(data)
	case WebP:
		return decodeWebP(data)
	case GIF:
		m, err := gif.Decode(bytes.NewReader(onScreen(data))) // the first frame only
		if err != nil {
			return nil, err
		}
		return onCanvas(plain(m), image.Pt(h.Width, h.Height)), nil
	case BMP:
		f, err := bmp.Parse(data)
		if err != nil {
			return nil, err
		}
		return f.Decode()
	case TIFF:
		f, err := tiff.Parse(data)
		if err != nil {
			return nil, err
		}
		return f.Decode(ctx, decodeWebP)
	case HEIC, HEIF:
		return decodeHEIC(ctx, data)
	case AVIF:
		if r.AVIF == nil {
			return nil, errors.New("this build has no decoder for AVIF")
		}
		m, err := r.AVIF(ctx, data)
		if err != nil {
			return nil, err
		}
		return m, nil
	case SVG:
		return decodeSVG(h, data)
	}
	return nil, fmt.Errorf("no decoder for %q", h.Format)
}

func decodeWebP(data []byte) (image.Image, error) {
	f, canvas, err := stillWebP(data)
	if err != nil {
		return nil, err
	}
	m, err := webp.Decode(bytes.NewReader(f.file))
	if err != nil {
		return nil, err
	}
	switch y := m.(type) {
	case *image.YCbCr:
		fullRange(y)
	case *image.NYCbCrA:
		fullRange(&y.YCbCr)
	}
	if size := m.Bounds().Size(); canvas == (image.Point{}) || canvas == size {
		return m, nil
	}
	return onCanvas(moved{plain(m), f.at}, canvas), nil
}

// moved is an image at another place.
type moved struct {
	image.Image
	by image.Point
}

func (m moved) Bounds() image.Rectangle { return m.Image.Bounds().Add(m.by) }
func (m moved) At(x, y int) color.Color { return m.Image.At(x-m.by.X, y-m.by.Y) }

// onCanvas puts the image on a transparent canvas, unless it fills the canvas.
func onCanvas(m image.Image, canvas image.Point) image.Image {
	whole := image.Rectangle{Max: canvas}
	if m.Bounds() == whole {
		return m
	}
	out := image.NewNRGBA(whole)
	draw.Draw(out, m.Bounds(), m, m.Bounds().Min, draw.Src)
	return out
}

// plain converts the types that resizing has no fast path for, and paletted images,
// whose indexes a decoder may leave beyond the palette.
func plain(m image.Image) image.Image {
	switch m := m.(type) {
	case *avif.Picture, *image.NRGBA, *image.NRGBA64, *image.RGBA, *image.RGBA64, *image.Gray, *image.Gray16, *image.YCbCr:
		return m
	case *image.Paletted:
		return unpaletted(m)
	case *image.NYCbCrA:
		return opaqueAside(m)
	}
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, out.Rect.Min, draw.Src)
	return out
}

func unpaletted(m *image.Paletted) *image.NRGBA {
	var palette [256]color.NRGBA
	for i, c := range m.Palette[:min(len(m.Palette), len(palette))] {
		palette[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	out := image.NewNRGBA(m.Rect)
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:m.Rect.Dx()]
		to := out.Pix[y*out.Stride:][:4*len(row)]
		for x, i := range row {
			c := palette[i]
			to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = c.R, c.G, c.B, c.A
		}
	}
	return out
}

// opaqueAside converts to straight alpha: the colours are not multiplied by it.
func opaqueAside(m *image.NYCbCrA) *image.NRGBA {
	out := image.NewNRGBA(m.Rect)
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		to := out.Pix[out.PixOffset(m.Rect.Min.X, y):]
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			luma, chroma := m.YOffset(x, y), m.COffset(x, y)
			to[0], to[1], to[2] = color.YCbCrToRGB(m.Y[luma], m.Cb[chroma], m.Cr[chroma])
			to[3] = m.A[m.AOffset(x, y)]
			if len(to) > 4 {
				to = to[4:]
			}
		}
	}
	return out
}
