package render

import (
	"crypto/sha256"
	"fmt"
	"image"
	"testing"
)

// detail returns a picture with edges and noise, whose upper half is transparent if it has alpha.
func detail(alpha bool) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 301, 203))
	state := uint32(1)
	for i := range m.Pix {
		state = state*1664525 + 1013904223
		x, y := i/4%301, i/4/301
		m.Pix[i] = uint8(x*y/40)&127 + uint8(state>>28) + uint8(i%4*20)
		if i%4 == 3 && (!alpha || y > 101) {
			m.Pix[i] = 255
		}
	}
	return m
}

// The builds with and without C write the same files. The digests are of the libwebp in C.
func TestEncodedAlike(t *testing.T) {
	for _, tt := range []struct {
		alpha   bool
		quality int
		want    string
	}{
		{false, quality, "6278d528f159d3349d10e99779078d0fb05dca4425ab033a38097fd3d032fa0c"},
		{false, minQuality, "2934ae003f01882360493e2ec6b0425704f13405dcf432fed2525a12db92cb8a"},
		{true, quality, "7d85bd4e079a2e24d57d0b79c4122018d40f5f483700abac274e415be064a18c"},
	} {
		t.Run(fmt.Sprint(tt.alpha, tt.quality), func(t *testing.T) {
			file, err := encodeWebP(detail(tt.alpha), tt.quality)
			must(t, err)
			if got := fmt.Sprintf("%x", sha256.Sum256(file)); got != tt.want {
				t.Errorf("%d bytes with the digest %s, want %s", len(file), got, tt.want)
			}
		})
	}
}
