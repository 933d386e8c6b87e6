package heif

import (
	"bytes"
	"errors"
	"fmt"
)

// A Color is the colour space of a picture: code points of ITU-T H.273, from
// a colr box of type nclx.
type Color struct {
	Primaries, Transfer uint16
	Matrix              uint16 // coefficients
	FullRange           bool
}

// A Transform is one step from the decoded picture to the one that is shown: one of
// Rotation, Mirror and Crop.
type Transform interface{ transform() }

// A Rotation is a number of quarter turns counterclockwise (irot).
type Rotation int

// A Mirror swaps left and right, or else top and bottom (imir; 1 and 0 of its field
// as libavif and libheif read them, since the standard's first edition is unclear).
type Mirror struct{ LeftRight bool }

// A Crop keeps a part of the picture, in fractions of pixels (clap): its size, and
// where its centre lies from the centre of the picture.
type Crop struct{ Width, Height, X, Y Fraction }

// A Fraction is N / D; D is at least 1.
type Fraction struct{ N, D int64 }

func (Rotation) transform() {}
func (Mirror) transform()   {}
func (Crop) transform()     {}

// A property is a parsed box of ipco. apply writes it into an item; it is nil if the
// property does not matter to this package.
type property struct {
	kind  string
	known bool
	apply func(*Item)
}

// properties reads the iprp box: the properties (ipco), and which item has which
// (ipma).
func (f *File) properties(body []byte) error {
	var list []property
	links, ipco := 0, false
	return children(body, func(b box) error {
		switch {
		case b.kind == "ipco" && !ipco:
			ipco = true
			return children(b.body, func(b box) error {
				apply, known, err := parseProperty(b)
				list = append(list, property{b.kind, known, apply})
				return err
			})
		case b.kind == "ipma":
			n, err := f.associate(b.body, list, maxLinks-links)
			links += n
			return err
		}
		return nil
	})
}

// associate reads an ipma box and returns how many associations it had.
func (f *File) associate(body []byte, list []property, most int) (links int, err error) {
	r := reader{b: body}
	version, flags := r.full()
	width := 2
	if version > 0 {
		width = 4
	}
	for count := r.u32(); count > 0 && !r.bad; count-- {
		it := f.items[uint32(r.uint(width))]
		for n := r.u8(); n > 0 && !r.bad; n-- {
			index, essential := int(r.u8()), false
			if flags&1 != 0 {
				index = index<<8 | int(r.u8())
				index, essential = index&0x7fff, index&0x8000 != 0
			} else {
				index, essential = index&0x7f, index&0x80 != 0
			}
			if links++; links > most {
				return links, fmt.Errorf("more than %d associations", maxLinks)
			}
			if index > len(list) {
				return links, fmt.Errorf("no property %d", index)
			}
			if index > 0 && it != nil {
				it.add(list[index-1], essential)
				if len(it.Transforms) > maxTransforms {
					return links, fmt.Errorf("item %d has more than %d transforms", it.ID, maxTransforms)
				}
			}
		}
	}
	return links, r.end()
}

func (it *Item) add(p property, essential bool) {
	if p.apply != nil {
		p.apply(it)
	}
	if !p.known && essential && it.Unknown == "" {
		it.Unknown = p.kind
	}
}

// parseProperty reads a child of ipco. apply is nil for a property that is unknown or does
// not matter.
func parseProperty(b box) (apply func(*Item), known bool, err error) {
	r := reader{b: b.body}
	switch b.kind {
	case "ispe":
		r.full()
		w, h := r.u32(), r.u32()
		apply = func(it *Item) { it.Width, it.Height = w, h }
	case "pixi":
		r.full()
		r.take(uint64(r.u8())) // the depth of each channel
	case "irot":
		turns := Rotation(r.u8() & 3)
		apply = func(it *Item) { it.Transforms = append(it.Transforms, turns) }
	case "imir":
		m := Mirror{LeftRight: r.u8()&1 == 1}
		apply = func(it *Item) { it.Transforms = append(it.Transforms, m) }
	case "clap":
		c, err := crop(&r)
		if err != nil {
			return nil, true, err
		}
		apply = func(it *Item) { it.Transforms = append(it.Transforms, c) }
	case "colr":
		if kind := r.fourCC(); kind != "nclx" {
			if profile := r.b; kind == "prof" || kind == "rICC" {
				apply = func(it *Item) { it.profile = profile }
			}
			break
		}
		c := &Color{r.u16(), r.u16(), r.u16(), r.u8()&0x80 != 0}
		apply = func(it *Item) { it.Color = c }
	case "auxC":
		r.full()
		kind, _, _ := bytes.Cut(r.b, []byte{0})
		apply = func(it *Item) { it.aux = string(kind) }
	case "av1C":
		r.skip(4)
	case "hvcC":
		config := r.b
		apply = func(it *Item) { it.HEVC = config }
		return apply, true, nil
	case "pasp", "clli", "mdcv", "cclv", "amve":
	default:
		return nil, false, nil
	}
	return apply, true, r.end()
}

func crop(r *reader) (c Crop, err error) {
	for _, f := range []*Fraction{&c.Width, &c.Height, &c.X, &c.Y} {
		*f = Fraction{int64(int32(r.u32())), int64(r.u32())}
		if f.D == 0 || f.D > 1<<31-1 {
			return c, errors.New("a fraction without a denominator")
		}
	}
	if c.Width.N <= 0 || c.Height.N <= 0 {
		return c, errors.New("the crop leaves nothing")
	}
	return c, nil
}
