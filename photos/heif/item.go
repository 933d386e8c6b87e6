package heif

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// An Item is a picture, or metadata of one, with its properties.
type Item struct {
	ID   uint32
	Type string // such as "av01", "hvc1", "grid", "Exif"

	Width, Height uint32      // pixels, before the transforms; 0 when not stated
	Color         *Color      // nil when not stated
	HEVC          []byte      // body of its hvcC box, nil when it has none
	Transforms    []Transform // in the order in which they are to be applied
	Unknown       string      // type of an essential property that is not known, else ""

	file    *File
	profile []byte
	aux     string
	refs    map[string][]uint32
	extents []extent

	located, protected, elsewhere bool
	construction                  uint8 // 0 file, 1 idat, 2 other items
}

// tiles returns the items that a derived item is made from.
func (it *Item) tiles() []*Item {
	items := make([]*Item, 0, len(it.refs["dimg"]))
	for _, id := range it.refs["dimg"] {
		items = append(items, it.file.items[id])
	}
	return items
}

// Profile returns the ICC profile of a picture, or that of its first tile, or nil.

func (it *Item) Profile() []byte {
	if tiles := it.tiles(); it.profile == nil && len(tiles) > 0 {
		return tiles[0].profile
	}
	return it.profile
}

// Coding returns the colour space of a picture as code points, or that of its first tile, or nil. What the file
// leaves out, HEVC may state.
func (it *Item) Coding() *Color {
	for _, part := range append([]*Item{it}, it.tiles()...) {
		if part.Color != nil {
			return part.Color
		}
		if part.HEVC != nil {
			return hevcColor(part.HEVC)
		}
	}
	return nil
}

// alphas are the types of an auxiliary item that is the alpha of a picture: MIAF's and
// HEVC's.
var alphas = []string{"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"}

// Alpha returns the item that has the opacity of this one, or nil, and reports
// whether the colours of this one are already multiplied by it (prem).
func (it *Item) Alpha() (alpha *Item, premultiplied bool) {
	for _, id := range it.file.ids() {
		a := it.file.items[id]
		if slices.Contains(alphas, a.aux) && slices.Contains(a.refs["auxl"], it.ID) {
			return a, slices.Contains(it.refs["prem"], a.ID)
		}
	}
	return nil, false
}

// ids returns the ids of the items in ascending order.
func (f *File) ids() []uint32 {
	ids := make([]uint32, 0, len(f.items))
	for id := range f.items {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// A Grid is a picture of Rows × Columns tiles of one size. The right and
// the lower tiles may extend beyond the picture.
type Grid struct {
	Rows, Columns int
	Width, Height uint32  // pixels
	Tiles         []*Item // row by row
}

// Grid reads an item of type "grid".
func (it *Item) Grid() (*Grid, error) {
	if it.Type != "grid" {
		return nil, fmt.Errorf("heif: item %d is of type %q, not a grid", it.ID, it.Type)
	}
	data, err := it.read(64)
	if err != nil {
		return nil, err
	}
	r := reader{b: data}
	version, flags := r.u8(), r.u8()
	width := 2 << (flags & 1)
	g := &Grid{Rows: int(r.u8()) + 1, Columns: int(r.u8()) + 1}
	g.Width, g.Height = uint32(r.uint(width)), uint32(r.uint(width))
	g.Tiles = it.tiles()
	switch n := len(g.Tiles); {
	case r.bad || version != 0 || g.Width == 0 || g.Height == 0:
		return nil, fmt.Errorf("heif: item %d: malformed grid", it.ID)
	case n != g.Rows*g.Columns || n > maxItems:
		return nil, fmt.Errorf("heif: item %d: a grid of %d × %d with %d tiles", it.ID, g.Rows, g.Columns, n)
	}
	return g, nil
}

// Pixels returns how many pixels the primary item states, or makes a decoder
// decode: the largest of its own size, of the output of its grid and of the sum of the
// items that it is made from. Its alpha counts if it is larger. 0 means not stated.
// Items that are made from each other are an error.
func (f *File) Pixels() (uint64, error) {
	c := counter{known: map[uint32]uint64{}}
	n, err := c.pixels(f.primary)
	if err != nil {
		return 0, err
	}
	if alpha, _ := f.primary.Alpha(); alpha != nil {
		m, err := c.pixels(alpha)
		return max(n, m), err
	}
	return n, nil
}

// A counter counts the pixels of each item once.
type counter struct {
	known map[uint32]uint64
	depth int
}

const open = math.MaxUint64 // of an item that is being counted

func (c *counter) pixels(it *Item) (uint64, error) {
	if n, ok := c.known[it.ID]; ok && n != open {
		return n, nil
	} else if ok || c.depth > 16 {
		return 0, fmt.Errorf("heif: item %d is made from itself, or nested too deep", it.ID)
	}
	c.known[it.ID] = open
	c.depth++
	n := uint64(it.Width) * uint64(it.Height)
	if g, err := it.Grid(); err == nil {
		n = max(n, uint64(g.Width)*uint64(g.Height))
	}
	var sum uint64
	for _, tile := range it.tiles() {
		m, err := c.pixels(tile)
		if err != nil {
			return 0, err
		}
		if sum += m; sum < m || sum >= open {
			return 0, errors.New("heif: more pixels than can be counted")
		}
	}
	c.depth--
	n = min(max(n, sum), open-1)
	c.known[it.ID] = n
	return n, nil
}
