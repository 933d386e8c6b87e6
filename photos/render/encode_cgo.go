//go:build cgo

package render

import (
	"image"

	"github.com/chai2010/webp"
)

// encodeWebP passes straight alpha to libwebp, as it wants. The library would pass
// premultiplied colours; only the pixels of an RGBA are passed unchanged.
func encodeWebP(m *image.NRGBA, quality int) ([]byte, error) {
	file, err := webp.EncodeRGBA(&image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}, float32(quality))
	if err != nil {
		return nil, withoutMemory(err)
	}
	return file, nil
}
