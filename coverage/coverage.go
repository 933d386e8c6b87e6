// Package coverage has official coverage maps: where operators expect their networks to be received, as regulators
// publish it. A map of one operator, technology and edition is a layer, a grid in the projection of its source. A folder
// has a file for each layer. Nothing in them was measured.
package coverage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"relais/geo"
	"relais/ingest/source"
	"relais/market"
)

// Levels of reception on the scale that all sources share.
const (
	LevelNone     = "none"
	LevelLimited  = "limited"
	LevelGood     = "good"
	LevelVeryGood = "very_good"
	LevelCovered  = "covered" // the source states no level
)

// Rank returns the position of a level on the scale: 0 for none, 1 to 3 for its levels, and 1 for LevelCovered.
func Rank(level string) int {
	switch level {
	case LevelLimited, LevelCovered:
		return 1
	case LevelGood:
		return 2
	case LevelVeryGood:
		return 3
	}
	return 0
}

// How many operators are expected, where a source states their number and names none.
const (
	Three = "three"
	Some  = "some" // one or two
)

// A Word is what a value of a layer means.
type Word struct {
	Level     string `json:"level"`
	Source    string `json:"source,omitempty"`    // the source's own word
	Operators string `json:"operators,omitempty"` // how many operators, where the source names none: "three", "some"
}

// A Value is that of a cell: 0 if no area of the source has it, else the position of its word, from 1 on, the better
// ones last.
type Value uint8

// maxValue is the largest value of a cell.
const maxValue = 15

// A Publisher is who publishes a map.
type Publisher struct {
	Authority string `json:"authority"`
	Source    string `json:"source"`
	Licence   string `json:"licence,omitempty"` // "" if none is stated
}

// publisherOf returns who publishes the maps of a market.
func publisherOf(m *market.Market) Publisher {
	return Publisher{m.Coverage.Authority, m.Coverage.Source, m.Coverage.Licence}
}

// Info describes a layer.
type Info struct {
	Market     market.Code `json:"market"`
	Operator   string      `json:"operator,omitempty"`  // key; "" if the source names none
	Technology string      `json:"technology"`          // 2G, 2G/3G, 3G, 4G, 5G
	Service    string      `json:"service,omitempty"`   // voice or data
	Territory  string      `json:"territory,omitempty"` // the part of the market that it is about, "" for all of it
	Edition    string      `json:"edition"`             // YYYY-MM-DD: the day that it is about
	Publisher  Publisher   `json:"publisher"`
	EPSG       int         `json:"epsg"`
	Metres     int         `json:"metres"` // side of a cell, in the middle of the grid
	X0         float64     `json:"x0"`     // west and south edges
	Y0         float64     `json:"y0"`
	Cell       float64     `json:"cell"` // side of a cell, in units of the projection
	Cols       int         `json:"cols"`
	Rows       int         `json:"rows"`
	Words      []Word      `json:"words"` // of the values from 1 on
	// Outline names lands, with spaces: the source says nothing of cells without a value that are on none of them.
	Outline   string    `json:"outline,omitempty"`
	Synthetic bool      `json:"synthetic,omitempty"`
	From      string    `json:"from"`  // name of the file that it was made from
	Cells     []int64   `json:"cells"` // number of cells by value
	Km2       []float64 `json:"km2"`   // their area
}

// Name is the name of a layer's file without its suffix. That of another edition has another date at its end.
func (i *Info) Name() string {
	return i.name() + "-" + i.Edition
}

func (i *Info) name() string {
	parts := []string{string(i.Market)}
	for _, p := range []string{i.Territory, i.Operator, strings.ReplaceAll(i.Technology, "/", ""), i.Service} {
		if p == "" {
			p = "all"
		}
		parts = append(parts, p)
	}
	return strings.ToLower(strings.Join(parts, "-"))
}

// Word returns what a value means at a point: no level outside of the outline of the layer.
func (i *Info) Word(v Value, at geo.Point) Word {
	switch {
	case v > 0 && int(v) <= len(i.Words):
		return i.Words[v-1]
	case v == 0 && slices.ContainsFunc(landsOf(i.Outline), func(l *land) bool { return l.has(at) }):
		return Word{Level: LevelNone}
	}
	return Word{}
}

// SourceName is the name of the source, which of made-up maps says so.
func (i *Info) SourceName() string {
	if i.Synthetic {
		return source.Synthetic + " demonstration data, not a map of a regulator"
	}
	return i.Publisher.Source
}

// Withheld reports whether nobody may redistribute the layer without its publisher's permission.
func (i *Info) Withheld() bool {
	return market.Get(i.Market).NeedsPermission([]string{i.Publisher.Source})
}

// CoveredKm2 is the area in which something is expected to be received, in km².
func (i *Info) CoveredKm2() (km2 float64) {
	for v, word := range i.Words {
		if word.Level != LevelNone {
			km2 += i.Km2[v+1]
		}
	}
	return km2
}

// knowsNone reports whether the layer says where nothing is expected.
func (i *Info) knowsNone() bool {
	return i.Outline != "" || slices.ContainsFunc(i.Words, func(w Word) bool { return w.Level == LevelNone })
}

// middle is the middle of a cell.
func (i *Info) middle(p *geo.Projection, col, row int) geo.Point {
	return p.From(i.X0+(float64(col)+0.5)*i.Cell, i.Y0+(float64(row)+0.5)*i.Cell)
}

// cellKm2 is the area of the cells around one: projections do not keep it.
func (i *Info) cellKm2(p *geo.Projection, col, row int) float64 {
	at := i.middle(p, col, row)
	return geo.Distance(at, i.middle(p, col+1, row)) * geo.Distance(at, i.middle(p, col, row+1)) / 1e6
}

// check returns an error if a layer cannot be as it says.
func (i *Info) check() error {
	switch {
	case market.Get(i.Market) == nil:
		return fmt.Errorf("no market %q", i.Market)
	case len(i.Words) == 0 || len(i.Words) > maxValue || len(i.Cells) != len(i.Words)+1 || len(i.Km2) != len(i.Cells):
		return fmt.Errorf("%d words of levels", len(i.Words))
	}
	if err := i.checkGrid(); err != nil {
		return err
	}
	if _, ok := geo.ByEPSG(i.EPSG); !ok {
		return fmt.Errorf("projection EPSG:%d, which is not known", i.EPSG)
	}
	return nil
}

// checkGrid returns an error if a grid has too many cells.
func (i *Info) checkGrid() error {
	if i.Cols < 1 || i.Rows < 1 || i.Cols > maxSide || i.Rows > maxSide || i.Cols*i.Rows > maxCells || !(i.Cell > 0) {
		return fmt.Errorf("a grid of %d × %d cells is too large: larger cells may help (--cell 200m)", i.Cols, i.Rows)
	}
	return nil
}

// Bounds of a grid.
const (
	maxSide  = 60_000
	maxCells = 1 << 30
)

// Errors of files and imports.
var (
	ErrDamaged = errors.New("the file of a coverage map is damaged: import it again with relais coverage map import")
	ErrVersion = errors.New("another version of relais has written the file of a coverage map: import it again with " +
		"relais coverage map import")
	// ErrFewer means that a new edition has far less coverage than the one that is there.
	ErrFewer = errors.New("less than half of the area of the edition that is there: the file may be cut off; --force takes it")
)
