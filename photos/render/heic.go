package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"

	"relais/photos/avif"
	"relais/photos/heif"
)

// decodeHEIC decodes the file as it is. If that fails, or would leave out the opacity, it
// decodes piece by piece.
func decodeHEIC(ctx context.Context, data []byte) (image.Image, error) {
	f, err := heif.Parse(data)
	if err != nil {
		return nil, err
	}
	primary := f.Primary()
	switch codec := f.Codec(); codec {
	case "hvc1", "hev1":
	case "":
		return nil, fmt.Errorf("a picture of the kind %q is not supported: save it as JPEG", primary.Type)
	default:
		return nil, fmt.Errorf("the codec %q is not supported: save the image as JPEG", codec)
	}
	if alpha, _ := primary.Alpha(); alpha == nil && wide(primary) {
		if m, err := decodeWhole(data); err == nil {
			return coloured(m, primary)
		}
	}
	return decodeInPieces(ctx, primary)
}

// wide reports whether the picture is wide enough for the decoder in every rotation.
func wide(it *heif.Item) bool {
	return it.Width >= minHEIC && it.Height >= minHEIC && !cropped(it)
}

func cropped(it *heif.Item) bool {
	for _, t := range it.Transforms {
		if _, ok := t.(heif.Crop); ok {
			return true
		}
	}
	return false
}

// decodeWhole gives every file the major brand heic, because the decoder refuses others. A
// HEIF file with HEVC pictures may have mif1 first.
func decodeWhole(data []byte) (image.Image, error) {
	data = bytes.Clone(data)
	copy(data[8:], "heic") // the major brand, behind the size and the type of ftyp
	return guarded(func() (image.Image, error) { return decodeHEVC(data) })
}

// coloured converts what the decoder has left as it is coded: another matrix than that of BT.601, and limited
// range, if the item states them.
func coloured(m image.Image, it *heif.Item) (image.Image, error) {
	y, ok := m.(*image.YCbCr)
	c := it.Coding()
	if !ok || c == nil {
		return m, nil
	}
	switch c.Matrix {
	case 2, 5, 6:
		if !c.FullRange {
			fullRange(y)
		}
		return y, nil
	}
	return avif.Convert(y, *c)
}

// decodeInPieces decodes the coded pictures without their properties, and applies opacity and
// transforms itself.
func decodeInPieces(ctx context.Context, primary *heif.Item) (image.Image, error) {
	y, err := decodeItem(primary)
	if err != nil {
		return nil, err
	}
	colours, err := coloured(y, primary)
	if err != nil {
		return nil, err
	}
	alpha, premultiplied := primary.Alpha()
	if alpha == nil && len(primary.Transforms) == 0 {
		return colours, nil
	}
	m := image.NewNRGBA(image.Rectangle{Max: y.Rect.Size()})
	draw.Draw(m, m.Rect, colours, colours.Bounds().Min, draw.Src)
	if alpha != nil {
		opacity, err := decodeItem(alpha)
		if err != nil {
			return nil, fmt.Errorf("its opacity: %w", err)
		}
		if opacity.Rect.Size() != y.Rect.Size() {
			return nil, errors.New("its opacity and its colours differ in size: save it as PNG")
		}
		setOpacity(m, opacity, premultiplied)
	}
	return avif.Transform(ctx, m, primary.Transforms)
}

// decodeItem decodes a picture without its opacity and its transforms.
func decodeItem(it *heif.Item) (*image.YCbCr, error) {
	if it.Unknown != "" {
		return nil, fmt.Errorf("it needs the property %q, which is not supported: save it as JPEG", it.Unknown)
	}
	g, err := tiled(it)
	if err != nil {
		return nil, err
	}
	size := image.Rect(0, 0, int(g.Width), int(g.Height))
	if size.Empty() {
		return nil, errors.New("it states no size")
	}
	if g, err = widened(g); err != nil {
		return nil, err
	}
	file, err := heicFile(g)
	if err != nil {
		return nil, err
	}
	m, err := guarded(func() (image.Image, error) { return decodeHEVC(file) })
	if err != nil {
		return nil, fmt.Errorf("%w: if other programs show it, save it as JPEG", err)
	}
	y, ok := m.(*image.YCbCr)
	if !ok || !size.In(y.Rect) {
		return nil, fmt.Errorf("its pictures are of an unknown kind (%T, %v): save it as JPEG", m, m.Bounds())
	}
	return y.SubImage(size).(*image.YCbCr), nil
}

// setOpacity sets the opacity of m to the luma of opacity.
func setOpacity(m *image.NRGBA, opacity *image.YCbCr, premultiplied bool) {
	for y := range m.Rect.Dy() {
		row, from := m.Pix[y*m.Stride:], opacity.Y[y*opacity.YStride:]
		for x := range m.Rect.Dx() {
			a := from[x]
			row[4*x+3] = a
			if !premultiplied {
				continue
			}
			for i := range 3 {
				if c := &row[4*x+i]; a > 0 {
					*c = uint8(min(255, (int(*c)*255+int(a)/2)/int(a)))
				}
			}
		}
	}
}
