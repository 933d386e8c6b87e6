package tiles

import (
	"relais/index"
	"relais/site"
)

// Zooms from which a tile shows more.
const (
	everySite  = 12 // no cells
	withSector = 13 // the layer sectors
)

// Keys of the layer sites. ops and live are bits by position in the market's operators: those
// with an emission that the filter selects, and those with one that is more than a project.
// gen is the newest generation of these, or of the projects if there are only projects.
const (
	siteN = iota
	siteOps
	siteLive
	siteGen
	siteKey // only of one site
)

var siteKeys = []string{"n", "ops", "live", "gen", "key"}

// Sites returns the layers sites and, from zoom 13, sectors, of the sites that a filter selects.
// The result is empty without sites.
//
// Below zoom 12 the sites of one cell of a grid are one feature, with their number as n. The
// cells of a zoom nest in those of the zoom before. A feature of several sites has no key.
func Sites(m *index.Market, f index.Filter, t Tile) []byte {
	sites := newLayer("sites", siteKeys...)
	if t.Z < everySite {
		addCells(sites, m, f, t)
		return sites.appendTo(nil)
	}
	sectors := newLayer("sectors", sectorKeys...)
	lats, lngs := m.Snap.Positions()
	m.Each(index.Query{Filter: f, Box: new(t.Box())}, func(i uint32) {
		s := project(lats[i], lngs[i])
		if !t.has(s) {
			return
		}
		x, y := t.within(s, extentBits)
		addSite(sites, m, i, m.Shown(i, f), x, y)
		if t.Z >= withSector {
			addSectors(sectors, m, i, f, x, y)
		}
	})
	return sectors.appendTo(sites.appendTo(nil))
}

func addSite(l *layer, m *index.Market, i uint32, shown index.Shown, x, y uint32) {
	addShown(l, 1, shown)
	l.text(siteKey, index.Key(m.Table.Code, m.Snap.ID(int(i))))
	l.point(uint64(i)+1, x, y)
}

func addShown(l *layer, n uint64, s index.Shown) {
	l.number(siteN, n)
	l.number(siteOps, s.Operators)
	l.number(siteLive, s.Live)
	l.number(siteGen, uint64(s.Generation))
}

// A cell is the sites of a cell of the grid.
type cell struct {
	n      uint64
	x, y   uint64 // sums, in units of the tile
	shown  index.Shown
	latest uint32 // a site
}

// gridBits says how many cells a tile has: 2^gridBits columns and rows. Map libraries draw a tile
// 512 pixels wide, so that a cell is 64 to 128 pixels wide.
const gridBits = 3

// addCells adds a feature for each cell that has sites.
func addCells(l *layer, m *index.Market, f index.Filter, t Tile) {
	cells := make([]cell, 1<<(2*gridBits))
	lats, lngs := m.Snap.Positions()
	m.Each(index.Query{Filter: f, Box: new(t.Box())}, func(i uint32) {
		s := project(lats[i], lngs[i])
		if !t.has(s) {
			return
		}
		column, row := t.within(s, gridBits)
		x, y := t.within(s, extentBits)
		c := &cells[row<<gridBits|column]
		c.n, c.x, c.y, c.latest = c.n+1, c.x+uint64(x), c.y+uint64(y), i
		c.shown.Add(m.Shown(i, f))
	})
	for k := range cells {
		c := &cells[k]
		switch {
		case c.n == 1:
			addSite(l, m, c.latest, c.shown, uint32(c.x), uint32(c.y))
		case c.n > 1:
			column, row := uint32(k)&(1<<gridBits-1), uint32(k)>>gridBits
			addShown(l, c.n, c.shown)
			l.point(0, inner(c.x/c.n, column), inner(c.y/c.n, row))
		}
	}
}

// inner moves a coordinate into the inner half of a cell, so that marks of neighbours that are up to
// half a cell wide do not overlap.
func inner(mean uint64, at uint32) uint32 {
	const side = Extent >> gridBits
	return min(max(uint32(mean), at*side+side/4), (at+1)*side-side/4)
}

// Keys of the layer sectors.
const (
	sectorAzimuth = iota // degrees from true north
	sectorOps            // bits by position in the market's operators; 0: the register does not say whose it is
	sectorGen            // the newest generation; 0 with ops
	sectorKey            // of the site
)

var sectorKeys = []string{"az", "ops", "gen", "key"}

// addSectors adds a feature for each azimuth of a site, except those of emissions that the filter
// does not select.
func addSectors(l *layer, m *index.Market, i uint32, f index.Filter, x, y uint32) {
	var s site.Site
	m.Site(i, &s)
	stated, selected := map[uint16]bool{}, map[uint16]index.Shown{}
	for k := range s.Emissions {
		e := &s.Emissions[k]
		for _, azimuth := range e.Azimuths {
			stated[azimuth] = true
			if f.Selects(&s, e) {
				sum := selected[azimuth]
				sum.Add(index.Shown{Operators: 1 << s.Stations[e.Station].Operator, Generation: e.Generation})
				selected[azimuth] = sum
			}
		}
	}
	key := index.Key(m.Table.Code, s.ID)
	for _, azimuth := range s.Azimuths {
		sum, is := selected[azimuth]
		if stated[azimuth] && !is {
			continue
		}
		l.number(sectorAzimuth, uint64(azimuth))
		l.number(sectorOps, sum.Operators)
		l.number(sectorGen, uint64(sum.Generation))
		l.text(sectorKey, key)
		l.point(0, x, y)
	}
}
