package tiles

import "relais/geo"

// An Outage is an outage that a tile shows.
type Outage struct {
	ID        string
	SiteKey   string // "" if it is not known
	Position  geo.Point
	Operators uint64 // a bit by position in the market's operators; 0: of none of them
	Down      bool   // no service is left
	Reported  bool   // by people, not by the operator
}

// everyOutage is the zoom from which each outage is a feature.
const everyOutage = 9

// Keys of the layer outages. ops are bits as in the layer sites. down and reported count the outages
// without any service, and those that people report. id and siteKey are only of one outage.
const (
	outageN = iota
	outageOps
	outageDown
	outageReported
	outageID
	outageSiteKey
)

var outageKeys = []string{"n", "ops", "down", "reported", "id", "siteKey"}

// Outages returns the layer outages, of those that are on the tile. Below zoom 9 those of a cell are
// one feature, as by Sites.
func Outages(list []Outage, t Tile) []byte {
	l, cells := newLayer(OutagesLayer, outageKeys...), make([]outageCell, 1<<(2*gridBits))
	for i := range list {
		o := &list[i]
		s := geo.Mercator(geo.Fix(o.Position.Lat), geo.Fix(o.Position.Lng))
		if !t.has(s) {
			continue
		}
		x, y := t.within(s, extentBits)
		var one outageCell
		one.add(o, x, y)
		if t.Z >= everyOutage {
			one.addTo(l)
			l.point(0, x, y)
			continue
		}
		column, row := t.within(s, gridBits)
		cells[row<<gridBits|column].add(o, x, y)
	}
	for k := range cells {
		c := &cells[k]
		if c.n == 0 {
			continue
		}
		c.addTo(l)
		if c.n == 1 {
			l.point(0, uint32(c.x), uint32(c.y))
		} else {
			l.point(0, inner(c.x/c.n, uint32(k)&(1<<gridBits-1)), inner(c.y/c.n, uint32(k)>>gridBits))
		}
	}
	return l.appendTo(nil)
}

// An outageCell is the outages of a cell of the grid.
type outageCell struct {
	n, down, reported uint64
	operators         uint64
	x, y              uint64 // sums, in units of the tile
	latest            *Outage
}

func (c *outageCell) add(o *Outage, x, y uint32) {
	c.n, c.x, c.y, c.latest = c.n+1, c.x+uint64(x), c.y+uint64(y), o
	c.operators |= o.Operators
	if o.Down {
		c.down++
	}
	if o.Reported {
		c.reported++
	}
}

// addTo adds the values of a feature.
func (c *outageCell) addTo(l *layer) {
	l.number(outageN, c.n)
	l.number(outageOps, c.operators)
	l.number(outageDown, c.down)
	l.number(outageReported, c.reported)
	if c.n == 1 {
		l.text(outageID, c.latest.ID)
		if c.latest.SiteKey != "" {
			l.text(outageSiteKey, c.latest.SiteKey)
		}
	}
}
