package render

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
)

// readGIF reads the size of the canvas.
func (h *imageHeader) readGIF(data []byte) error {
	c, err := guarded(func() (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(onScreen(data))) })
	h.Width, h.Height, h.perPixel = c.Width, c.Height, 5 // the frame's index and the canvas
	return err
}

// onScreen makes the screen of a GIF large enough for its first frame, as browsers do: the decoder refuses it
// otherwise (GIF89a, 18 to 20).
func onScreen(data []byte) []byte {
	const screen, imageHead = 6, 10
	frame := firstFrame(data)
	if len(frame) < imageHead {
		return data
	}
	size := func(b []byte) int { return int(binary.LittleEndian.Uint16(b)) }
	w, h := size(frame[1:])+size(frame[5:]), size(frame[3:])+size(frame[7:])
	if w <= size(data[screen:]) && h <= size(data[screen+2:]) || max(w, h) > 1<<16-1 {
		return data
	}
	out := bytes.Clone(data)
	binary.LittleEndian.PutUint16(out[screen:], uint16(max(w, size(data[screen:]))))
	binary.LittleEndian.PutUint16(out[screen+2:], uint16(max(h, size(data[screen+2:]))))
	return out
}

// firstFrame returns the file from the first image descriptor on, or nil.
func firstFrame(data []byte) []byte {
	const head, extension, descriptor = 13, 0x21, 0x2c
	if len(data) < head {
		return nil
	}
	rest := data[head:]
	if flags := data[10]; flags&0x80 != 0 { // a table of colours
		rest = rest[min(3<<(1+flags&7), len(rest)):]
	}
	for len(rest) > 2 && rest[0] == extension {
		rest = rest[2:]
		for len(rest) > 0 && rest[0] != 0 {
			rest = rest[min(1+int(rest[0]), len(rest)):]
		}
		rest = rest[min(1, len(rest)):]
	}
	if len(rest) == 0 || rest[0] != descriptor {
		return nil
	}
	return rest
}
