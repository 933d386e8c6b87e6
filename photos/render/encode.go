package render

import (
	"context"
	"fmt"
	"image"

	"github.com/chai2010/webp"
)

// Qualities of libwebp, 0 to 100.
const (
	quality     = 80
	qualityStep = 10
	minQuality  = 10
)

// encode writes straight alpha, which libwebp wants. The library would hand it
// premultiplied colours, and takes only the pixels of an RGBA as they are.
func encode(ctx context.Context, m *image.NRGBA, quality float32) (Picture, error) {
	if err := ctx.Err(); err != nil {
		return Picture{}, err
	}
	data, err := webp.EncodeRGBA(&image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}, quality)
	if err != nil { // libwebp fails for want of memory only
		return Picture{}, fmt.Errorf("%w: there is no memory left to encode it: %w", ErrTooLarge, err)
	}
	return Picture{WebP: data, Width: m.Rect.Dx(), Height: m.Rect.Dy()}, nil
}

// encodeBelow steps the quality down until the file has fewer bytes than that, or
// the quality is the least.
func encodeBelow(ctx context.Context, m *image.NRGBA, bytes int) (Picture, error) {
	for q := quality; ; q -= qualityStep {
		p, err := encode(ctx, m, float32(q))
		if err != nil || len(p.WebP) < bytes || q <= minQuality {
			return p, err
		}
	}
}
