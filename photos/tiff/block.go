package tiff

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"
	"golang.org/x/image/webp"
)

// A DecodeFunc decodes a file of another format.
type DecodeFunc func([]byte) (image.Image, error)

// unpack returns the rows of a block of so many rows.
func (f *File) unpack(packed []byte, rows int, decodeWebP DecodeFunc) ([]byte, error) {
	size := f.rowBytes() * rows
	if f.reversed && f.compressed != jpegCoded && f.compressed != webpCoded {
		packed = bytes.Clone(packed)
		for i, b := range packed {
			packed[i] = bits.Reverse8(b)
		}
	}
	in := bytes.NewReader(packed)
	switch f.compressed {
	case none:
		if len(packed) < size {
			return nil, errCut
		}
		return packed[:size], nil
	case packBits:
		return unpackBits(packed, size)
	case group3, group4:
		kind := ccitt.Group4
		if f.compressed == group3 {
			kind = ccitt.Group3
		}
		// Black is 1 whatever the photometric interpretation says (TIFF 6.0, section 10).
		return read(ccitt.NewReader(in, ccitt.MSB, kind, f.block.width, rows, &ccitt.Options{Invert: true}), size)
	case lzwCoded:
		return read(lzw.NewReader(in, lzw.MSB, 8), size)
	case deflate, deflateOld:
		z, err := zlib.NewReader(in)
		if err != nil {
			return nil, err
		}
		return read(z, size)
	case zstdCoded:
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return read(z, size)
	case jpegCoded:
		packed = withTables(f.directory.fields[tagJPEGTables].bytes, packed)
		return f.unpackImage(packed, rows, jpeg.DecodeConfig, func(b []byte) (image.Image, error) {
			return jpeg.Decode(bytes.NewReader(b))
		})
	}
	return f.unpackImage(packed, rows, webp.DecodeConfig, decodeWebP)
}

const maxWindow = 8 << 20 // bytes, of Zstandard, which its standard asks decoders for

// read reads size bytes. Memory grows only with what is there.
func read(r io.Reader, size int) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, int64(size)); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, errCut
	} else if err != nil {
		return nil, fmt.Errorf("the pixels of the TIFF are damaged: %w", err)
	}
	return b.Bytes(), nil
}

// unpackBits follows section 9 of TIFF 6.0.
func unpackBits(packed []byte, size int) ([]byte, error) {
	var out []byte
	for len(out) < size && len(packed) > 1 {
		n := int(int8(packed[0]))
		packed = packed[1:]
		switch {
		case n >= 0:
			n = min(n+1, len(packed))
			out, packed = append(out, packed[:n]...), packed[n:]
		case n != -128:
			out, packed = append(out, bytes.Repeat(packed[:1], 1-n)...), packed[1:]
		}
	}
	if len(out) < size {
		return nil, errCut
	}
	return out[:size], nil
}

// withTables puts the tables that all blocks share before those of one (TIFF technical note 2): both are
// JPEG files, between FF D8 and FF D9.
func withTables(tables, file []byte) []byte {
	if len(tables) < 4 || len(file) < 2 {
		return file
	}
	return append(bytes.Clone(tables[:len(tables)-2]), file[2:]...)
}

// unpackImage decodes a block that is a file of another format to samples of a byte.
func (f *File) unpackImage(file []byte, rows int, config func(io.Reader) (image.Config, error),
	decode DecodeFunc) ([]byte, error) {
	c, err := config(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("a strip or tile of the TIFF: %w", err)
	}
	if c.Width != f.block.width || c.Height < rows || c.Height > f.block.height {
		return nil, fmt.Errorf("a strip or tile of the TIFF has %d × %d pixels, want %d × %d", c.Width, c.Height,
			f.block.width, rows)
	}
	m, err := decode(file)
	if err != nil {
		return nil, fmt.Errorf("a strip or tile of the TIFF: %w", err)
	}
	n := f.blockSamples()
	y, isYCbCr := m.(*image.YCbCr)
	_, grey := m.(*image.Gray)
	if grey != (n == 1) {
		return nil, fmt.Errorf("a strip or tile of the TIFF is of another kind (%T) than its %d channels", m, n)
	}
	out := make([]byte, 0, f.rowBytes()*rows)
	for row := range rows {
		for x := range f.block.width {
			c := color.NRGBAModel.Convert(m.At(x, row)).(color.NRGBA)
			if isYCbCr && f.photometric == rgb && f.compressed == jpegCoded { // only the decoder took them for YCbCr
				v := y.YCbCrAt(x, row)
				c = color.NRGBA{v.Y, v.Cb, v.Cr, 255}
			}
			out = append(out, []byte{c.R, c.G, c.B, c.A}[:n]...)
		}
	}
	return out, nil
}
