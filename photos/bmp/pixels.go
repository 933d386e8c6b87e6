package bmp

import (
	"encoding/binary"
	"errors"
	"image"
	"math/bits"
)

var errPalette = errors.New("the BMP has colours that are not in its palette")

// Decode returns the picture. Pixels that RLE skips are black.
func (f *File) Decode() (*image.NRGBA, error) {
	if f.compression == rle8 || f.compression == rle4 {
		m := image.NewNRGBA(image.Rect(0, 0, f.Width, f.Height))
		for i := 3; i < len(m.Pix); i += 4 {
			m.Pix[i] = 255
		}
		return m, f.runs(m)
	}
	stride := (f.Width*f.bits + 31) / 32 * 4
	if len(f.pixels) < (f.Height-1)*stride+(f.Width*f.bits+7)/8 {
		return nil, errCut
	}
	m := image.NewNRGBA(image.Rect(0, 0, f.Width, f.Height))
	for y := range f.Height {
		row, out := f.pixels[y*stride:], f.line(m, y)
		var err error
		if f.bits <= 8 {
			err = f.indexed(out, row)
		} else {
			f.masked(out, row)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// line returns the pixels of row y of the file.
func (f *File) line(m *image.NRGBA, y int) []byte {
	if !f.topDown {
		y = f.Height - 1 - y
	}
	return m.Pix[y*m.Stride:][:4*f.Width]
}

func (f *File) indexed(out, row []byte) error {
	for x := range f.Width {
		at := x * f.bits
		if err := f.set(out, x, row[at/8]>>(8-f.bits-at%8)&(1<<f.bits-1)); err != nil {
			return err
		}
	}
	return nil
}

// set sets pixel x of a row to a colour of the palette.
func (f *File) set(out []byte, x int, colour byte) error {
	if int(colour) >= len(f.palette) {
		return errPalette
	}
	c := f.palette[colour]
	out[4*x], out[4*x+1], out[4*x+2], out[4*x+3] = c.R, c.G, c.B, c.A
	return nil
}

// masked reads pixels of 16, 24 or 32 bits.
func (f *File) masked(out, row []byte) {
	var wide [4]byte
	for x := range f.Width {
		copy(wide[:f.bits/8], row[x*f.bits/8:])
		v := binary.LittleEndian.Uint32(wide[:])
		for i, mask := range f.masks {
			c := uint64(255)
			if mask != 0 {
				shift := bits.TrailingZeros32(mask)
				most := uint64(mask >> shift)
				c = (uint64(v&mask>>shift)*255 + most/2) / most
			} else if i < 3 {
				c = 0
			}
			out[4*x+i] = byte(c)
		}
	}
}

// runs reads RLE8 and RLE4.
func (f *File) runs(m *image.NRGBA) error {
	const endOfLine, endOfPicture, move = 0, 1, 2
	x, y, rest := 0, 0, f.pixels
	for y < f.Height {
		if len(rest) < 2 {
			if y == f.Height-1 && x >= f.Width { // only the end is not stated
				return nil
			}
			return errCut
		}
		n, v := int(rest[0]), rest[1]
		rest = rest[2:]
		switch {
		case n > 0:
			if err := f.run(f.line(m, y), x, n, []byte{v}); err != nil {
				return err
			}
			x += n
		case v == endOfLine:
			x, y = 0, y+1
		case v == endOfPicture:
			return nil
		case v == move:
			if len(rest) < 2 {
				return errCut
			}
			x, y, rest = x+int(rest[0]), y+int(rest[1]), rest[2:]
		default:
			n = int(v)
			size := (n*f.bits + 7) / 8
			if len(rest) < size {
				return errCut
			}
			if err := f.run(f.line(m, y), x, n, rest[:size]); err != nil {
				return err
			}
			x, rest = x+n, rest[min(size+size%2, len(rest)):]
		}
	}
	return nil
}

// run sets n pixels from x on to the colours in b, which are repeated. What lies beyond the row is left out.
func (f *File) run(out []byte, x, n int, b []byte) error {
	for i := range min(n, f.Width-x) {
		at := i * f.bits
		if err := f.set(out, x+i, b[at/8%len(b)]>>(8-f.bits-at%8)&(1<<f.bits-1)); err != nil {
			return err
		}
	}
	return nil
}
