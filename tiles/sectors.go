package tiles

import (
	"relais/index"
	"relais/site"
)

// Keys of the layer sectors.
const (
	sectorAzimuth = iota // degrees from true north
	sectorOps            // bits by position in the market's operators; 0: the register does not say whose it is
	sectorGen            // the newest generation; 0 with ops
	sectorKey            // of the site
)

var sectorKeys = []string{"az", "ops", "gen", "key"}

// Sectors returns the layer sectors, of the sites that a filter selects. It is empty below zoom 13.
func Sectors(m *index.Market, f index.Filter, t Tile) []byte {
	l := newLayer(SectorsLayer, sectorKeys...)
	if t.Z >= withSector {
		eachSite(m, f, t, func(i uint32, s spot) {
			x, y := t.within(s, extentBits)
			addSectors(l, m, i, f, x, y)
		})
	}
	return l.appendTo(nil)
}

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
