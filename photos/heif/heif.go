// Package heif reads the boxes of HEIF files, among them HEIC and AVIF: the items of a
// file, their stated sizes, how they are composed, and where their bytes are.
// It decodes no pictures.
//
// The rules are those of ISO/IEC 23008-12 (HEIF), of ISO/IEC 14496-12 for the boxes
// (ISOBMFF), and of the AV1 Image File Format for av1C.
package heif

import (
	"errors"
	"fmt"
	"slices"
)

// ErrUnsupported is in the errors for files that look sound, but have something that
// this package does not know. Any other error says that the file is damaged.
var ErrUnsupported = errors.New("not supported")

// Limits of a file; larger ones are refused. A 200-megapixel picture
// in tiles of 512 × 512 has 800 items.
const (
	maxBoxes      = 4096    // children of one box
	maxItems      = 8192    // items, and tiles of one grid
	maxExtents    = 1 << 16 // of all items
	maxReferences = 1 << 16 // of all items
	maxLinks      = 1 << 17 // associations of properties, of all items
	maxTransforms = 8       // of one item; more than three are of no use
)

// A File is the parsed boxes of a file. It keeps the bytes that it was parsed
// from, which must not change. It is safe for concurrent use.
type File struct {
	Brand  string   // major brand, four bytes, such as "heic" or "avif"
	Brands []string // compatible brands

	data    []byte
	idat    []byte
	items   map[uint32]*Item
	primary *Item
}

// known are the brands of image files: those of HEIF, of its HEVC and of its AV1
// flavours. "mif2" and "mif3" have boxes of other kinds and are not among them.
var known = []string{
	"mif1", "msf1", "miaf", "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "avif", "avis",
}

// HasSignature reports whether a file begins like one of the formats of this package: with a
// ftyp box that has one of the known brands. It reads only the beginning.
func HasSignature(data []byte) bool {
	ftyp, _, err := next(data)
	if err != nil || ftyp.kind != "ftyp" {
		return false
	}
	f := &File{}
	return f.ftyp(ftyp.body) == nil
}

// Parse reads the boxes. A file that is cut off is an error only if a box is not
// complete. Missing bytes of an item are an error of Data.
func Parse(data []byte) (*File, error) {
	f := &File{data: data, items: map[uint32]*Item{}}
	ftyp, rest, err := next(data)
	if err != nil || ftyp.kind != "ftyp" {
		return nil, errors.New("heif: the file does not begin with a ftyp box")
	}
	if err := f.ftyp(ftyp.body); err != nil {
		return nil, fmt.Errorf("heif: ftyp: %w", err)
	}
	film := false
	for range maxBoxes {
		if len(rest) == 0 && film {
			return nil, fmt.Errorf("heif: it is a film without a still picture, which is %w", ErrUnsupported)
		}
		var b box
		if b, rest, err = next(rest); err != nil {
			return nil, fmt.Errorf("heif: no complete meta box: %w", err)
		}
		film = film || b.kind == "moov"
		if b.kind == "meta" {
			if err := f.meta(b.body); err != nil {
				return nil, fmt.Errorf("heif: meta: %w", err)
			}
			return f, nil
		}
	}
	return nil, fmt.Errorf("heif: no meta box among the first %d boxes", maxBoxes)
}

func (f *File) ftyp(body []byte) error {
	r := reader{b: body}
	f.Brand = r.fourCC()
	r.skip(4) // minor version
	if r.bad {
		return errShort
	}
	for n := 0; len(r.b) >= 4 && n < 64; n++ {
		f.Brands = append(f.Brands, r.fourCC())
	}
	if !slices.ContainsFunc(known, f.HasBrand) {
		return fmt.Errorf("brand %q: %w", f.Brand, ErrUnsupported)
	}
	return nil
}

// HasBrand reports whether a brand is the major one or one of the compatible ones.
func (f *File) HasBrand(brand string) bool {
	return f.Brand == brand || slices.Contains(f.Brands, brand)
}

// Primary returns the item to be shown. It is never nil.
func (f *File) Primary() *Item { return f.primary }

// Codec returns the type of the coded items that the primary item is made of: "av01" in
// an AVIF, "hvc1" in a HEIC. It is "" for none or several types.
func (f *File) Codec() string {
	codec := f.primary.Type
	for i, tile := range f.primary.tiles() {
		if i > 0 && tile.Type != codec {
			return ""
		}
		codec = tile.Type
	}
	if codec == "grid" || codec == "iovl" || codec == "iden" {
		return ""
	}
	return codec
}

// Exif returns the Exif blob of the primary item from the TIFF header on, or nil if it
// has no Exif item.
func (f *File) Exif() ([]byte, error) {
	for _, it := range f.items {
		if it.Type != "Exif" || !slices.Contains(it.refs["cdsc"], f.primary.ID) {
			continue
		}
		data, err := it.Data()
		if err != nil {
			return nil, err
		}
		r := reader{b: data}
		r.skip(uint64(r.u32())) // exif_tiff_header_offset
		if r.bad {
			return nil, fmt.Errorf("heif: item %d: the TIFF header lies outside the Exif item", it.ID)
		}
		return r.b, nil
	}
	return nil, nil
}
