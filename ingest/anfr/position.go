package anfr

import (
	"bytes"
	"math"

	"github.com/cespare/xxhash/v2"

	"relais/geo"
	"relais/ingest/source"
)

// sameSpot is one second of arc in degrees, the source's resolution: positions of one
// support that are no further apart, in latitude and in longitude, are one.
const sameSpot = 1.0 / 3600

// maxPositions is the most positions that one support may be given at. Rows with yet
// another one are rejected as they come.
const maxPositions = 64

const otherPosition = "position differs from the support's other rows"

// supportAt returns the support of this number at the position of the row, a new one
// when it is the first row there. Where the rows of a number disagree by more than
// sameSpot there are several, until settlePositions.
func (c *country) supportAt(r *source.Reader, number uint32, where place) (uint32, string) {
	coordinates := r.Field(obsPosition)
	written := xxhash.Sum64(coordinates)
	first, known := c.supportOf[number]
	if known && c.supports[first].position == written && len(coordinates) > 0 &&
		int(c.supports[first].target) == where.target {
		return first, ""
	}
	p, ok := Position(coordinates, r.Field(obsDMS))
	if !ok {
		return 0, "no position"
	}
	last, n := noNext, 0
	if known {
		for at := first; at != noNext; at = c.supports[at].next {
			if s := &c.supports[at]; int(s.target) == where.target && near(s.lat, p.Lat) && near(s.lng, p.Lng) {
				return at, ""
			}
			last, n = at, n+1
		}
	}
	if n == maxPositions {
		return 0, otherPosition
	}
	if !c.targets[where.target].market.Holds(where.area, p) {
		return 0, "position outside the territory"
	}
	at := c.newSupport(r, number, where, p)
	c.supports[at].position = written
	if known {
		c.supports[last].next = at
		c.contested[number] = true
	} else {
		c.supportOf[number] = at
	}
	return at, ""
}

func near(a, b float64) bool { return math.Abs(a-b) <= sameSpot+1/geo.Scale/2 }

// newSupport makes a support with what its first row says of it.
func (c *country) newSupport(r *source.Reader, number uint32, where place, p geo.Point) uint32 {
	at := uint32(len(c.supports))
	c.supports = append(c.supports, support{
		number: number, target: uint8(where.target), area: uint8(where.area), lat: p.Lat, lng: p.Lng, next: noNext,
		insee:   c.share(padded(firstOf(r.Field(obsInsee), r.Field(obsInsee2)), 5)),
		postal:  c.share(padded(r.Field(obsPostal), 5)),
		lieu:    clean(r.Field(obsLieu)),
		address: [3]string{clean(r.Field(obsAddress1)), clean(r.Field(obsAddress2)), clean(r.Field(obsAddress3))},
		height:  c.share(r.Field(obsHeight)), nature: c.share(r.Field(obsNature)), owner: c.share(r.Field(obsOwner)),
	})
	return at
}

// settlePositions keeps, of a support that was given at several positions, the one with
// the most rows, the earlier one of two with as many, and rejects the rows of the others.
func (c *country) settlePositions() {
	if len(c.contested) == 0 {
		return
	}
	rejected := 0
	for number := range c.contested {
		best := c.supportOf[number]
		for at := best; at != noNext; at = c.supports[at].next {
			if c.supports[at].rows > c.supports[best].rows {
				best = at
			}
		}
		for at := c.supportOf[number]; at != noNext; at = c.supports[at].next {
			if at != best {
				rejected += int(c.supports[at].rows)
				c.supports[at].rows = 0
			}
		}
		c.supportOf[number] = best
	}
	kept := c.rows[:0]
	for _, e := range c.rows {
		if c.supports[e.support].rows > 0 {
			kept = append(kept, e)
		}
	}
	c.rows = kept
	c.observed.RejectMany(rejected, otherPosition)
}

// parsePosition reads "lat , lon".
func parsePosition(b []byte) (geo.Point, bool) {
	lat, lng, _ := bytes.Cut(b, []byte(","))
	y, ok1 := fixed(bytes.TrimSpace(lat), 7)
	x, ok2 := fixed(bytes.TrimSpace(lng), 7)
	p := geo.Point{Lat: float64(y) / geo.Scale, Lng: float64(x) / geo.Scale}
	return p, ok1 && ok2 && p.Valid()
}

// parseDMS reads degrees, minutes and seconds as the publication writes them:
// 46°10'39”N 3°22'27”E.
func parseDMS(b []byte) (geo.Point, bool) {
	lat, lng, _ := bytes.Cut(bytes.TrimSpace(b), []byte(" "))
	y, ok1 := angle(lat, 'N', 'S')
	x, ok2 := angle(bytes.TrimSpace(lng), 'E', 'W', 'O')
	p := geo.Point{Lat: y, Lng: x}
	return p, ok1 && ok2 && p.Valid()
}

// angle reads an angle whose last letter is the side: plus, or one of minus.
func angle(b []byte, plus byte, minus ...byte) (float64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	side, b := b[len(b)-1], b[:len(b)-1]
	degrees, rest, ok1 := bytes.Cut(b, []byte("°"))
	minutes, rest, ok2 := bytes.Cut(rest, []byte("'"))
	seconds, ok3 := bytes.CutSuffix(rest, []byte("''"))
	if !ok3 {
		seconds, ok3 = bytes.CutSuffix(rest, []byte(`"`))
	}
	d, okD := whole(degrees)
	m, okM := whole(minutes)
	s, okS := fixed(seconds, 3)
	if !ok1 || !ok2 || !ok3 || !okD || !okM || !okS || d > 180 || m >= 60 || s < 0 || s >= 60_000 {
		return 0, false
	}
	a := float64(d) + float64(m)/60 + float64(s)/3_600_000
	a = math.Round(a*geo.Scale) / geo.Scale
	switch {
	case side == plus:
		return a, true
	case bytes.IndexByte(minus, side) >= 0:
		return -a, true
	}
	return 0, false
}
