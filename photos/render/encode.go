package render

import (
	"context"
	"fmt"
	"image"
)

// Qualities of libwebp, 0 to 100.
const (
	quality     = 80
	qualityStep = 10
	minQuality  = 10
)

// encode writes a WebP file with libwebp, which only ever reads pixels that this package has drawn.
func encode(ctx context.Context, m *image.NRGBA, quality int) (Picture, error) {
	if err := ctx.Err(); err != nil {
		return Picture{}, err
	}
	data, err := encodeWebP(m, quality)
	return Picture{WebP: data, Width: m.Rect.Dx(), Height: m.Rect.Dy()}, err
}

// withoutMemory is the error of libwebp, which fails for nothing else.
func withoutMemory(err error) error {
	return fmt.Errorf("%w: no memory is left to encode it: %w", ErrTooLarge, err)
}

// encodeBelow lowers the quality step by step until the file has fewer than so many bytes, or
// until the quality is the lowest.
func encodeBelow(ctx context.Context, m *image.NRGBA, bytes int) (Picture, error) {
	for q := quality; ; q -= qualityStep {
		p, err := encode(ctx, m, q)
		if err != nil || len(p.WebP) < bytes || q <= minQuality {
			return p, err
		}
	}
}
