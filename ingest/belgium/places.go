package belgium

import (
	"cmp"
	"math"
	"slices"

	"relais/geo"
)

// A spot is a position in Lambert 72, x east and y north in tenths of a millimetre. That is
// the register's resolution, so distances are exact.
type spot struct{ x, y int64 }

const (
	steps         = 10_000     // in a metre
	reach         = 10 * steps // largest distance of an entry from its place's first one
	maxCoordinate = 500 * steps * 1000
)

// point returns the position in WGS84.
func (s spot) point() geo.Point {
	return geo.FromLambert72(float64(s.x)/steps, float64(s.y)/steps)
}

// withinReach reports whether t, in the same or an adjacent cell, is at most reach away.
func (s spot) withinReach(t spot) bool {
	dx, dy := s.x-t.x, s.y-t.y
	return dx*dx+dy*dy <= reach*reach
}

// inBelgium returns the spot of x and y in metres, or the reason for rejecting it.
func (c *country) inBelgium(x, y float64) (s spot, reason string) {
	switch {
	case x == 0 && y == 0:
		return spot{}, "no position"
	case math.Abs(x) <= 180 && math.Abs(y) <= 180:
		return spot{}, "position in degrees, not in metres of Lambert 72"
	case !(math.Abs(x)*steps < maxCoordinate && math.Abs(y)*steps < maxCoordinate): // also NaN
		return spot{}, "position outside Belgium"
	}
	s = spot{int64(math.Round(x * steps)), int64(math.Round(y * steps))}
	if !c.market.Holds(-1, s.point()) {
		return spot{}, "position outside Belgium"
	}
	return s, ""
}

// inFlanders is inBelgium for the Flemish register. It recognizes most swapped coordinates:
// they may be in Belgium, but rarely in Flanders.
func (c *country) inFlanders(x, y float64) (s spot, reason string) {
	s, reason = c.inBelgium(x, y)
	switch {
	case reason == "" && inFlemishFrame(x, y):
		return s, ""
	case inFlemishFrame(y, x):
		return spot{}, swapped
	case reason == "":
		return spot{}, "position outside Flanders"
	}
	return spot{}, reason
}

const swapped = "position outside Flanders, as if its coordinates were swapped"

// inFlemishFrame reports whether a position in metres is in the bounding box of Flanders.
func inFlemishFrame(x, y float64) bool { return 20e3 <= x && x <= 260e3 && 152e3 <= y && y <= 246e3 }

// A place is a group of entries within ten metres of its first one. Entries are added sorted by id, the register's before
// those of Brussels and these before BIPT's; an entry in reach of two places belongs to the first. So the order of rows
// does not matter, and a new dossier, which has a higher id, does not move an older one to another place. The register
// and Brussels have no place together: everybody may see places of the one, and not of the other.
type place struct {
	spot     // position of the first entry
	dossiers []*dossier
	brussels []*brusselsSite
	sites    []*biptSite
	antennas []*antenna // of the query service
}

// grid finds places by position. Its cells have the size of reach, so everything in reach of
// a spot is in its cell or an adjacent one.
type grid struct {
	places []place
	from   int // the first place that entries may belong to
	cells  map[spot][]int
}

func (s spot) cell() spot { return spot{s.x / reach, s.y / reach} }

// placeAt returns the place of a spot. It adds the place if it is new.
func (g *grid) placeAt(s spot) *place {
	first, cell := len(g.places), s.cell()
	for dx := int64(-1); dx <= 1; dx++ {
		for dy := int64(-1); dy <= 1; dy++ {
			for _, i := range g.cells[spot{cell.x + dx, cell.y + dy}] {
				if i >= g.from && i < first && g.places[i].withinReach(s) {
					first = i
				}
			}
		}
	}
	if first == len(g.places) {
		g.places = append(g.places, place{spot: s})
		g.cells[cell] = append(g.cells[cell], first)
	}
	return &g.places[first]
}

// places groups all entries into places.
func (c *country) places() []place {
	slices.SortFunc(c.dossiers, func(a, b dossier) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(c.sites, func(a, b biptSite) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(c.brussels, func(a, b brusselsSite) int { return compareIDs(a.id, b.id) })
	g := grid{cells: map[spot][]int{}}
	for i := range c.dossiers {
		p := g.placeAt(c.dossiers[i].spot)
		p.dossiers = append(p.dossiers, &c.dossiers[i])
	}
	g.from = len(g.places)
	for i := range c.brussels {
		p := g.placeAt(c.brussels[i].spot)
		p.brussels = append(p.brussels, &c.brussels[i])
	}
	g.from = 0
	for i := range c.sites {
		p := g.placeAt(c.sites[i].spot)
		p.sites = append(p.sites, &c.sites[i])
	}
	return g.places
}
