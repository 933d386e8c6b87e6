package render

import (
	"encoding/binary"
	"errors"
	"image/jpeg"

	"relais/photos/chunk"
)

// readJPEG estimates the decoder's memory from the frame header (ITU-T T.81, B.2.2): a byte
// for each sample, four bytes more in a progressive image, and four for each pixel where
// it converts CMYK and RGB.
func (h *imageHeader) readJPEG(data []byte) error {
	for marker, sof := range chunk.JPEG(data) {
		if marker < 0xc0 || marker > 0xc2 {
			continue // baseline, extended, progressive: the others are not decoded
		}
		if len(sof) < 6 || len(sof) < 6+3*int(sof[5]) {
			return errors.New("its frame header is cut off")
		}
		samples := samplesPerPixel(sof[6 : 6+3*int(sof[5])])
		perPixel := samples
		if marker == 0xc2 {
			perPixel += 4 * samples
		}
		if samples >= 3 {
			perPixel += 4
		}
		if err := h.config(data, jpeg.DecodeConfig, perPixel); err != nil {
			return err
		}
		if h.Height != int(binary.BigEndian.Uint16(sof[1:])) || h.Width != int(binary.BigEndian.Uint16(sof[3:])) {
			return errors.New("it has two frame headers")
		}
		return nil
	}
	return errors.New("it has no frame header of a kind that is decoded")
}

// samplesPerPixel sums the components' samples by their sampling factors.
func samplesPerPixel(components []byte) float64 {
	samples, most := 0, 1
	for i := 0; i < len(components); i += 3 {
		n := int(components[i+1]>>4) * int(components[i+1]&15)
		samples += n
		most = max(most, n)
	}
	return float64(samples) / float64(most)
}
