//go:build cgo

package render

import (
	"image"

	"github.com/chai2010/webp"
)

// libwebpDecode decodes with libwebp, to straight alpha.
func libwebpDecode(file []byte) (*image.NRGBA, error) {
	m, err := webp.DecodeRGBA(file)
	if err != nil {
		return nil, err
	}
	return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}, nil
}

// libwebpLossless encodes without loss.
func libwebpLossless(m *image.NRGBA) ([]byte, error) { return webp.EncodeLosslessRGBA(m) }
