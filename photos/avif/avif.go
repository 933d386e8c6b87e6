// Package avif decodes still AVIF pictures. dav1d, compiled to WebAssembly and run by
// wazero, decodes their AV1. It has one block of memory of bounded size, and the only
// function that it can call asks whether to go on. Boxes, colours, grids, alpha and transforms are Go.
//
// Pictures are decoded as they are to be shown, in the colours of their own primaries
// and transfer: a Picture states them, but they and ICC profiles are not applied. Of a sequence,
// the primary item is decoded.
package avif

import (
	"context"
	"errors"
	"fmt"
	"image"

	"relais/photos/heif"
)

// Errors of Decode. Any other error, except the context's, is
// a failure of this package.
var (
	// errDamaged says that the bytes are not a valid picture.
	errDamaged = errors.New("avif: damaged")
	// ErrUnsupported says that the picture looks sound, but that this package cannot decode it.
	ErrUnsupported = errors.New("avif: not supported")
	// ErrTooLarge says that the picture has too many pixels or needs too much memory.
	ErrTooLarge = errors.New("avif: too large")
)

// A Picture has straight alpha, and its corner at 0, 0.
type Picture struct {
	*image.NRGBA
	Color heif.Color // as the file states it, else its AV1
}

// Decode returns the primary picture of a file: straight alpha, 8 bits, with its crop,
// rotation and mirroring applied, and its corner at 0, 0. The stated size is
// checked before anything is decoded. When the context is done, decoding stops at the
// next row of superblocks, and the error is the context's.
func (d *Decoder) Decode(ctx context.Context, data []byte) (*Picture, error) {
	f, err := heif.Parse(data)
	if err != nil {
		return nil, wrap(err)
	}
	primary := f.Primary()
	if codec := f.Codec(); codec != "av01" {
		return nil, fmt.Errorf("%w: items of type %q (primary %q)", ErrUnsupported, codec, primary.Type)
	}
	pixels, err := f.Pixels()
	if err != nil {
		return nil, wrap(err)
	}
	if pixels > d.maxPixels {
		return nil, fmt.Errorf("%w: %d pixels, at most %d", ErrTooLarge, pixels, d.maxPixels)
	}
	m, err := d.machine(ctx)
	if err != nil {
		return nil, err
	}
	defer m.close()
	p, err := m.picture(primary)
	if err != nil {
		return nil, err
	}
	if err := m.alpha(primary, p.NRGBA); err != nil {
		return nil, err
	}
	p.NRGBA, err = Transform(ctx, p.NRGBA, primary.Transforms)
	return p, err
}

// wrap converts an error of package heif to one of this package.
func wrap(err error) error {
	if errors.Is(err, heif.ErrUnsupported) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// picture decodes a coded item or a grid, without its alpha and its transforms.
func (m *machine) picture(it *heif.Item) (*Picture, error) {
	if it.Type == "grid" {
		return m.grid(it)
	}
	return m.coded(it, it.Color)
}

// coded decodes one AV1 item. colour, unless nil, overrides the colour that the AV1 states.
func (m *machine) coded(it *heif.Item, colour *heif.Color) (*Picture, error) {
	switch {
	case it.Type != "av01":
		return nil, fmt.Errorf("%w: item %d is of type %q", ErrUnsupported, it.ID, it.Type)
	case it.Unknown != "":
		return nil, fmt.Errorf("%w: item %d needs property %q", ErrUnsupported, it.ID, it.Unknown)
	case it.Width == 0 || it.Height == 0:
		return nil, fmt.Errorf("%w: item %d states no size", errDamaged, it.ID)
	}
	data, err := it.Data()
	if err != nil {
		return nil, wrap(err)
	}
	frame, err := m.decode(data, it.Width, it.Height)
	if err != nil {
		return nil, fmt.Errorf("item %d: %w", it.ID, err)
	}
	defer m.release()
	if colour != nil {
		frame.colour = *colour
	}
	img, err := frame.convert()
	return &Picture{img, frame.colour}, err
}

// grid decodes the tiles of a grid one after the other.
func (m *machine) grid(it *heif.Item) (*Picture, error) {
	g, err := it.Grid()
	if err != nil {
		return nil, wrap(err)
	}
	first := g.Tiles[0]
	w, h := uint64(first.Width), uint64(first.Height)
	switch {
	case it.Unknown != "":
		return nil, fmt.Errorf("%w: item %d needs property %q", ErrUnsupported, it.ID, it.Unknown)
	case w*uint64(g.Columns) < uint64(g.Width) || h*uint64(g.Rows) < uint64(g.Height):
		return nil, fmt.Errorf("%w: %d × %d tiles of %d × %d do not cover %d × %d", errDamaged, g.Columns, g.Rows, w, h,
			g.Width, g.Height)
	case uint64(g.Width)*uint64(g.Height) > m.maxPixels:
		return nil, fmt.Errorf("%w: %d × %d pixels", ErrTooLarge, g.Width, g.Height)
	}
	for _, tile := range g.Tiles {
		if tile.Width != first.Width || tile.Height != first.Height {
			return nil, fmt.Errorf("%w: tiles %d and %d differ in size", errDamaged, tile.ID, first.ID)
		}
	}
	p := &Picture{NRGBA: image.NewNRGBA(image.Rect(0, 0, int(g.Width), int(g.Height)))}
	for i, tile := range g.Tiles {
		colour := it.Color
		if colour == nil {
			colour = tile.Color
		}
		part, err := m.coded(tile, colour)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.Color = part.Color
		}
		drawTile(p.NRGBA, part.NRGBA, i%g.Columns*int(w), i/g.Columns*int(h))
	}
	return p, nil
}

// drawTile copies the part of a tile that is inside the image.
func drawTile(img, tile *image.NRGBA, x, y int) {
	if x >= img.Rect.Dx() {
		return
	}
	for row := 0; row < tile.Rect.Dy() && y+row < img.Rect.Dy(); row++ {
		copy(img.Pix[(y+row)*img.Stride:][:img.Stride][4*x:], tile.Pix[row*tile.Stride:][:tile.Stride])
	}
}

// alpha decodes the opacity of an item, if it has any, into its picture. The grey of
// the alpha item is the opacity.
func (m *machine) alpha(it *heif.Item, img *image.NRGBA) error {
	a, premultiplied := it.Alpha()
	if a == nil {
		return nil
	}
	if sized := *a; a.Width == 0 { // some writers leave it out
		sized.Width, sized.Height = it.Width, it.Height
		a = &sized
	}
	grey, err := m.picture(a)
	if err != nil {
		return err
	}
	if grey.Rect != img.Rect {
		return fmt.Errorf("%w: the alpha is %v, the picture %v", ErrUnsupported, grey.Rect.Size(), img.Rect.Size())
	}
	for i := 0; i < len(img.Pix); i += 4 {
		opacity := grey.Pix[i+1]
		img.Pix[i+3] = opacity
		if premultiplied {
			straighten(img.Pix[i:i+3:i+3], uint32(opacity))
		}
	}
	return nil
}

// straighten divides premultiplied colours by their opacity.
func straighten(rgb []byte, opacity uint32) {
	for i, c := range rgb {
		if opacity == 0 {
			rgb[i] = 0
		} else {
			rgb[i] = byte(min(255, (uint32(c)*255+opacity/2)/opacity))
		}
	}
}
