//go:build !cgo

package render

import (
	"bytes"
	"image"

	"github.com/gen2brain/webp"
)

// libwebpDecode decodes with libwebp, to straight alpha. It gives the levels as they are coded.
func libwebpDecode(file []byte) (*image.NRGBA, error) {
	m, err := webp.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	y := m.(*image.NYCbCrA)
	fullRange(&y.YCbCr)
	return opaqueAside(y), nil
}

// libwebpLossless encodes without loss.
func libwebpLossless(m *image.NRGBA) ([]byte, error) {
	var file bytes.Buffer
	err := webp.Encode(&file, m, webp.Options{Lossless: true})
	return file.Bytes(), err
}
