package tiff

import (
	"context"
	"errors"
	"image"
)

// Decode returns the picture with straight opacity. decodeWebP decodes blocks that are WebP files.
func (f *File) Decode(ctx context.Context, decodeWebP DecodeFunc) (*image.NRGBA, error) {
	m := image.NewNRGBA(image.Rect(0, 0, f.Width, f.Height))
	b := f.block
	for i := range b.across * b.down * f.planes() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		plane, place := i/(b.across*b.down), i%(b.across*b.down)
		x, y := place%b.across*b.width, place/b.across*b.height
		rows := b.height
		if !f.tiled {
			rows = min(rows, f.Height-y) // the last strip may be shorter
		}
		packed, ok := f.directory.slice(f.offsets[i], min(f.lengths[i], uint64(len(f.directory.data))))
		if !ok || len(packed) == 0 {
			return nil, errCut
		}
		unpacked, err := f.unpack(packed, rows, decodeWebP)
		if err != nil {
			return nil, err
		}
		f.put(m, x, y, plane, unpacked)
	}
	return m, f.toColours(m)
}

// put writes the samples of a block, as bytes, into the pixels: those of colours from the first byte on,
// opacity in the fourth. Other samples have no meaning here.
func (f *File) put(m *image.NRGBA, x0, y0, plane int, block []byte) {
	n := f.blockSamples()
	samples := make([]byte, f.block.width*n)
	width := min(f.block.width, f.Width-x0)
	for y := y0; y < min(y0+f.block.height, f.Height); y++ {
		f.row(samples, block[(y-y0)*f.rowBytes():])
		out := m.Pix[m.PixOffset(x0, y):][:4*width]
		for i := range n {
			to := f.channel(plane + i)
			if to < 0 {
				continue
			}
			for x := range width {
				out[4*x+to] = samples[x*n+i]
			}
		}
	}
}

// channel returns in which byte of a pixel a sample is kept, -1 for none.
func (f *File) channel(sample int) int {
	switch {
	case sample < colourChannels[f.photometric]:
		return sample
	case sample == f.alpha:
		return 3
	}
	return -1
}

// row turns the samples of a row into bytes: levels of 0 to 255, or numbers of colours in the palette.
func (f *File) row(samples, row []byte) {
	order := f.directory.order
	switch f.bits {
	case 16:
		before := make([]uint16, f.blockSamples())
		for i := range samples {
			v := order.Uint16(row[2*i:])
			if f.differences {
				v += before[i%len(before)]
				before[i%len(before)] = v
			}
			samples[i] = byte((uint32(v)*255 + 32767) / 65535)
		}
	case 8:
		copy(samples, row)
		for i := f.blockSamples(); f.differences && i < len(samples); i++ {
			samples[i] += samples[i-f.blockSamples()]
		}
	default:
		most := byte(1)<<f.bits - 1
		scale := 255 / most
		if f.photometric == paletted {
			scale = 1
		}
		for i := range samples {
			at := i * f.bits
			samples[i] = row[at/8] >> (8 - f.bits - at%8) & most * scale
		}
	}
}

// toColours turns the samples into colours, in place.
func (f *File) toColours(m *image.NRGBA) error {
	for i := 0; i < len(m.Pix); i += 4 {
		p := m.Pix[i : i+4 : i+4]
		switch f.photometric {
		case whiteIsZero:
			p[0] = 255 - p[0]
			p[1], p[2] = p[0], p[0]
		case blackIsZero:
			p[1], p[2] = p[0], p[0]
		case paletted:
			n, of := int(p[0]), len(f.palette)/3
			if n >= of {
				return errors.New("the TIFF has colours that are not in its palette")
			}
			p[0], p[1], p[2] = byte(f.palette[n]>>8), byte(f.palette[of+n]>>8), byte(f.palette[2*of+n]>>8)
		case cmyk:
			white := 255 - int(p[3])
			for j := range 3 {
				p[j] = byte(((255-int(p[j]))*white + 127) / 255)
			}
		}
		switch {
		case f.alpha == 0:
			p[3] = 255
		case f.premultiplied:
			for j := range 3 {
				p[j] = byte(min(255, (int(p[j])*255+int(p[3])/2)/max(1, int(p[3]))))
			}
		}
	}
	return nil
}
