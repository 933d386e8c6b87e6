package catalog

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"relais/geo"
	"relais/index"
	"relais/ingest/cells"
	"relais/radio"
	"relais/site"
	"relais/site/observation"
)

// MovedFrom is the distance in metres between a site and the middle of where its cell was heard from which the number
// of the cell is taken to have moved to another site. Cells that are larger are rare.
const MovedFrom = 15_000.0

// maxHeard bounds the distinct cells of a Heard.
const maxHeard = 20_000

// Heard asks which sites have the cells that a phone heard. Add makes the question.
type Heard struct {
	Left  int // rows that were left out, because there were too many distinct cells before
	cells map[heardKey]*HeardCell
}

type heardKey struct {
	plmn string
	id   observation.Identity
}

// A HeardCell is a cell, and where it was heard.
type HeardCell struct {
	cells.Row // the first
	Rows      int
	places    []geo.Point
}

// Add adds a row of a log.
func (q *Heard) Add(r cells.Row) {
	key := heardKey{r.PLMN, r.Cell.Identity()}
	h := q.cells[key]
	if h == nil {
		if len(q.cells) == maxHeard {
			q.Left++
			return
		}
		if q.cells == nil {
			q.cells = map[heardKey]*HeardCell{}
		}
		h = &HeardCell{Row: r}
		q.cells[key] = h
	}
	h.Rows++
	if r.Position != nil {
		h.places = append(h.places, *r.Position)
	}
}

// Generation returns 4G or 5G.
func (h *HeardCell) Generation() site.Generation {
	if h.Cell.NR {
		return site.G5
	}
	return site.G4
}

// middle returns the medians of latitude and longitude of where the cell was heard, nil if that is unknown.
func (h *HeardCell) middle() *geo.Point {
	n := len(h.places)
	if n == 0 {
		return nil
	}
	at := func(degrees func(geo.Point) float64) float64 {
		list := make([]float64, n)
		for i, p := range h.places {
			list[i] = degrees(p)
		}
		slices.Sort(list)
		return list[n/2]
	}
	lat, lng := at(func(p geo.Point) float64 { return p.Lat }), at(func(p geo.Point) float64 { return p.Lng })
	return &geo.Point{Lat: lat, Lng: lng}
}

// HeardFound is what registers say of the cells, those that were heard most often first.
type HeardFound struct {
	Sites        []HeardSite
	Unknown      []FoundCell // no site of their register has them
	Unregistered []FoundCell // of networks without a register that the caller may read here
	Known, Moved int         // cells of Sites
}

// A HeardSite is a site with its cells.
type HeardSite struct {
	Register *index.Market
	At       uint32 // its position
	Cells    []FoundCell
}

// A FoundCell is a cell that was heard.
type FoundCell struct {
	*HeardCell
	Middle *geo.Point // of where it was heard, nil if that is unknown
	// The rest is of a cell that a site has, from HasBearing on of one that has not moved.
	Operator   int // of the site; a shared network has numbers of another operator
	Basis      radio.Basis
	Metres     float64 // from the site to Middle, -1 without one
	Moved      bool    // Metres are more than MovedFrom
	HasBearing bool    // it was heard in one direction more than in others
	Bearing    float64 // from the site, in degrees
	HasAzimuth bool    // the register states azimuths of the operator's antennas of the generation
	Azimuth    uint16  // the nearest to Bearing
	Off        float64 // degrees between them
}

// Heard answers the question. Errors: ErrLoading, the context's.
func (c *Catalog) Heard(ctx context.Context, q *Heard) (found HeardFound, err error) {
	if c.Set == nil {
		return found, ErrLoading
	}
	sites := map[heardSite]int{} // positions in found.Sites
	for _, key := range q.order() {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		cell := FoundCell{HeardCell: q.cells[key], Middle: q.cells[key].middle(), Metres: -1}
		best, err := c.siteOf(&cell)
		switch {
		case err != nil:
			found.Unregistered = append(found.Unregistered, cell)
			continue
		case best == nil:
			found.Unknown = append(found.Unknown, cell)
			continue
		}
		if cell.compare(best); cell.Moved {
			found.Moved++
		} else {
			found.Known++
		}
		at, there := sites[heardSite{best.Register, best.At}]
		if !there {
			at = len(found.Sites)
			sites[heardSite{best.Register, best.At}] = at
			found.Sites = append(found.Sites, HeardSite{Register: best.Register, At: best.At})
		}
		found.Sites[at].Cells = append(found.Sites[at].Cells, cell)
	}
	return found, nil
}

type heardSite struct {
	register *index.Market
	at       uint32
}

// order returns the cells, those that were heard most often first.
func (q *Heard) order() []heardKey {
	return slices.SortedFunc(maps.Keys(q.cells), func(x, y heardKey) int {
		return cmp.Or(q.cells[y].Rows-q.cells[x].Rows, cmp.Compare(x.plmn, y.plmn), cmp.Compare(x.id, y.id))
	})
}

// errNoRegister is the error for a cell of a network without a register.
var errNoRegister = errors.New("no register has the network")

// siteOf returns the site that has a cell, nil for none. A number far away counts only where it certainly is the
// cell's: others repeat.
func (c *Catalog) siteOf(cell *FoundCell) (*Candidate, error) {
	if cell.Market == nil || !cell.Market.HasInventory() {
		return nil, errNoRegister
	}
	x := radio.Identifier{Cell: true, Generation: cell.Generation(), Value: cell.Cell.ID}
	if x.Value == 0 {
		x.Cell, x.Value = false, uint64(cell.Cell.Node)
	}
	all, err := c.Candidates(Cell{Market: cell.Market, Operators: index.Choice{cell.Cell.Operator},
		Phone: radio.Phone{Identifiers: []radio.Identifier{x}, Generation: x.Generation, Position: cell.Middle}})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	best := &all[0]
	if (best.Foreign || best.Identifiers[0] == radio.Possible) && (best.Metres < 0 || best.Metres > MovedFrom) {
		return nil, nil
	}
	return best, nil
}

// compare compares where the cell was heard with its site.
func (f *FoundCell) compare(best *Candidate) {
	f.Operator, f.Basis, f.Metres = best.Operators[0], best.Identifiers[0], best.Metres
	if f.Moved = f.Metres > MovedFrom; f.Moved {
		return // what antennas far away look at does not matter
	}
	var s site.Site
	best.Register.Site(best.At, &s)
	azimuths, _ := s.AzimuthsOf(f.Operator, f.Generation())
	a := radio.NewAlignment(s.Position, func(radio.Cell) []uint16 { return azimuths })
	for _, p := range f.places {
		a.Add(radio.Cell{}, p)
	}
	measured, _ := a.Cells(1)
	if len(measured) == 0 || !measured[0].HasBearing() {
		return
	}
	f.HasBearing, f.Bearing = true, measured[0].Bearing
	f.Azimuth, f.Off, f.HasAzimuth = radio.NearestAzimuth(azimuths, f.Bearing)
}
