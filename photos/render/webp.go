package render

import (
	"encoding/binary"
	"errors"
	"image"
	"iter"

	"relais/photos/chunk"
)

// A frame is a WebP file of one still picture, and where on the canvas it belongs.
type frame struct {
	file []byte
	at   image.Point
}

// stillWebP reduces a WebP file to its first picture (WebP container
// specification: VP8X, ANMF): the decoder refuses animations, and flags that do not
// match the chunks. The canvas is zero if the file states none.
func stillWebP(data []byte) (f frame, canvas image.Point, err error) {
	for name, body := range chunk.RIFF(data, "WEBP") {
		switch {
		case name == "VP8X" && len(body) >= 10:
			canvas = image.Pt(1+uint24(body[4:]), 1+uint24(body[7:]))
		case name == "ANMF" && len(body) >= 16:
			f.at = image.Pt(2*uint24(body), 2*uint24(body[3:]))
			f.file, err = stillFile(image.Pt(1+uint24(body[6:]), 1+uint24(body[9:])), chunk.Chunks(body[16:]))
			return f, canvas, err
		case name == "VP8 ", name == "VP8L", name == "ALPH":
			f.file, err = stillFile(canvas, chunk.RIFF(data, "WEBP"))
			return f, canvas, err
		}
	}
	if len(data) >= 8 && uint64(binary.LittleEndian.Uint32(data[4:])) > uint64(len(data)-8) {
		return f, canvas, errCutOff
	}
	return f, canvas, errors.New("it has no picture")
}

// stillFile writes the first picture of the chunks, with the size unless it is zero.
func stillFile(size image.Point, chunks iter.Seq2[string, []byte]) ([]byte, error) {
	var alpha []byte
	for name, body := range chunks {
		switch name {
		case "ALPH":
			alpha = body
		case "VP8 ", "VP8L":
			file := []byte("RIFF\x00\x00\x00\x00WEBP")
			if size != (image.Point{}) {
				var vp8x [10]byte
				if alpha != nil && name == "VP8 " {
					vp8x[0] = 0x10 // has alpha
				}
				binary.LittleEndian.PutUint32(vp8x[3:], uint32(size.X-1)<<8)
				binary.LittleEndian.PutUint16(vp8x[7:], uint16(size.Y-1))
				vp8x[9] = byte((size.Y - 1) >> 16)
				file = appendChunk(file, "VP8X", vp8x[:])
				if vp8x[0] != 0 {
					file = appendChunk(file, "ALPH", alpha)
				}
			}
			file = appendChunk(file, name, body)
			binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
			return file, nil
		}
	}
	return nil, errors.New("it has no picture")
}

func appendChunk(file []byte, name string, body []byte) []byte {
	file = binary.LittleEndian.AppendUint32(append(file, name...), uint32(len(body)))
	file = append(file, body...)
	return append(file, make([]byte, len(body)%2)...)
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// fullRange spreads the levels of video (ITU-R BT.601: 16 to 235, colours to 240), which a
// lossy WebP always has and its decoder keeps, to the full range of an image.YCbCr.
func fullRange(m *image.YCbCr) {
	var luma, chroma [256]uint8
	for i := range 256 {
		luma[i] = level(float64(i-16) * 255 / 219)
		chroma[i] = level(float64(i-128)*255/224 + 128)
	}
	for i, v := range m.Y {
		m.Y[i] = luma[v]
	}
	for i, v := range m.Cb {
		m.Cb[i] = chroma[v]
	}
	for i, v := range m.Cr {
		m.Cr[i] = chroma[v]
	}
}

func level(v float64) uint8 { return uint8(min(max(v+0.5, 0), 255)) }
