package belgium

import (
	"cmp"
	"math"
	"slices"

	"relais/geo"
)

// A spot is a position in Lambert 72, x east and y north in steps of a tenth of a
// millimetre: as finely as the register is written, so that ten metres are exactly
// ten metres.
type spot struct{ x, y int64 }

const (
	steps = 10_000     // in a metre
	reach = 10 * steps // between a place's first entry and what belongs to it
	far   = 500 * steps * 1000
)

// point is the position in WGS84.
func (s spot) point() geo.Point {
	return geo.FromLambert72(float64(s.x)/steps, float64(s.y)/steps)
}

// near tells whether t, of the same cell or one beside it, is within reach, the rim
// included.
func (s spot) near(t spot) bool {
	dx, dy := s.x-t.x, s.y-t.y
	return dx*dx+dy*dy <= reach*reach
}

// inBelgium returns the spot of x and y in metres, or the reason for which it is
// none.
func (c *country) inBelgium(x, y float64) (s spot, reason string) {
	switch {
	case x == 0 && y == 0:
		return spot{}, "no position"
	case math.Abs(x) <= 180 && math.Abs(y) <= 180:
		return spot{}, "position in degrees, not in metres of Lambert 72"
	case !(math.Abs(x)*steps < far && math.Abs(y)*steps < far): // also NaN
		return spot{}, "position outside Belgium"
	}
	s = spot{int64(math.Round(x * steps)), int64(math.Round(y * steps))}
	if !c.market.Holds(-1, s.point()) {
		return spot{}, "position outside Belgium"
	}
	return s, ""
}

// inFlanders is inBelgium for the Flemish register. Belgium is about as wide as it
// is high, so that swapped coordinates may well lie in it; most of them do not lie
// in Flanders.
func (c *country) inFlanders(x, y float64) (s spot, reason string) {
	s, reason = c.inBelgium(x, y)
	switch {
	case reason == "" && flemish(x, y):
		return s, ""
	case flemish(y, x):
		return spot{}, swapped
	case reason == "":
		return spot{}, "position outside Flanders"
	}
	return spot{}, reason
}

const swapped = "position outside Flanders, as if its coordinates were swapped"

// flemish tells whether a position in metres lies in the frame of the Flemish
// Region.
func flemish(x, y float64) bool { return 20e3 <= x && x <= 260e3 && 152e3 <= y && y <= 246e3 }

// A place is where the sources' entries meet: those within ten metres of the first
// one. The register's entries come before BIPT's, each in ascending order of their
// ids; what is in reach of two places belongs to the one that comes first. So the
// order of rows in the files changes nothing, and a new dossier, which has a higher
// id, does not change what place an older one is in.
type place struct {
	spot     // of the first entry
	dossiers []*dossier
	sites    []*biptSite
}

// grid finds places by where they are: cells of the reach's size, so that what is
// in reach of a spot is in its cell or in one beside it.
type grid struct {
	places []place
	cells  map[spot][]int
}

func (s spot) cell() spot { return spot{s.x / reach, s.y / reach} }

// at returns the place of a spot, a new one when there is none.
func (g *grid) at(s spot) *place {
	first, cell := len(g.places), s.cell()
	for dx := int64(-1); dx <= 1; dx++ {
		for dy := int64(-1); dy <= 1; dy++ {
			for _, i := range g.cells[spot{cell.x + dx, cell.y + dy}] {
				if i < first && g.places[i].near(s) {
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

// places puts everything that was read into places.
func (c *country) places() []place {
	slices.SortFunc(c.dossiers, func(a, b dossier) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(c.sites, func(a, b biptSite) int { return cmp.Compare(a.id, b.id) })
	g := grid{cells: map[spot][]int{}}
	for i := range c.dossiers {
		p := g.at(c.dossiers[i].spot)
		p.dossiers = append(p.dossiers, &c.dossiers[i])
	}
	for i := range c.sites {
		p := g.at(c.sites[i].spot)
		p.sites = append(p.sites, &c.sites[i])
	}
	return g.places
}
