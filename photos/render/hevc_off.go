//go:build !nodynamic

package render

import (
	"errors"
	"image"
)

// Without the tag the library would load whatever libheif the host has, outside of any
// sandbox and as soon as it is imported.
const sandboxed = false

func decodeHEVC([]byte) (image.Image, error) {
	return nil, errors.New("this build has no HEIC decoder: it needs the tag nodynamic")
}
