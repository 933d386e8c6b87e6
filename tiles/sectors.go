package tiles

import (
	"relais/geo"
	"relais/index"
	"relais/site"
)

// Keys of the layer sectors.
const (
	sectorAzimuth = iota // degrees from true north
	sectorOps            // bits by position in the market's operators
	sectorGen            // the newest generation
	sectorKey            // of the site
)

var sectorKeys = []string{"az", "ops", "gen", "key"}

// Sectors returns the layer sectors, of the sites that a filter selects. It is empty below zoom 13.
func Sectors(m *index.Market, f index.Filter, t Tile) []byte {
	l := newLayer(SectorsLayer, sectorKeys...)
	if t.Z >= withSector {
		eachSite(m, m.Select(f), t, func(i uint32, s geo.Spot) {
			x, y := t.within(s, extentBits)
			addSectors(l, m, i, f, x, y)
		})
	}
	return l.appendTo(nil)
}

// addSectors adds a feature for each azimuth of the emissions of a site that the filter selects.
func addSectors(l *layer, m *index.Market, i uint32, f index.Filter, x, y uint32) {
	var s site.Site
	m.Site(i, &s)
	sums := map[uint16]index.Shown{}
	azimuths, _ := s.Azimuths(func(e *site.Emission) bool {
		if !f.Selects(&s, e) {
			return false
		}
		for _, azimuth := range e.Azimuths {
			sum := sums[azimuth]
			sum.Add(index.Shown{Operators: 1 << s.Stations[e.Station].Operator, Generation: e.Generation})
			sums[azimuth] = sum
		}
		return true
	})
	key := index.Key(m.Table.Code, s.ID)
	for _, azimuth := range azimuths {
		l.number(sectorAzimuth, uint64(azimuth))
		l.number(sectorOps, sums[azimuth].Operators)
		l.number(sectorGen, uint64(sums[azimuth].Generation))
		l.text(sectorKey, key)
		l.point(0, x, y)
	}
}
