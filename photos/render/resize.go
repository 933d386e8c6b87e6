package render

import (
	"image"
	"math"

	"github.com/disintegration/imaging"
)

// fit makes the largest picture whose sides are at most side, and that is not larger
// than src.
func fit(src image.Image, side int) *image.NRGBA {
	size := src.Bounds().Size()
	if long := max(size.X, size.Y); long > side {
		scale := float64(side) / float64(long)
		size.X, size.Y = scaled(size.X, scale), scaled(size.Y, scale)
	}
	return resize(src, size.X, size.Y)
}

func scaled(n int, scale float64) int { return max(1, int(math.Round(float64(n)*scale))) }

// cover makes a picture of the given size from the middle of main. If main would have to be
// enlarged, it uses src, which is main before it was reduced and turned.
func cover(main *image.NRGBA, src image.Image, turn orientation, width, height int) *image.NRGBA {
	size := main.Bounds().Size()
	if size.X >= width && size.Y >= height {
		return fill(main, width, height)
	}
	if turn.sideways() {
		width, height = height, width
	}
	return turn.apply(fill(src, width, height))
}

// fill cuts before it resizes. In the other order a long strip would become a huge picture.

func fill(src image.Image, width, height int) *image.NRGBA {
	b := src.Bounds()
	scale := min(float64(b.Dx())/float64(width), float64(b.Dy())/float64(height))
	w, h := min(scaled(width, scale), b.Dx()), min(scaled(height, scale), b.Dy())
	corner := b.Min.Add(image.Pt((b.Dx()-w)/2, (b.Dy()-h)/2))
	if sub, ok := src.(interface {
		SubImage(image.Rectangle) image.Image
	}); ok {
		src = sub.SubImage(image.Rectangle{corner, corner.Add(image.Pt(w, h))})
	}
	return resize(src, width, height)
}

func resize(src image.Image, width, height int) *image.NRGBA {
	if m, ok := src.(*image.YCbCr); ok {
		return resizeYCbCr(m, width, height)
	}
	return imaging.Resize(src, width, height, imaging.CatmullRom)
}
