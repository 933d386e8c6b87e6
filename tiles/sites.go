package tiles

import (
	"relais/geo"
	"relais/index"
	"relais/site/spelling"
)

// Zooms from which a tile shows more.
const (
	everySite  = 12 // no cells
	withSector = 13 // the layer sectors
	withStreet = 14 // the streets of sites
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
	siteStreet
)

var siteKeys = []string{"n", "ops", "live", "gen", "key", "street"}

// Sites returns the layer sites, of the sites that a filter selects. The result is empty without
// sites.
//
// Below zoom 12 the sites of one cell of a grid are one feature, with their number as n. The
// cells of a zoom nest in those of the zoom before. A feature of several sites has no key.
func Sites(m *index.Market, f index.Filter, t Tile) []byte {
	keys := siteKeys
	if t.Z < withStreet {
		keys = siteKeys[:siteStreet]
	}
	sites := newLayer(SitesLayer, keys...)
	if t.Z < everySite {
		addCells(sites, m, f, t)
	} else {
		selected := m.Select(f)
		eachSite(m, selected, t, func(i uint32, s geo.Spot) {
			x, y := t.within(s, extentBits)
			if t.Z >= withStreet {
				addStreet(sites, m, i)
			}
			addSite(sites, m, i, selected.Shown(selected.Add(nil, i)), x, y)
		})
	}
	return sites.appendTo(nil)
}

// addStreet adds the street that the address of a site names, if it names one.
func addStreet(l *layer, m *index.Market, i uint32) {
	for _, line := range m.Snap.Address(int(i)) {
		if name := spelling.Street(line, m.Table.Spelling); name != "" {
			l.text(siteStreet, name)
			return
		}
	}
}

// eachSite calls do for the selected sites of a tile.
func eachSite(m *index.Market, selected *index.Selection, t Tile, do func(i uint32, s geo.Spot)) {
	spots := m.Spots()
	selected.Each(t.Box(), func(i uint32) {
		if s := spots[i]; t.has(s) {
			do(i, s)
		}
	})
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
	sum    index.Sum
	latest uint32 // a site
}

// gridBits says how many cells a tile has: 2^gridBits columns and rows. Map libraries draw a tile
// 512 pixels wide, so that a cell is 64 to 128 pixels wide.
const gridBits = 3

// addCells adds a feature for each cell that has sites.
func addCells(l *layer, m *index.Market, f index.Filter, t Tile) {
	cells, selected := make([]cell, 1<<(2*gridBits)), m.Select(f)
	eachSite(m, selected, t, func(i uint32, s geo.Spot) {
		column, row := t.within(s, gridBits)
		x, y := t.within(s, extentBits)
		c := &cells[row<<gridBits|column]
		c.n, c.x, c.y, c.latest = c.n+1, c.x+uint64(x), c.y+uint64(y), i
		c.sum = selected.Add(c.sum, i)
	})
	for k := range cells {
		c := &cells[k]
		switch {
		case c.n == 1:
			addSite(l, m, c.latest, selected.Shown(c.sum), uint32(c.x), uint32(c.y))
		case c.n > 1:
			addShown(l, c.n, selected.Shown(c.sum))
			l.point(0, inner(c.x/c.n, uint32(k)&(1<<gridBits-1)), inner(c.y/c.n, uint32(k)>>gridBits))
		}
	}
}

// inner moves a coordinate into the inner half of a cell, so that marks of neighbours that are up to
// half a cell wide do not overlap.
func inner(mean uint64, at uint32) uint32 {
	const side = Extent >> gridBits
	return min(max(uint32(mean), at*side+side/4), (at+1)*side-side/4)
}
