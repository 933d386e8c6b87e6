package render

import (
	"bytes"

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
// profile that cannot be read. An error says that the colours would be wrong without it. coded are the code
// points that the decoder has found, or nil.
func profileOf(format Format, data []byte, coded *heif.Color) (*icc.Profile, error) {
	var profile []byte
	switch format {
	case JPEG:
		profile = profileJPEG(data)
	case PNG:
		return profilePNG(data)
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
		return profileHEIF(data, coded)
	}
	p, err := icc.Parse(profile)
	if err != nil {
		return nil, nil
	}
	return p, nil
}

// profileHEIF prefers an ICC profile to code points.
func profileHEIF(data []byte, coded *heif.Color) (*icc.Profile, error) {
	f, err := heif.Parse(data)
	if err != nil {
		return nil, err
	}
	if p, err := icc.Parse(f.Primary().Profile()); err == nil {
		return p, nil
	}
	if coded == nil {
		coded = f.Primary().Coding()
	}
	if coded == nil {
		return nil, nil
	}
	return icc.Coded(coded.Primaries, coded.Transfer)
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
