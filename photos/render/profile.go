package render

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"

	"relais/photos/chunk"
	"relais/photos/heif"
	"relais/photos/icc"
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
	case TIFF:
		profile = tagsTIFF(data)[tagProfile].bytes
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

// Tags of TIFF.
const (
	tagCompression = 259
	tagPhotometric = 262
	tagProfile     = 34675
)

// A tagTIFF is the content of a tag: its first number, or its bytes.
type tagTIFF struct {
	count, first uint32
	bytes        []byte // of types of one byte only
}

// tagsTIFF reads the first directory of a TIFF file as far as it is sound (TIFF 6.0,
// section 2).
func tagsTIFF(data []byte) map[uint16]tagTIFF {
	const entry = 12
	tags := map[uint16]tagTIFF{}
	if len(data) < 8 {
		return tags
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	at := uint64(order.Uint32(data[4:]))
	if at+2 > uint64(len(data)) {
		return tags
	}
	n := uint64(order.Uint16(data[at:]))
	for rest := data[at+2:]; n > 0 && len(rest) >= entry; n, rest = n-1, rest[entry:] {
		t := tagTIFF{count: order.Uint32(rest[4:]), first: order.Uint32(rest[8:])}
		switch kind := order.Uint16(rest[2:]); kind {
		case 3: // two bytes each
			switch {
			case t.count <= 2:
				t.first = uint32(order.Uint16(rest[8:]))
			case uint64(t.first)+2 <= uint64(len(data)):
				t.first = uint32(order.Uint16(data[t.first:]))
			}
		case 4:
			if t.count > 1 && uint64(t.first)+4 <= uint64(len(data)) {
				t.first = order.Uint32(data[t.first:])
			}
		case 1, 7:
			if end := uint64(t.first) + uint64(t.count); t.count > 4 && t.count <= maxProfile &&
				end <= uint64(len(data)) {
				t.bytes = data[t.first:end]
			}
		}
		tags[order.Uint16(rest)] = t
	}
	return tags
}
