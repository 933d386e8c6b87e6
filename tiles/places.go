package tiles

import (
	"relais/geo"
	"relais/index"
	"relais/site/spelling"
)

// withPlaces is the zoom from which a tile has the layer places.
const withPlaces = 9

// Keys of the layer places.
const (
	placeN = iota // sites of the commune
	placeName
)

var placeKeys = []string{"n", "name"}

// Places returns the layer places: the communes of the register, as people write their names, at the
// mean position of their sites. It is empty below zoom 9 and for registers that state no communes.
func Places(m *index.Market, t Tile) []byte {
	if t.Z < withPlaces {
		return nil
	}
	l := newLayer(PlacesLayer, placeKeys...)
	m.CommunesIn(t.Box(), func(p *index.Place) {
		s := geo.Mercator(geo.Fix(p.Center.Lat), geo.Fix(p.Center.Lng))
		if !t.has(s) {
			return
		}
		l.text(placeName, spelling.Text(p.Name, m.Table.Spelling))
		l.number(placeN, uint64(p.Sites))
		x, y := t.within(s, extentBits)
		l.point(0, x, y)
	})
	return l.appendTo(nil)
}
