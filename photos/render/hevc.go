//go:build nodynamic

package render

import (
	"bytes"
	"image"

	"github.com/gen2brain/heic"
)

// sandboxed reports whether HEIC is decoded, as WebAssembly.
const sandboxed = true

func decodeHEVC(data []byte) (image.Image, error) { return heic.Decode(bytes.NewReader(data)) }
