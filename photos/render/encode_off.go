//go:build !cgo && !nodynamic

package render

import (
	"errors"
	"image"
)

// Without the tag the library would load whatever libwebp the host has.
func encodeWebP(*image.NRGBA, int) ([]byte, error) {
	return nil, errors.New("this build does not write WebP: it needs cgo or the tag nodynamic")
}
