package render

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"math/bits"
	"testing"

	"relais/internal/filetest"
)

// A bmpFile is what a BMP states, by Microsoft's and IBM's layouts: BITMAPFILEHEADER, then BITMAPCOREHEADER (12
// bytes), OS/2's BITMAPINFOHEADER2 (16 to 64) or BITMAPINFOHEADER and its successors (40, 52, 56, 108, 124).
type bmpFile struct {
	size, bits, compression int
	topDown                 bool
	masks                   []uint32
	palette                 color.Palette
	pixels                  []byte // nil: those of the sample
	after                   []byte // a profile of a header of 124 bytes
}

// value is a pixel as a number: an index, or channels where the masks are.
func (f bmpFile) value(c color.NRGBA) uint32 {
	if f.palette != nil && f.bits <= 8 {
		return uint32(f.palette.Index(c))
	}
	masks := f.masks
	if masks == nil {
		masks = []uint32{0xff0000, 0xff00, 0xff}
		if f.bits == 16 {
			masks = []uint32{0x7c00, 0x3e0, 0x1f}
		}
	}
	var v uint32
	for i, mask := range masks {
		most := uint64(1)<<bits.OnesCount32(mask) - 1
		v |= uint32(uint64([]uint8{c.R, c.G, c.B, c.A}[i])*most/255) << bits.TrailingZeros32(mask) & mask
	}
	return v
}

// rows packs the pixels: high bits first, rows of whole four bytes, the lowest row first.
func (f bmpFile) rows(m *image.NRGBA) []byte {
	var out []byte
	for y := range m.Rect.Dy() {
		if !f.topDown {
			y = m.Rect.Dy() - 1 - y
		}
		row := make([]byte, (m.Rect.Dx()*f.bits+31)/32*4)
		for x := range m.Rect.Dx() {
			v := f.value(m.NRGBAAt(x, y))
			if f.bits < 8 {
				row[x*f.bits/8] |= byte(v << (8 - f.bits - x*f.bits%8))
				continue
			}
			copy(row[x*f.bits/8:], binary.LittleEndian.AppendUint32(nil, v)[:f.bits/8])
		}
		out = append(out, row...)
	}
	return out
}

func (f bmpFile) bytes(m *image.NRGBA) []byte {
	le := binary.LittleEndian
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if f.topDown {
		h = -h
	}
	pixels := f.pixels
	if pixels == nil {
		pixels = f.rows(m)
	}
	header := make([]byte, max(f.size, 40))
	le.PutUint32(header, uint32(f.size))
	le.PutUint32(header[4:], uint32(w))
	le.PutUint32(header[8:], uint32(int32(h)))
	le.PutUint16(header[12:], 1)
	le.PutUint16(header[14:], uint16(f.bits))
	le.PutUint32(header[16:], uint32(f.compression))
	le.PutUint32(header[20:], uint32(len(pixels)))
	le.PutUint32(header[32:], uint32(len(f.palette)))
	if f.size == 12 {
		header = le.AppendUint16(le.AppendUint16(le.AppendUint32(nil, 12), uint16(w)), uint16(h))
		header = le.AppendUint16(le.AppendUint16(header, 1), uint16(f.bits))
	}
	header = header[:f.size]
	var masks []byte
	for _, mask := range f.masks {
		masks = le.AppendUint32(masks, mask)
	}
	if f.size >= 52 {
		copy(header[40:], masks)
	} else if f.compression == 3 || f.compression == 6 {
		header = append(header, masks...)
	}
	for _, c := range f.palette {
		rgb := color.NRGBAModel.Convert(c).(color.NRGBA)
		header = append(header, rgb.B, rgb.G, rgb.R)
		if f.size != 12 {
			header = append(header, 0)
		}
	}
	if f.after != nil {
		copy(header[56:], "DEBM")
		le.PutUint32(header[112:], uint32(len(header)+len(pixels)))
		le.PutUint32(header[116:], uint32(len(f.after)))
	}
	file := append([]byte("BM"), make([]byte, 12)...)
	le.PutUint32(file[10:], uint32(14+len(header)))
	file = append(append(append(file, header...), pixels...), f.after...)
	le.PutUint32(file[2:], uint32(len(file)))
	return file
}

// steps is a palette of n colours, for the samples to be reduced to.
func steps(n int) color.Palette {
	p := color.Palette{color.NRGBA{240, 230, 40, 255}}
	for i := 1; i < n; i++ {
		p = append(p, color.NRGBA{uint8(30 + 200*i/n), uint8(40 + 180*(i*7%n)/n), uint8(220 - 170*i/n), 255})
	}
	return p
}

func bmpVariants(t *testing.T) formatTest {
	t.Helper()
	m, seeThrough := sample(95, 63), sample(95, 63) // rows need padding
	for i := 3; i < len(seeThrough.Pix); i += 4 {
		seeThrough.Pix[i] = uint8(255 - i/4%95*2)
	}
	of := func(f bmpFile) []byte { return f.bytes(m) }
	rgb565 := []uint32{0xf800, 0x7e0, 0x1f}
	argb := []uint32{0xff0000, 0xff00, 0xff, 0xff000000}
	short := of(bmpFile{size: 40, bits: 8, palette: steps(7)})
	v16, v64 := bmpFile{size: 16, bits: 24}.bytes(m), bmpFile{size: 64, bits: 8, palette: steps(256)}.bytes(m)
	noPalette := bytes.Clone(short)
	noPalette[len(noPalette)-100] = 200
	gaps := append(bytes.Repeat([]byte{40, 3, 0, 2, 20, 1, 30, 5, 0, 0}, 30), 0, 1)
	hidden := sample(95, 63)
	for i := 3; i < len(hidden.Pix); i += 4 {
		hidden.Pix[i] = 0
	}
	profiled := bmpFile{size: 124, bits: 24, after: filetest.Read(t, displayP3(t))}
	four := image.NewPaletted(m.Rect, steps(4))
	for i := range four.Pix {
		four.Set(i%95, i/95, m.At(i%95, i/95))
	}
	sources := map[string]image.Image{"photo.png": m, "alpha.png": seeThrough, "four.png": four}
	return formatTest{sources: sources, variants: []variant{
		{name: "bmp ImageMagick 2", make: "convert photo.png BMP2:OUT", look: byBrowser},
		{name: "bmp ImageMagick 3", make: "convert photo.png BMP3:OUT", look: byBrowser},
		{name: "bmp ImageMagick 5", make: "convert photo.png OUT", look: byBrowser},
		{name: "bmp ImageMagick with opacity", make: "convert alpha.png OUT", look: byBrowser},
		{name: "bmp ImageMagick RLE8", make: "convert photo.png +dither -colors 90 -type palette -compress RLE OUT",
			look: byBrowser},
		{name: "bmp ImageMagick 565", make: "convert photo.png -define bmp:subtype=RGB565 OUT", look: byBrowser},
		{name: "bmp ImageMagick 555", make: "convert photo.png -define bmp:subtype=RGB555 OUT", look: byBrowser},
		{name: "bmp ImageMagick 4444", make: "convert alpha.png -define bmp:subtype=ARGB4444 OUT", look: byBrowser},
		{name: "bmp GDAL", make: "gdal_translate -q --config GDAL_PAM_ENABLED NO -of BMP photo.png OUT",
			look: byBrowser},

		{name: "bmp core, 1 bit", file: of(bmpFile{size: 12, bits: 1, palette: steps(2)}), look: byBrowser},
		{name: "bmp core, 4 bits", file: of(bmpFile{size: 12, bits: 4, palette: steps(16)}), look: byBrowser},
		{name: "bmp core, 8 bits", file: of(bmpFile{size: 12, bits: 8, palette: steps(256)}), look: byBrowser},
		{name: "bmp core, 8 bits, few colours", file: of(bmpFile{size: 12, bits: 8, palette: steps(100)}),
			look: byBrowser},
		{name: "bmp core, 24 bits", file: of(bmpFile{size: 12, bits: 24}), look: byBrowser},
		{name: "bmp OS/2, 16 bytes", file: v16, look: byBrowser}, // which ImageMagick does not read
		{name: "bmp OS/2, 64 bytes, 8 bits", file: v64, look: byBrowser},
		{name: "bmp OS/2, 64 bytes, 24 bits", file: of(bmpFile{size: 64, bits: 24}), look: byBrowser},
		{name: "bmp OS/2 Huffman", file: of(bmpFile{size: 64, bits: 1, compression: 3, palette: steps(2)}),
			words: "compressed as Huffman"},
		{name: "bmp OS/2 RLE24", file: of(bmpFile{size: 64, bits: 24, compression: 4}),
			words: "compressed as RLE of 24 bits"},

		{name: "bmp 1 bit", file: of(bmpFile{size: 40, bits: 1, palette: steps(2)}), look: byBrowser},
		{name: "bmp 2 bits", file: of(bmpFile{size: 40, bits: 2, palette: steps(4)}), look: byBrowser},
		{name: "bmp 4 bits", file: of(bmpFile{size: 40, bits: 4, palette: steps(16)}), look: byBrowser},
		{name: "bmp 8 bits", file: of(bmpFile{size: 40, bits: 8, palette: steps(256)}), look: byBrowser},
		{name: "bmp 8 bits, 7 colours", file: short, look: byBrowser},
		{name: "bmp 8 bits, a colour that is not there", file: noPalette, words: "not in its palette"},
		{name: "bmp 8 bits, top down", file: of(bmpFile{size: 40, bits: 8, palette: steps(256), topDown: true}),
			look: byBrowser},
		{name: "bmp 16 bits", file: of(bmpFile{size: 40, bits: 16}), look: byBrowser},
		{name: "bmp 16 bits, 565", file: of(bmpFile{size: 40, bits: 16, compression: 3, masks: rgb565}),
			look: byBrowser},
		{name: "bmp 24 bits with a palette", file: of(bmpFile{size: 40, bits: 24, palette: steps(200)}),
			look: byBrowser},
		{name: "bmp 24 bits, top down", file: of(bmpFile{size: 40, bits: 24, topDown: true}), look: byBrowser},
		{name: "bmp 32 bits", file: of(bmpFile{size: 40, bits: 32}), look: byBrowser},
		{name: "bmp 32 bits, masks",
			file: of(bmpFile{size: 40, bits: 32, compression: 3, masks: []uint32{0xff000000, 0xff0000, 0xff00}}), look: byBrowser},
		{name: "bmp 32 bits, masks of 10",
			file: of(bmpFile{size: 40, bits: 32, compression: 3, masks: []uint32{0x3ff00000, 0xffc00, 0x3ff}}), look: byBrowser},
		{name: "bmp 52 bytes, masks",
			file: of(bmpFile{size: 52, bits: 32, compression: 3, masks: []uint32{0xff, 0xff00, 0xff0000}}), look: byBrowser},
		{name: "bmp 52 bytes, 565", file: of(bmpFile{size: 52, bits: 16, compression: 3, masks: rgb565}),
			look: byBrowser},
		{name: "bmp 56 bytes, opacity",
			file: bmpFile{size: 56, bits: 32, compression: 3, masks: argb}.bytes(seeThrough), look: byBrowser},
		{name: "bmp 108 bytes, opacity",
			file: bmpFile{size: 108, bits: 32, compression: 3, masks: argb}.bytes(seeThrough), look: byBrowser},
		{name: "bmp 124 bytes, opacity",
			file: bmpFile{size: 124, bits: 32, compression: 3, masks: argb}.bytes(seeThrough), look: byBrowser},
		{name: "bmp all transparent", file: bmpFile{size: 124, bits: 32, compression: 3, masks: argb}.bytes(hidden),
			look: byBrowser},
		{name: "bmp 56 bytes, masks that do not count",
			file: bmpFile{size: 56, bits: 32, masks: argb}.bytes(seeThrough), look: byBrowser},
		{name: "bmp 108 bytes, masks that do not count",
			file: bmpFile{size: 108, bits: 32, masks: argb}.bytes(seeThrough), look: byBrowser},
		{name: "bmp 108 bytes, hidden, masks that do not count",
			file: bmpFile{size: 108, bits: 32, masks: argb}.bytes(hidden), look: byBrowser},
		{name: "bmp 108 bytes, no masks", file: bmpFile{size: 108, bits: 32}.bytes(m), look: byBrowser},
		{name: "bmp 40 bytes, four masks",
			file: bmpFile{size: 40, bits: 32, compression: 6, masks: argb}.bytes(seeThrough), look: byBrowser},
		{name: "bmp RLE8 with gaps",
			file: of(bmpFile{size: 40, bits: 8, compression: 1, palette: steps(9), pixels: gaps}), look: byBrowser},
		{name: "bmp with a profile", file: profiled.bytes(m),
			look: "convert photo.png -profile " + displayP3(t) + " -profile " + sRGB(t) + " WANT"},
		{name: "bmp JPEG", file: of(bmpFile{size: 40, compression: 4, pixels: []byte("\xff\xd8\xff")}),
			words: "compressed as JPEG"},
		{name: "bmp PNG", file: of(bmpFile{size: 40, compression: 5, pixels: []byte("\x89PNG")}),
			words: "compressed as PNG"},
		{name: "bmp 3 bits", file: of(bmpFile{size: 40, bits: 3, pixels: make([]byte, 9000)}),
			words: "3 bits a pixel"},
		{name: "bmp a header of 80 bytes", file: of(bmpFile{size: 80, bits: 24}), words: "a header of 80 bytes"},
		{name: "bmp cut", file: of(bmpFile{size: 40, bits: 24})[:9000], words: "cut off"},
	}}
}

// Runs, single pixels and moves of RLE, as Microsoft's "Bitmap Compression" has them.
func TestBMPRuns(t *testing.T) {
	p, black := color.Palette{red, green, blue, yellow}, color.NRGBA{A: 255}
	for _, tt := range []struct {
		name              string
		bits, compression int
		pixels            []byte
		want              []color.NRGBA // of 8 × 2 pixels, the upper row first
		words             string
	}{
		{"RLE8", 8, 1, []byte{8, 0, 0, 0, 3, 1, 0, 5, 2, 3, 2, 3, 2, 0, 0, 1},
			append(row(green, green, green, blue, yellow, blue, yellow, blue), row(red, red, red, red, red, red, red, red)...), ""},
		{"RLE4", 4, 2, []byte{8, 0x01, 0, 0, 3, 0x11, 0, 5, 0x23, 0x23, 0x20, 0, 0, 1},
			append(row(green, green, green, blue, yellow, blue, yellow, blue), row(red, green, red, green, red, green, red, green)...), ""},
		{"a move", 8, 1, []byte{2, 0, 0, 2, 4, 1, 2, 1, 0, 1},
			append(row(black, black, black, black, black, black, green, green),
				row(red, red, black, black, black, black, black, black)...), ""},
		{"without an end", 8, 1, []byte{8, 0, 0, 0, 8, 1},
			append(row(green, green, green, green, green, green, green, green), row(red, red, red, red, red, red, red, red)...), ""},
		{"cut", 8, 1, []byte{8, 0, 0, 0, 5, 1}, nil, "cut off"},
		{"cut pixels", 8, 1, []byte{8, 0, 0, 0, 0, 8, 1, 1, 1}, nil, "cut off"},
		{"a run that is too long", 8, 1, []byte{200, 0, 0, 0, 9, 1, 0, 1},
			append(row(green, green, green, green, green, green, green, green), row(red, red, red, red, red, red, red, red)...), ""},
		{"a colour that is not there", 8, 1, []byte{8, 9, 0, 1}, nil, "not in its palette"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := bmpFile{size: 40, bits: tt.bits, compression: tt.compression, palette: p, pixels: tt.pixels}.bytes(
				image.NewNRGBA(image.Rect(0, 0, 8, 2)))
			h, err := sniff(file)
			must(t, err)
			m, err := renderer.decode(t.Context(), h, file)
			if tt.words != "" {
				refused(t, h.failed(err), tt.words)
				return
			}
			must(t, err)
			for i, want := range tt.want {
				if got := m.(*image.NRGBA).NRGBAAt(i%8, i/8); got != want {
					t.Errorf("pixel %d = %v, want %v", i, got, want)
				}
			}
		})
	}
}

func row(colours ...color.NRGBA) []color.NRGBA { return colours }
