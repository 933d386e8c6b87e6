package render

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"strings"
	"testing"

	"relais/photos/chunk"
)

// chunkPNG is a whole chunk (PNG, 5.3).
func chunkPNG(name, body string) string {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, name...), body...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:])))
}

// headPNG is how long a file is up to the end of IHDR.
const headPNG = len(chunk.SignaturePNG) + 12 + 13

// inserted puts chunks behind IHDR.
func inserted(file []byte, chunks ...string) []byte {
	return bytes.Join([][]byte{file[:headPNG], []byte(strings.Join(chunks, "")), file[headPNG:]}, nil)
}

// numbers32 writes big-endian numbers.
func numbers32(list ...uint32) string {
	var b []byte
	for _, n := range list {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return string(b)
}

func pngVariants(t *testing.T) formatTest {
	t.Helper()
	m := sample(96, 64)
	file := asPNG(t, m)
	paletted := image.NewPaletted(m.Rect, steps(200))
	for i := range paletted.Pix {
		paletted.Set(i%96, i/96, m.At(i%96, i/96))
	}
	clear := *paletted
	clear.Palette = append(color.Palette{color.NRGBA{240, 230, 40, 0}}, paletted.Palette[1:]...)
	withTRNS := asPNG(t, &clear)
	badText := []byte(chunkPNG("tEXt", "Comment\x00hello"))
	badText[len(badText)-1]++
	srgb := numbers32(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)
	p3 := numbers32(31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000)
	gamma := func(n uint32) string { return chunkPNG("gAMA", numbers32(n)) }
	noEnd := file[:len(file)-12]
	badData := bytes.Clone(file)
	badData[len(file)/2]++
	both := func(name string, file []byte) variant {
		return variant{name: "png " + name, file: file, look: byBrowser}
	}
	var suggested []byte
	for i := range 3 * 20 {
		suggested = append(suggested, byte(i))
	}
	return formatTest{sources: pictures(96, 64), variants: []variant{
		both("RGB", file),
		both("palette", asPNG(t, paletted)),
		both("palette with tRNS", withTRNS),
		both("tRNS before PLTE", swapped(t, withTRNS, "PLTE", "tRNS")),
		both("tRNS before PLTE and after", inserted(withTRNS, chunkPNG("tRNS", "\x00"))),
		both("tRNS of RGB", inserted(file, chunkPNG("tRNS", "\x00\xf0\x00\xe6\x00\x28"))),
		{name: "png tRNS that is too long", file: inserted(file, chunkPNG("tRNS", "\x00\xf0\x00\xe6\x00\x28\x00"))},
		both("tRNS with opacity", inserted(asPNG(t, seeThrough(96, 64)), chunkPNG("tRNS", "\x00\x00\x00\x00\x00\x00"))),
		both("a suggested palette", inserted(file, chunkPNG("PLTE", string(suggested)))),
		both("text with a wrong checksum", inserted(file, string(badText))),
		both("an animation of no frames", inserted(file, chunkPNG("acTL", numbers32(0, 0)))),
		both("an animation of one frame", inserted(file, chunkPNG("acTL", numbers32(1, 0)),
			chunkPNG("fcTL", numbers32(0, 96, 64, 0, 0)+"\x00\x01\x00\x0a\x00\x00"))),
		both("without an end", noEnd),
		{name: "png cut", file: file[:len(file)/2], words: "cut off"},
		{name: "png damaged", file: badData, words: "checksum"},
		{name: "png interlaced", make: "convert photo.png -interlace PNG OUT", look: byBrowser},
		{name: "png 16 bits", make: "convert photo.png PNG48:OUT", look: byBrowser},
		{name: "png 16 bits with opacity", make: "convert alpha.png PNG64:OUT"},
		{name: "png grey of 1 bit", make: "convert photo.png -colorspace gray -monochrome -depth 1 OUT",
			look: byBrowser},
		{name: "png grey of 2 bits",
			make: "convert photo.png +dither -colorspace gray -depth 2 " +
				"-define png:bit-depth=2 -define png:color-type=0 OUT", look: byBrowser},
		{name: "png grey of 16 bits",
			make: "convert photo.png -colorspace gray -depth 16 " +
				"-define png:bit-depth=16 -define png:color-type=0 OUT", look: byBrowser},
		{name: "png grey with opacity", make: "convert alpha.png -colorspace gray -define png:color-type=4 OUT"},
		both("gAMA of sRGB", inserted(file, gamma(45455))),
		both("gAMA and cHRM of sRGB", inserted(file, gamma(45455), chunkPNG("cHRM", srgb))),
		both("gAMA of 1", inserted(file, gamma(100000))),
		both("gAMA of 1 / 1.8", inserted(file, gamma(55556))),
		both("gAMA of 1 and cHRM", inserted(file, gamma(100000), chunkPNG("cHRM", srgb))),
		both("cHRM of P3", inserted(file, chunkPNG("cHRM", p3))),
		both("gAMA and cHRM of P3", inserted(file, gamma(45455), chunkPNG("cHRM", p3))),
		both("sRGB before gAMA and cHRM", inserted(file, gamma(100000), chunkPNG("cHRM", p3), chunkPNG("sRGB", "\x00"))),
		both("gAMA with a wrong checksum", inserted(file, gamma(100000)[:15]+"\x00")),
		both("cHRM of nothing", inserted(file, gamma(45455), chunkPNG("cHRM", numbers32(0, 0, 0, 0, 0, 0, 0, 0)))),
		both("cICP of P3", inserted(file, chunkPNG("cICP", "\x0c\x0d\x00\x01"))),
		both("cICP of PQ", inserted(asPNG(t, dim(96, 64)), chunkPNG("cICP", "\x09\x10\x00\x01"))),
		both("cICP of HLG", inserted(asPNG(t, dim(96, 64)), chunkPNG("cICP", "\x09\x12\x00\x01"))),
		{name: "png iCCP", make: "convert photo.png -profile " + displayP3(t) + " OUT", look: byBrowser},
	}}
}

// swapped exchanges two neighbouring chunks.
func swapped(t *testing.T, file []byte, first, second string) []byte {
	t.Helper()
	chunks := map[string][]byte{}
	for name, whole := range chunk.WholePNG(file) {
		chunks[name] = whole
	}
	old := append(bytes.Clone(chunks[first]), chunks[second]...)
	if !bytes.Contains(file, old) {
		t.Fatal("the file of the test has other chunks")
	}
	return bytes.Replace(file, old, append(bytes.Clone(chunks[second]), chunks[first]...), 1)
}

// Of hostile chunks, a profile has no colours that are not numbers.
func TestGammaPNG(t *testing.T) {
	for _, chrm := range []string{numbers32(0, 0, 0, 0, 0, 0, 0, 0), numbers32(1, 1, 1, 1, 1, 1, 1, 1), "short"} {
		for _, gamma := range []uint32{0, 1, 45455, 1<<32 - 1} {
			file := inserted(asPNG(t, sample(8, 8)), chunkPNG("gAMA", numbers32(gamma)), chunkPNG("cHRM", chrm))
			shown(t, rendered(t, file).Main)
		}
	}
}

func gifVariants(t *testing.T) formatTest {
	t.Helper()
	return formatTest{sources: pictures(96, 64), variants: []variant{
		{name: "gif plain", make: "convert photo.png +dither OUT"},
		{name: "gif 87a", make: "convert photo.png +dither GIF87:OUT"},
		{name: "gif interlaced", make: "convert photo.png +dither -interlace GIF OUT"},
		{name: "gif see-through", make: "convert alpha.png +dither -channel A -threshold 50% OUT"},
		{name: "gif a screen larger than the frame", make: "convert photo.png +dither -page 120x90+10+20 OUT",
			look: byBrowser},
		{name: "gif a frame larger than the screen", make: "convert photo.png +dither OUT", change: screen(40, 30),
			look: byBrowser},
		{name: "gif a screen of nothing", make: "convert photo.png +dither OUT", change: screen(0, 0),
			look: byBrowser},
		{name: "gif animation", make: "convert +dither -delay 500 photo.png dim.png OUT"},
		{name: "gif cut", make: "convert photo.png +dither OUT",
			change: func(b []byte) []byte { return b[:len(b)/2] }, words: "not enough image data"},
	}}
}

// screen states another size of the screen (GIF89a, 18).
func screen(w, h uint16) func([]byte) []byte {
	return func(file []byte) []byte {
		binary.LittleEndian.PutUint16(file[6:], w)
		binary.LittleEndian.PutUint16(file[8:], h)
		return file
	}
}

func webpVariants(t *testing.T) formatTest {
	t.Helper()
	return formatTest{sources: pictures(96, 64), variants: []variant{
		{name: "webp lossy", make: "cwebp -quiet -q 95 photo.png -o OUT", look: byBrowser},
		{name: "webp lossless", make: "cwebp -quiet -lossless photo.png -o OUT", look: "dwebp -quiet IN -o WANT"},
		{name: "webp lossy with opacity", make: "cwebp -quiet -q 95 alpha.png -o OUT",
			look: "dwebp -quiet IN -o WANT", bound: 2},
		{name: "webp lossless with opacity", make: "cwebp -quiet -lossless -exact alpha.png -o OUT",
			look: "dwebp -quiet IN -o WANT"},
		{name: "webp opacity filtered", make: "cwebp -quiet -alpha_filter best -alpha_method 1 alpha.png -o OUT",
			look: "dwebp -quiet IN -o WANT", bound: 2},
		{name: "webp near-lossless", make: "cwebp -quiet -near_lossless 60 photo.png -o OUT",
			look: "dwebp -quiet IN -o WANT"},
		{name: "webp with a profile",
			make: "convert photo.png -profile " + displayP3(t) + " p3.png " +
				"&& cwebp -quiet -q 95 -metadata icc p3.png -o OUT", look: byBrowser, bound: 2},
		{name: "webp animation",
			make: "convert +dither -delay 500 photo.png dim.png a.gif " +
				"&& gif2webp -quiet -lossy -q 95 a.gif -o OUT", look: byBrowser, bound: 3},
		{name: "webp cut", make: "cwebp -quiet photo.png -o OUT",
			change: func(b []byte) []byte { return b[:len(b)/2] }, words: "cut off"},
	}}
}
