package render

import (
	"bytes"
	"compress/zlib"
	"io"

	"relais/photos/bmp"
	"relais/photos/chunk"
	"relais/photos/heif"
	"relais/photos/icc"
	"relais/photos/tiff"
)

// maxProfile is how many bytes a colour profile may have. Those of displays have 500 to
// 4,000.
const maxProfile = 4 << 20

// profileOf reads the colour profile of a file. nil means sRGB; it is also returned for a
// profile that cannot be read.
func profileOf(format Format, data []byte) *icc.Profile {
	var profile []byte
	switch format {
	case JPEG:
		profile = profileJPEG(data)
	case PNG:
		profile = profilePNG(data)
	case WebP:
		for name, body := range chunk.RIFF(data, "WEBP") {
			if name == "ICCP" {
				profile = body
				break
			}
		}
	case BMP:
		if f, err := bmp.Parse(data); err == nil {
			profile = f.Profile
		}
	case TIFF:
		if f, err := tiff.Parse(data); err == nil {
			profile = f.Profile
		}
	case HEIC, HEIF, AVIF:
		if f, err := heif.Parse(data); err == nil {
			profile = f.Primary().Profile()
		}
	}
	p, err := icc.Parse(profile)
	if err != nil {
		return nil
	}
	return p
}

// profileJPEG joins the parts in APP2 segments (ICC.1:2010, B.4).
func profileJPEG(data []byte) []byte {
	const app2, name = 0xe2, "ICC_PROFILE\x00"
	parts := map[byte][]byte{}
	count := 0
	for marker, body := range chunk.JPEG(data) {
		if marker == app2 && bytes.HasPrefix(body, []byte(name)) && len(body) > len(name)+2 {
			parts[body[len(name)]] = body[len(name)+2:]
			count = int(body[len(name)+1])
		}
	}
	var whole []byte
	for i := 1; i <= count; i++ {
		whole = append(whole, parts[byte(i)]...)
	}
	return whole
}

// profilePNG unpacks an iCCP chunk (PNG, 11.3.3.3): a name, 0, the method 0, then zlib.
func profilePNG(data []byte) []byte {
	for name, body := range chunk.PNG(data) {
		if name != "iCCP" {
			continue
		}
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
	return nil
}
