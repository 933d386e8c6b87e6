package avif

import (
	"context"
	"fmt"
	"image"
	"math/big"

	"relais/photos/heif"
)

// Transform applies the transforms of an item in order (ISO/IEC 23008-12, 6.5.1).

func Transform(ctx context.Context, img *image.NRGBA, steps []heif.Transform) (*image.NRGBA, error) {
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch step := step.(type) {
		case heif.Rotation:
			img = rotate(img, int(step))
		case heif.Mirror:
			img = mirror(img, step.LeftRight)
		case heif.Crop:
			part := cropped(img.Rect, step)
			if part.Empty() {
				return nil, fmt.Errorf("%w: the crop leaves nothing", errDamaged)
			}
			img = remap(img, part.Dx(), part.Dy(), func(x, y int) (int, int) { return part.Min.X + x, part.Min.Y + y })
		}
	}
	return img, nil
}

// remap returns a picture whose pixel at x, y is that of img at from(x, y). From one
// pixel of a row to the next, from goes the same way.
func remap(img *image.NRGBA, w, h int, from func(x, y int) (int, int)) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	at := func(x, y int) int { return img.PixOffset(from(x, y)) }
	step := 0
	if w > 1 {
		step = at(1, 0) - at(0, 0)
	}
	for y := range h {
		source := at(0, y)
		row := out.Pix[y*out.Stride:][:4*w]
		if step == 4 {
			copy(row, img.Pix[source:])
			continue
		}
		for ; len(row) > 0; row = row[4:] {
			*(*[4]byte)(row) = *(*[4]byte)(img.Pix[source:])
			source += step
		}
	}
	return out
}

// rotate turns by quarters counterclockwise.
func rotate(img *image.NRGBA, quarters int) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	switch quarters {
	case 1:
		return remap(img, h, w, func(x, y int) (int, int) { return w - 1 - y, x })
	case 2:
		return remap(img, w, h, func(x, y int) (int, int) { return w - 1 - x, h - 1 - y })
	case 3:
		return remap(img, h, w, func(x, y int) (int, int) { return y, h - 1 - x })
	}
	return img
}

func mirror(img *image.NRGBA, leftRight bool) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if leftRight {
		return remap(img, w, h, func(x, y int) (int, int) { return w - 1 - x, y })
	}
	return remap(img, w, h, func(x, y int) (int, int) { return x, h - 1 - y })
}

// cropped returns what a crop leaves of a picture. If its edges are not those of
// pixels, its corner and its size are rounded down, as libheif does.
func cropped(r image.Rectangle, c heif.Crop) image.Rectangle {
	left, w := span(r.Dx(), c.Width, c.X)
	top, h := span(r.Dy(), c.Height, c.Y)
	return image.Rect(left, top, left+w, top+h).Intersect(r)
}

// span is a crop in one direction: the centre is off by offset from that of size
// pixels. What does not fit into an image is cut to it.
func span(size int, length, offset heif.Fraction) (start, n int) {
	whole := big.NewRat(int64(size), 1)
	l, first := big.NewRat(length.N, length.D), big.NewRat(offset.N, offset.D)
	first.Add(first, whole.Mul(whole.Sub(whole, l), big.NewRat(1, 2)))
	return int(floor(first)), int(floor(l))
}

func floor(r *big.Rat) int64 {
	return new(big.Int).Div(r.Num(), r.Denom()).Int64() // Euclidean: down, the denominator being positive
}
