//go:build !cgo && nodynamic

package render

import (
	"bytes"
	"image"

	"github.com/gen2brain/webp"
)

// encodeWebP runs the same libwebp as WebAssembly.
func encodeWebP(m *image.NRGBA, quality int) ([]byte, error) {
	var file bytes.Buffer
	err := webp.Encode(&file, m, webp.Options{Quality: quality, Method: webp.DefaultMethod})
	return file.Bytes(), err
}
