// Package tiff decodes the first picture of a TIFF or BigTIFF file: in strips or tiles, with the samples of
// a pixel together or in separate planes. What it does not decode, it refuses by name before it decodes
// anything. It applies no colour profile and does not turn the picture.
//
// The rules are those of TIFF 6.0, of its technical notes for JPEG and Deflate, and of libtiff for WebP and
// Zstandard.
package tiff

import (
	"errors"
	"fmt"
	"slices"
)

// An UnsupportedError names what is not supported, such as "this TIFF is compressed as JPEG 2000".
type UnsupportedError string

func (e UnsupportedError) Error() string { return string(e) }

func unsupported(format string, args ...any) error {
	return UnsupportedError(fmt.Sprintf(format, args...))
}

var errCut = errors.New("the TIFF lacks a part of its pixels")

// Tags.
const (
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagOrientation     = 274
	tagSamples         = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagPlanar          = 284
	tagT4Options       = 292
	tagPredictor       = 317
	tagColorMap        = 320
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagInkSet          = 332
	tagExtraSamples    = 338
	tagSampleFormat    = 339
	tagJPEGTables      = 347
	tagProfile         = 34675
)

// Photometric interpretations.
const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	paletted    = 3
	cmyk        = 5
	yCbCr       = 6
)

// Compressions.
const (
	none       = 1
	group3     = 3
	group4     = 4
	lzwCoded   = 5
	jpegCoded  = 7
	deflate    = 8
	packBits   = 32773
	deflateOld = 32946
	zstdCoded  = 50000
	webpCoded  = 50001
)

// Values of ExtraSamples.
const (
	premultiplied = 1
	straight      = 2
)

const (
	maxSide    = 1 << 20 // pixels
	maxSamples = 16
)

var (
	colourChannels   = map[uint64]int{whiteIsZero: 1, blackIsZero: 1, rgb: 3, paletted: 1, cmyk: 4, yCbCr: 3}
	otherPhotometric = map[uint64]string{
		4: "a mask", 8: "CIE L*a*b*", 9: "ICC L*a*b*", 10: "ITU L*a*b*", 32803: "those of a camera's sensor",
		32844: "LogL", 32845: "LogLuv", 34892: "linear raw",
	}
	readCompressions = []uint64{none, group3, group4, lzwCoded, jpegCoded, deflate, packBits, deflateOld, zstdCoded,
		webpCoded}
	otherCompressions = map[uint64]string{
		2: "CCITT Huffman", 6: "old JPEG", 9: "JBIG", 10: "JBIG", 32771: "CCITT Huffman", 33003: "JPEG 2000",
		33004: "JPEG 2000", 33005: "JPEG 2000", 34661: "JBIG", 34676: "SGI Log", 34677: "SGI Log", 34712: "JPEG 2000",
		34887: "LERC", 34925: "LZMA", 50002: "JPEG XL", 52546: "JPEG XL",
	}
	sampleFormats = map[uint64]string{2: "signed", 3: "floating-point", 5: "complex", 6: "complex"}
)

// A File is a parsed directory, of a picture that can be decoded if its pixels are sound.
type File struct {
	Width, Height int    // pixels, before any rotation
	Orientation   int    // 1 to 8 as Exif numbers it, 0: not stated
	Profile       []byte // ICC, nil for none

	directory               *directory
	photometric, compressed uint64
	bits                    int // of a sample
	samples                 int // of a pixel
	alpha                   int // the sample that is the opacity, 0: none
	premultiplied           bool
	separate                bool // planes
	differences             bool // samples are differences from those to the left
	reversed                bool // bits of each byte
	block                   struct{ width, height, across, down int }
	tiled                   bool
	offsets, lengths        []uint64
	palette                 []uint64
}

// Parse reads the first directory. Its errors are UnsupportedError, or say that the file is damaged.
func Parse(data []byte) (*File, error) {
	d, err := readDirectory(data)
	if err != nil {
		return nil, err
	}
	width, height := d.number(tagWidth, 0), d.number(tagHeight, 0)
	if width == 0 || height == 0 || width > maxSide || height > maxSide {
		return nil, fmt.Errorf("the TIFF states %d × %d pixels", width, height)
	}
	f := &File{Width: int(width), Height: int(height), Profile: d.fields[tagProfile].bytes, directory: d,
		reversed: d.number(tagFillOrder, 1) == 2}
	if o := d.number(tagOrientation, 0); o <= 8 {
		f.Orientation = int(o)
	}
	for _, part := range []func() error{f.readCompression, f.readSamples, f.readColours, f.readPredictor, f.readBlocks} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *File) readCompression() error {
	f.compressed = f.directory.number(tagCompression, none)
	if f.compressed == 0 { // some programs write this for none
		f.compressed = none
	}
	if name, ok := otherCompressions[f.compressed]; ok {
		return unsupported("this TIFF is compressed as %s", name)
	}
	if !slices.Contains(readCompressions, f.compressed) {
		return unsupported("this TIFF is compressed as number %d", f.compressed)
	}
	const twoDimensional, fillBits = 1, 4
	if options := f.directory.number(tagT4Options, 0); f.compressed == group3 && options&(twoDimensional|fillBits) != 0 {
		return unsupported("this TIFF is compressed as CCITT Group 3 with options")
	}
	return nil
}

func (f *File) readSamples() error {
	d := f.directory
	f.samples = int(min(d.number(tagSamples, 1), maxSamples+1))
	if f.samples < 1 || f.samples > maxSamples {
		return unsupported("this TIFF has more than %d channels", maxSamples)
	}
	f.separate = d.number(tagPlanar, 1) == 2 && f.samples > 1
	f.bits = int(min(d.number(tagBits, 1), 1<<16))
	for _, b := range d.numbers(tagBits) {
		if b != uint64(f.bits) {
			return unsupported("the channels of this TIFF differ in their bits")
		}
	}
	for _, kind := range d.numbers(tagSampleFormat) {
		if name, ok := sampleFormats[kind]; ok {
			return unsupported("this TIFF has %s numbers", name)
		}
	}
	fixed := map[uint64]int{group3: 1, group4: 1, jpegCoded: 8, webpCoded: 8}[f.compressed]
	if !slices.Contains([]int{1, 2, 4, 8, 16}, f.bits) || fixed != 0 && f.bits != fixed {
		return unsupported("this TIFF has %d bits a channel", f.bits)
	}
	return nil
}

// readColours refuses colours that are not decoded, and finds the opacity among the samples.
func (f *File) readColours() error {
	d := f.directory
	f.photometric = d.number(tagPhotometric, 1<<16)
	if name, ok := otherPhotometric[f.photometric]; ok {
		return unsupported("the colours of this TIFF are %s", name)
	}
	colours := colourChannels[f.photometric]
	switch {
	case colours == 0:
		return errors.New("the TIFF does not state what its colours are")
	case f.samples < colours:
		return fmt.Errorf("the TIFF has %d channels, its colours need %d", f.samples, colours)
	case f.photometric == yCbCr && f.separate:
		return unsupported("the colours of this TIFF are YCbCr in separate planes")
	case f.photometric == yCbCr && f.compressed != jpegCoded:
		return unsupported("the colours of this TIFF are YCbCr without JPEG")
	case f.photometric == cmyk && d.number(tagInkSet, 1) != 1:
		return unsupported("the colours of this TIFF are inks other than CMYK")
	case f.photometric == cmyk && f.samples > colours:
		return unsupported("this TIFF has more channels than CMYK")
	case f.compressed == jpegCoded && !f.separate && f.samples != 1 && f.samples != 3:
		return unsupported("this TIFF is compressed as JPEG with %d channels", f.samples)
	case f.compressed == webpCoded && (f.photometric != rgb || f.separate || f.samples > 4):
		return unsupported("this TIFF is compressed as WebP, but its colours are not RGB")
	case (f.compressed == group3 || f.compressed == group4) && f.samples > 1:
		return unsupported("this TIFF is compressed as CCITT with %d channels", f.samples)
	}
	if f.photometric == paletted {
		if f.palette = d.numbers(tagColorMap); f.bits > 8 || len(f.palette) < 3<<f.bits {
			return fmt.Errorf("the TIFF has a palette of %d numbers for %d bits", len(f.palette), f.bits)
		}
	}
	if kind := d.number(tagExtraSamples, 0); f.samples > colours && (kind == premultiplied || kind == straight) {
		f.alpha, f.premultiplied = colours, kind == premultiplied
	}
	return nil
}

// readPredictor follows libtiff: only these compressions have predictors.
func (f *File) readPredictor() error {
	if !slices.Contains([]uint64{lzwCoded, deflate, deflateOld, zstdCoded}, f.compressed) {
		return nil
	}
	switch p := f.directory.number(tagPredictor, 1); {
	case p == 1:
	case p == 2 && f.bits >= 8:
		f.differences = true
	default:
		return unsupported("this TIFF has predictor %d with %d bits a channel", p, f.bits)
	}
	return nil
}

// readBlocks reads where the strips or tiles are.
func (f *File) readBlocks() error {
	d := f.directory
	b := &f.block
	b.width, b.height = f.Width, int(min(d.number(tagRowsPerStrip, uint64(f.Height)), uint64(f.Height)))
	offsets, lengths := uint16(tagStripOffsets), uint16(tagStripByteCounts)
	if w := d.number(tagTileWidth, 0); w > 0 {
		f.tiled = true
		b.width, b.height = int(min(w, maxSide)), int(min(d.number(tagTileHeight, 0), maxSide))
		offsets, lengths = tagTileOffsets, tagTileByteCounts
	}
	if b.height == 0 {
		return errors.New("the TIFF has strips or tiles without rows")
	}
	if f.tiled && (b.width%16 != 0 || b.height%16 != 0) { // also bounds how many there are
		return errors.New("the TIFF has tiles whose sides are not multiples of 16")
	}
	b.across, b.down = (f.Width+b.width-1)/b.width, (f.Height+b.height-1)/b.height
	f.offsets, f.lengths = d.numbers(offsets), d.numbers(lengths)
	n := b.across * b.down * f.planes()
	if f.lengths == nil && n == 1 && f.compressed == none && len(f.offsets) == 1 { // as old programs left it out
		f.lengths = []uint64{uint64(f.rowBytes()) * uint64(b.height)}
	}
	if len(f.offsets) < n || len(f.lengths) < n {
		return errCut
	}
	return nil
}

// planes returns how many sets of blocks there are.
func (f *File) planes() int {
	if f.separate {
		return f.samples
	}
	return 1
}

// blockSamples returns how many samples a pixel has in a block.
func (f *File) blockSamples() int { return f.samples / f.planes() }

// rowBytes returns the length of a row of a block, unpacked.
func (f *File) rowBytes() int { return (f.block.width*f.blockSamples()*f.bits + 7) / 8 }

// Memory estimates the bytes that Decode takes.
func (f *File) Memory() float64 {
	block := float64(f.block.width) * float64(f.block.height)
	switch f.compressed {
	case jpegCoded, webpCoded: // and what their decoders take
		block *= 12
	case none:
		block *= float64(f.blockSamples()*f.bits) / 8
	default: // a buffer that grows
		block *= 2 * float64(f.blockSamples()*f.bits) / 8
	}
	return 4*float64(f.Width)*float64(f.Height) + block
}
