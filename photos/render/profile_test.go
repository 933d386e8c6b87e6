package render

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"path/filepath"
	"testing"

	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/photos/chunk"
	"relais/photos/heif"
)

// Tags of TIFF that only tests write.
const (
	tagCompression = 259
	tagPhotometric = 262
	tagStrips      = 273
	tagStripBytes  = 279
	tagProfile     = 34675
)

// withProfileJPEG puts a profile into a JPEG, in two parts.
func withProfileJPEG(file, profile []byte) []byte {
	out := bytes.Clone(file[:2])
	for i, part := range [][]byte{profile[:100], profile[100:]} {
		out = binary.BigEndian.AppendUint16(append(out, 0xff, 0xe2), uint16(2+14+len(part)))
		out = append(append(append(out, "ICC_PROFILE\x00"...), byte(i+1), 2), part...)
	}
	return append(out, file[2:]...)
}

// withProfilePNG puts a profile behind the header.
func withProfilePNG(file, profile []byte) []byte {
	var packed bytes.Buffer
	packed.WriteString("iCCPtest\x00\x00")
	w := zlib.NewWriter(&packed)
	w.Write(profile)
	w.Close()
	const header = len(chunk.SignaturePNG) + 12 + 13
	out := binary.BigEndian.AppendUint32(bytes.Clone(file[:header]), uint32(packed.Len()-4))
	out = append(out, packed.Bytes()...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(packed.Bytes()))
	return append(out, file[header:]...)
}

// withProfileWebP makes a WebP of the extended kind.
func withProfileWebP(t *testing.T, m *image.NRGBA, profile []byte) []byte {
	t.Helper()
	plain, err := libwebpLossless(m)
	must(t, err)
	vp8x := []byte{0x20, 0, 0, 0, byte(m.Rect.Dx() - 1), 0, 0, byte(m.Rect.Dy() - 1), 0, 0}
	out := appendChunk(appendChunk([]byte("RIFF\x00\x00\x00\x00WEBP"), "VP8X", vp8x), "ICCP", profile)
	out = append(out, plain[12:]...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// A tag is an entry of a TIFF directory whose content is bytes, or one number.
type tag struct {
	id, kind uint16
	number   uint32
	bytes    []byte
}

// tiffOf writes a TIFF with one strip; tags are in ascending order.
func tiffOf(strip []byte, tags ...tag) []byte {
	le := binary.LittleEndian
	out := append([]byte("II*\x00\x00\x00\x00\x00"), strip...)
	out = append(out, make([]byte, len(out)%2)...)
	var directory []byte
	for _, g := range tags {
		count, value := uint32(1), g.number
		switch {
		case g.id == tagStrips:
			value = 8
		case g.id == tagStripBytes:
			value = uint32(len(strip))
		case g.bytes != nil:
			count, value = uint32(len(g.bytes)), uint32(len(out))
			if g.kind == 3 {
				count /= 2
			}
			out = append(out, g.bytes...)
			out = append(out, make([]byte, len(out)%2)...)
		}
		directory = le.AppendUint32(le.AppendUint32(le.AppendUint16(le.AppendUint16(directory, g.id), g.kind), count),
			value)
	}
	le.PutUint32(out[4:], uint32(len(out)))
	out = append(le.AppendUint16(out, uint16(len(tags))), directory...)
	return append(out, 0, 0, 0, 0)
}

func withProfileTIFF(m *image.NRGBA, profile []byte) []byte {
	var strip []byte
	for i := 0; i < len(m.Pix); i += 4 {
		strip = append(strip, m.Pix[i:i+3]...)
	}
	w, h := uint32(m.Rect.Dx()), uint32(m.Rect.Dy())
	return tiffOf(strip, tag{256, 4, w, nil}, tag{257, 4, h, nil}, tag{258, 3, 0, []byte{8, 0, 8, 0, 8, 0}},
		tag{tagCompression, 3, 1, nil}, tag{tagPhotometric, 3, 2, nil},
		tag{tagStrips, 4, 0, nil}, tag{277, 3, 3, nil}, tag{278, 4, h, nil}, tag{tagStripBytes, 4, 0, nil},
		tag{tagProfile, 7, 0, profile})
}

// withProfileHEIC makes a grid of a HEIC's picture, with a colr box.
func withProfileHEIC(t *testing.T, file, profile []byte) []byte {
	t.Helper()
	f, err := heif.Parse(file)
	must(t, err)
	it := f.Primary()
	data, err := it.Data()
	must(t, err)
	size := box("ispe", u32(0, it.Width, it.Height))
	properties := append(append(append(bytes.Clone(size), box("hvcC", it.HEVC)...), size...),
		box("colr", []byte("prof"), profile)...)
	w := &heicWriter{}
	w.item("grid", append([]byte{0, 1, 0, 0}, u32(it.Width, it.Height)...), 1, 4)
	w.item("hvc1", data, 0x82, 3)
	return w.file(properties, u16(1, 1, 2))
}

// The colours of Display P3 come out as those of sRGB, from each format. The profile is
// the one that the tests of package icc write; the colours are those of littleCMS 2.12:
// convert x.png -profile displayp3.icc -profile srgb.icc
func TestProfiles(t *testing.T) {
	tier.Slow(t)
	profile := filetest.Read(t, filepath.Join("testdata", "displayp3.icc"))
	m := quarters(160, 144)
	want := []color.NRGBA{{218, 0, 6, 255}, {0, 183, 0, 255}, {39, 40, 229, 255}, {222, 209, 0, 255}}
	files := map[string][]byte{
		"JPEG": withProfileJPEG(asJPEG(t, m), profile),
		"PNG":  withProfilePNG(asPNG(t, m), profile),
		"WebP": withProfileWebP(t, m, profile),
		"TIFF": withProfileTIFF(m, profile),
	}
	if sandboxed {
		files["HEIC"] = withProfileHEIC(t, filetest.Read(t, filepath.Join("testdata", "444.heic")), profile)
	}
	for name, file := range files {
		res := rendered(t, file)
		corners(t, name, shown(t, res.Main), want...)
		for _, p := range []Picture{res.Thumbnail, res.OpenGraph} {
			got := shown(t, p)
			if c := got.NRGBAAt(got.Rect.Dx()/4, got.Rect.Dy()/4); !near(c, want[0], 12) {
				t.Errorf("%s: a smaller picture has %v, want %v", name, c, want[0])
			}
		}
		if res.Format != Format(name) {
			t.Errorf("format = %s, want %s", res.Format, name)
		}
	}
	plain := shown(t, rendered(t, asPNG(t, m)).Main)
	corners(t, "without a profile", plain, red, green, blue, yellow)
	corners(t, "with half of a profile", shown(t, rendered(t, withProfilePNG(asPNG(t, m), profile[:300])).Main),
		red, green, blue, yellow)
}
