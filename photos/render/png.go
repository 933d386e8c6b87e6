package render

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"io"

	"relais/photos/chunk"
	"relais/photos/icc"
)

// Colour types of PNG that matter here.
const (
	greyPNG    = 0
	rgbPNG     = 2
	palettePNG = 3
)

// readPNG reads the IHDR chunk (PNG, 11.2.2). Interlaced, the last pass has half of the pixels.
func (h *imageHeader) readPNG(data []byte) error {
	const most, interlaced, deepPNG = 1<<31 - 1, 1.5, 16
	for name, ihdr := range chunk.PNG(data) {
		if name != "IHDR" || len(ihdr) != 13 {
			break
		}
		w, height := binary.BigEndian.Uint32(ihdr), binary.BigEndian.Uint32(ihdr[4:])
		h.Width, h.Height, h.perPixel = int(min(w, most)), int(min(height, most)), 4
		if ihdr[8] == deepPNG {
			h.perPixel *= 2
		}
		if ihdr[12] != 0 {
			h.perPixel *= interlaced
		}
		return nil
	}
	return errors.New("it does not begin with its header")
}

// decodePNG decodes a file, also one that lacks only its end.
func decodePNG(data []byte) (image.Image, error) {
	plain, ended := plainPNG(data)
	m, err := png.Decode(bytes.NewReader(plain))
	if err != nil && !ended {
		return nil, errCutOff
	}
	return m, err
}

// plainPNG reduces a file to the chunks that make its picture, in the order that the decoder wants: it refuses
// files for what other decoders pass over, such as an empty animation, a suggested palette or an end that is
// missing. A tRNS that is damaged or does not fit does not count. ended reports whether the file has its end.
func plainPNG(data []byte) (out []byte, ended bool) {
	out = []byte(chunk.SignaturePNG)
	kind, colours := byte(0), 0
	var seen, seenTRNS, seenIDAT bool
	for name, whole := range chunk.WholePNG(data) {
		keep, body := false, whole[8:len(whole)-4]
		switch name {
		case "IHDR":
			if keep = !seen; keep && len(body) > 9 {
				seen, kind = true, body[9]
			}
		case "PLTE":
			if keep = kind == palettePNG && colours == 0; keep {
				colours = len(body) / 3
			}
		case "tRNS":
			keep = !seenTRNS && !seenIDAT && soundTRNS(kind, colours, body) && checked(whole)
			seenTRNS = seenTRNS || keep
		case "IDAT":
			keep, seenIDAT = true, true
		}
		if keep {
			out = append(out, whole...)
		}
		if ended = name == "IEND"; ended {
			break
		}
	}
	return append(out, "\x00\x00\x00\x00IEND\xae\x42\x60\x82"...), ended
}

// soundTRNS reports whether tRNS fits the colour type (PNG, 11.3.2.1).
func soundTRNS(kind byte, colours int, body []byte) bool {
	switch kind {
	case greyPNG:
		return len(body) == 2
	case rgbPNG:
		return len(body) == 6
	case palettePNG:
		return len(body) > 0 && len(body) <= colours
	}
	return false
}

// checked reports whether the checksum of a whole chunk is right.
func checked(whole []byte) bool {
	end := len(whole) - 4
	return crc32.ChecksumIEEE(whole[4:end]) == binary.BigEndian.Uint32(whole[end:])
}

// profilePNG reads the colour space of a PNG. Of the chunks that state one, cICP counts first, then iCCP, sRGB, and
// gAMA with or without cHRM (PNG, third edition, 4.3).
func profilePNG(data []byte) (*icc.Profile, error) {
	chunks := map[string][]byte{}
	for name, whole := range chunk.WholePNG(data) {
		if name == "IDAT" {
			break
		}
		if chunks[name] == nil && checked(whole) {
			chunks[name] = whole[8 : len(whole)-4]
		}
	}
	if c := chunks["cICP"]; len(c) == 4 && c[2] == 0 && c[3] == 1 {
		return icc.Coded(uint16(c[0]), uint16(c[1]))
	}
	if c := chunks["iCCP"]; c != nil {
		if p, err := icc.Parse(unpackICCP(c)); err == nil {
			return p, nil
		}
	}
	if g := chunks["gAMA"]; len(g) == 4 && chunks["sRGB"] == nil {
		p, _ := gammaPNG(binary.BigEndian.Uint32(g), chunks["cHRM"]) // nil for colours of no display
		return p, nil
	}
	return nil, nil
}

// unpackICCP unpacks an iCCP chunk (PNG, 11.3.3.3): a name, 0, the method 0, then zlib.
func unpackICCP(body []byte) []byte {
	_, packed, ok := bytes.Cut(body, []byte{0})
	if !ok || len(packed) < 2 {
		return nil
	}
	r, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(r, maxProfile))
	if err != nil {
		return nil
	}
	return profile
}

// gammaPNG returns the profile of a gAMA and perhaps a cHRM chunk, whose numbers are 100,000 times the values.
// sRGB is what 45455 without cHRM means in practice.
func gammaPNG(gamma uint32, chrm []byte) (*icc.Profile, error) {
	const one, ofSRGB = 100000, 45455
	if gamma == 0 || gamma == ofSRGB && chrm == nil {
		return nil, nil
	}
	c, _ := icc.Primaries(1)
	if len(chrm) == 32 {
		for i, xy := range []*[2]float64{&c.White, &c.Red, &c.Green, &c.Blue} {
			xy[0] = float64(binary.BigEndian.Uint32(chrm[8*i:])) / one
			xy[1] = float64(binary.BigEndian.Uint32(chrm[8*i+4:])) / one
		}
	}
	return icc.FromGamma(c, one/float64(gamma))
}
