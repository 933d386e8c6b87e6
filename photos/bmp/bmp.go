// Package bmp decodes BMP files: the headers of Windows from version 2 to 5 and those of OS/2, palettes, RLE,
// and pixels whose channels are bits that masks choose. It applies no colour profile.
//
// The rules are those of Microsoft's documentation of BITMAPINFOHEADER, BITMAPV5HEADER and "Bitmap
// Compression", and for OS/2 those of BITMAPINFOHEADER2. Where they are silent, browsers decide.
package bmp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
)

// An UnsupportedError names what is not supported, such as "this BMP is compressed as JPEG".
type UnsupportedError string

func (e UnsupportedError) Error() string { return string(e) }

func unsupported(format string, args ...any) error {
	return UnsupportedError(fmt.Sprintf(format, args...))
}

var errCut = errors.New("the BMP is cut off")

// Compressions.
const (
	uncompressed   = 0
	rle8           = 1
	rle4           = 2
	bitFields      = 3
	alphaBitFields = 6
)

var (
	otherCompressions = map[uint32]string{4: "JPEG", 5: "PNG", 11: "CMYK", 12: "CMYK", 13: "CMYK"}
	otherOS2          = map[uint32]string{3: "Huffman", 4: "RLE of 24 bits"}
)

// Lengths of headers. Those from 16 to 64 bytes that are not here are of OS/2, which may leave out the end.
const (
	fileHeader = 14
	coreHeader = 12
	minOS2     = 16
	infoHeader = 40
	v2Header   = 52 // with masks
	v3Header   = 56 // with a mask of opacity
	maxOS2     = 64
	v4Header   = 108
	v5Header   = 124
)

// A File is a parsed header, of a picture that can be decoded if its pixels are sound.
type File struct {
	Width, Height int
	Profile       []byte // ICC, nil for none

	bits        int // of a pixel
	compression uint32
	topDown     bool
	masks       [4]uint32 // of red, green, blue and opacity
	palette     []color.NRGBA
	pixels      []byte
}

// Parse reads the headers and the palette. Its errors are UnsupportedError, or say that the file is damaged.
func Parse(data []byte) (*File, error) {
	if len(data) < fileHeader+coreHeader {
		return nil, errCut
	}
	size := int(min(binary.LittleEndian.Uint32(data[fileHeader:]), 1<<16))
	if size != coreHeader && (size < minOS2 || size > maxOS2) && size != v4Header && size != v5Header {
		return nil, unsupported("this BMP has a header of %d bytes", size)
	}
	if len(data) < fileHeader+size {
		return nil, errCut
	}
	header := make([]byte, v5Header) // zeros for what is left out
	copy(header, data[fileHeader:fileHeader+size])
	f := &File{}
	if size == coreHeader {
		f.Width, f.Height = int(binary.LittleEndian.Uint16(header[4:])), int(binary.LittleEndian.Uint16(header[6:]))
		f.bits = int(binary.LittleEndian.Uint16(header[10:]))
		clear(header[coreHeader:])
	} else {
		f.Width, f.Height = int(int32(field(header, 4))), int(int32(field(header, 8)))
		f.bits, f.compression = int(binary.LittleEndian.Uint16(header[14:])), field(header, 16)
	}
	if f.Height < 0 {
		f.Height, f.topDown = -f.Height, true
	}
	if f.Width <= 0 || f.Height <= 0 {
		return nil, fmt.Errorf("the BMP states %d × %d pixels", f.Width, f.Height)
	}
	if err := f.check(size); err != nil {
		return nil, err
	}
	return f, f.readColours(data, header, size)
}

func field(header []byte, at int) uint32 { return binary.LittleEndian.Uint32(header[at:]) }

// check refuses combinations of bits and compression that are not decoded.
func (f *File) check(size int) error {
	names := otherCompressions
	if size >= minOS2 && size <= maxOS2 && size != infoHeader && size != v2Header && size != v3Header {
		names = otherOS2
	}
	if name, ok := names[f.compression]; ok {
		return unsupported("this BMP is compressed as %s", name)
	}
	var sound bool
	switch f.compression {
	case uncompressed:
		switch f.bits {
		case 1, 2, 4, 8, 16, 24, 32:
			sound = true
		}
	case rle8, rle4:
		sound = f.bits == 8/int(f.compression) && !f.topDown
	case bitFields, alphaBitFields:
		sound = f.bits == 16 || f.bits == 32
	default:
		return unsupported("this BMP is compressed as number %d", f.compression)
	}
	if !sound {
		return unsupported("this BMP has %d bits a pixel with compression %d", f.bits, f.compression)
	}
	return nil
}

// readColours reads masks, palette and profile, and finds the pixels.
func (f *File) readColours(data, header []byte, size int) error {
	rest := data[fileHeader+size:]
	switch {
	case f.compression == uncompressed && f.bits == 16:
		f.masks = [4]uint32{0x7c00, 0x3e0, 0x1f}
	case f.compression == uncompressed:
		f.masks = [4]uint32{0xff0000, 0xff00, 0xff}
		if size >= v4Header && f.bits == 32 {
			f.masks[3] = field(header, v2Header)
		}
	case f.compression == bitFields || f.compression == alphaBitFields:
		source, n := header[infoHeader:], 3
		if size >= v3Header || f.compression == alphaBitFields {
			n = 4
		}
		if size < v2Header { // the masks follow the header
			if len(rest) < 4*n {
				return errCut
			}
			source, rest = rest[:4*n], rest[4*n:]
		}
		for i := range n {
			f.masks[i] = field(source, 4*i)
		}
	}
	begin := len(data) - len(rest)
	offset := int(field(data, 10))
	if offset == 0 && f.bits > 8 {
		offset = begin
	}
	if offset < begin || offset > len(data) {
		return errors.New("the BMP does not state where its pixels are")
	}
	f.pixels = data[offset:]
	if f.bits <= 8 {
		f.readPalette(data[begin:offset], int(field(header, 32)), size == coreHeader)
	}
	const space, embedded = 56, "DEBM" // MBED as a little-endian number
	if at := fileHeader + uint64(field(header, 112)); string(header[space:space+4]) == embedded {
		if end := at + uint64(field(header, 116)); end <= uint64(len(data)) {
			f.Profile = data[at:end]
		}
	}
	return nil
}

// readPalette reads as many colours as are stated, or as the bits allow, and as there is room for.
func (f *File) readPalette(b []byte, stated int, short bool) {
	size := 4
	if short {
		size = 3
	}
	n := 1 << f.bits
	if stated > 0 {
		n = min(n, stated)
	}
	for ; n > 0 && len(b) >= size; n, b = n-1, b[size:] {
		f.palette = append(f.palette, color.NRGBA{b[2], b[1], b[0], 255})
	}
}
