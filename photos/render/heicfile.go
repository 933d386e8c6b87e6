package render

import (
	"encoding/binary"
	"errors"
	"fmt"

	"relais/photos/heif"
)

// minHEIC is the least width at which the decoder's rows of Y, Cb and Cr are as long as it
// states.
const minHEIC = 128 // pixels

// The byte of an hvcC box that states the chroma sampling (ISO/IEC 14496-15, 8.3.3.1), and
// its values.
const (
	chromaByte = 16
	monochrome = 0
	chroma420  = 1
)

// tiled returns the item as a grid, of a single tile if it is not a grid.
func tiled(it *heif.Item) (*heif.Grid, error) {
	if it.Type == "grid" {
		return it.Grid()
	}
	return &heif.Grid{Rows: 1, Columns: 1, Width: it.Width, Height: it.Height, Tiles: []*heif.Item{it}}, nil
}

// widened returns a grid that is wide enough for the decoder. The picture is in its upper
// left corner.
func widened(g *heif.Grid) (*heif.Grid, error) {
	switch w := g.Tiles[0].Width; {
	case g.Width >= minHEIC:
		return g, nil
	case g.Columns != 1 || w == 0:
		return nil, fmt.Errorf("it is %d pixels wide, which its tiles do not allow: save it as JPEG", g.Width)
	default:
		columns := int((minHEIC + w - 1) / w)
		wide := &heif.Grid{Rows: g.Rows, Columns: columns, Width: w * uint32(columns), Height: g.Height}
		for _, t := range g.Tiles {
			for range columns {
				wide.Tiles = append(wide.Tiles, t)
			}
		}
		return wide, nil
	}
}

// heicFile writes a file whose only picture is a grid of HEVC tiles without alpha and
// transforms. The decoder reads that even if it fails on the original file. A picture of one
// channel states that it has colours, because the decoder does not know its layout
// otherwise.
func heicFile(g *heif.Grid) ([]byte, error) {
	if g.Rows > 256 || g.Columns > 256 || len(g.Tiles) != g.Rows*g.Columns {
		return nil, errors.New("its grid has a wrong number of tiles")
	}
	w := &heicWriter{}
	config, err := hevcConfig(g.Tiles[0])
	if err != nil {
		return nil, err
	}
	properties := box("ispe", u32(0, g.Width, g.Height))
	properties = append(properties, box("hvcC", config)...)
	properties = append(properties, box("ispe", u32(0, g.Tiles[0].Width, g.Tiles[0].Height))...)
	w.item("grid", append([]byte{0, 1, byte(g.Rows - 1), byte(g.Columns - 1)}, u32(g.Width, g.Height)...), 1)
	tiles := u16(1, len(g.Tiles))
	for i, t := range g.Tiles {
		data, err := t.Data()
		if err != nil {
			return nil, err
		}
		if t.Type != "hvc1" && t.Type != "hev1" {
			return nil, fmt.Errorf("a tile of it is coded as %q, which is not supported: save it as JPEG", t.Type)
		}
		w.item("hvc1", data, 0x82, 3)
		tiles = append(tiles, u16(i+2)...)
	}
	return w.file(properties, tiles), nil
}

// hevcConfig returns the body of an item's hvcC box, with colours in any case.
func hevcConfig(it *heif.Item) ([]byte, error) {
	if len(it.HEVC) <= chromaByte {
		return nil, errors.New("its HEVC configuration is missing")
	}
	config := append([]byte(nil), it.HEVC...)
	if config[chromaByte]&3 == monochrome {
		config[chromaByte] |= chroma420
	}
	return config, nil
}

// A heicWriter collects items; their ids are 1, 2, 3 and so on.
type heicWriter struct {
	items        int
	infos, links []byte
	contents     [][]byte
	lengths      []uint32 // lengths
}

// item adds an item with the numbers of its properties; essential ones have the bit 0x80.
func (w *heicWriter) item(kind string, content []byte, properties ...byte) {
	w.items++
	w.infos = append(w.infos, box("infe", u32(2<<24), u16(w.items, 0), []byte(kind+"\x00"))...)
	w.links = append(append(append(w.links, u16(w.items)...), byte(len(properties))), properties...)
	w.contents = append(w.contents, content)
	w.lengths = append(w.lengths, uint32(len(content)))
}

// file writes the whole file; tiles are the references of the first item.
func (w *heicWriter) file(properties, tiles []byte) []byte {
	begin := func(at uint32) []byte {
		var locations []byte
		for i, n := range w.lengths {
			locations = append(append(locations, u16(i+1, 0, 1)...), u32(at, n)...)
			at += n
		}
		return append(box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")), box("meta", u32(0),
			box("hdlr", u32(0, 0), []byte("pict"), make([]byte, 13)),
			box("pitm", u32(0), u16(1)),
			box("iinf", u32(0), u16(w.items), w.infos),
			box("iref", u32(0), box("dimg", tiles)),
			box("iprp", box("ipco", properties), box("ipma", u32(0, uint32(w.items)), w.links)),
			box("iloc", u32(0), u16(0x4400, w.items), locations))...)
	}
	const boxHead = 8
	return append(begin(uint32(len(begin(0))+boxHead)), box("mdat", w.contents...)...)
}

// box writes a box (ISO/IEC 14496-12, 4.2).
func box(kind string, parts ...[]byte) []byte {
	b := append(make([]byte, 4), kind...)
	for _, p := range parts {
		b = append(b, p...)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

func u16(numbers ...int) (b []byte) {
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	}
	return b
}

func u32(numbers ...uint32) (b []byte) {
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}
