//go:build !cgo && nodynamic

package render

import (
	"bytes"
	"image"

	"github.com/gen2brain/webp"
)

// encodeWebP runs the same version of libwebp as WebAssembly, on a picture whose rows have no gaps. A sandbox is of one
// picture, and its memory is the process's.
func encodeWebP(m *image.NRGBA, quality int) ([]byte, error) {
	var file bytes.Buffer
	if err := webp.Encode(&file, m, webp.Options{Quality: quality, Method: webp.DefaultMethod}); err != nil {
		return nil, withoutMemory(err)
	}
	return file.Bytes(), nil
}
