package anfr

import (
	"bytes"
	"math"

	"github.com/cespare/xxhash/v2"

	"relais/geo"
)

// sameSpot is one second of arc in degrees, the source's resolution. Positions of one
// support that differ by at most that in latitude and in longitude are the same.
const sameSpot = 1.0 / 3600

// maxPositions bounds the different positions of one support. Rows with a further one are
// rejected.
const maxPositions = 64

const otherPosition = "position differs from the support's other rows"

// supportAt returns the index of the support with this number at the position of the row.
// It adds the support if it is new. If the rows of a number disagree by more than sameSpot
// there are several, until settlePositions chooses one.
func (c *country) supportAt(r fielder, number uint32, where place) (uint32, string) {
	coordinates := r.Field(obsPosition)
	written := xxhash.Sum64(coordinates)
	first, known := c.supportOf[number]
	if known && c.support(first).position == written && len(coordinates) > 0 &&
		int(c.support(first).target) == where.target {
		return first, ""
	}
	p, ok := Position(coordinates, r.Field(obsDMS))
	if !ok {
		return 0, "no position"
	}
	last, n := noNext, 0
	if known {
		for at := first; at != noNext; at = c.support(at).next {
			if s := c.support(at); int(s.target) == where.target && withinSpot(s.lat, p.Lat) &&
				withinSpot(s.lng, p.Lng) {
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
	c.support(at).position = written
	if known {
		c.support(last).next = at
		c.contested[number] = true
	} else {
		c.supportOf[number] = at
	}
	return at, ""
}

func withinSpot(a, b float64) bool { return math.Abs(a-b) <= sameSpot+1/geo.Scale/2 }

// newSupport adds a support with the properties in its first row.
func (c *country) newSupport(r fielder, number uint32, where place, p geo.Point) uint32 {
	at := uint32(c.supports.Len())
	c.supports.Append(support{
		number: number, target: uint8(where.target), area: uint8(where.area), lat: p.Lat, lng: p.Lng, antenna: noNext, next: noNext,
		insee:   c.internText(padZeros(firstNonEmpty(r.Field(obsInsee), r.Field(obsInsee2)), 5)),
		postal:  c.appendText(padZeros(r.Field(obsPostal), 5)),
		lieu:    c.appendText(r.Field(obsLieu)),
		address: [3]uint32{c.appendText(r.Field(obsAddress1)), c.appendText(r.Field(obsAddress2)), c.appendText(r.Field(obsAddress3))},
		height:  c.internText(r.Field(obsHeight)), nature: c.internText(r.Field(obsNature)), owner: c.internText(r.Field(obsOwner)),
	})
	return at
}

// settlePositions keeps one position of each support: that with the most rows, of equal
// ones the first. The rows of the others are rejected.
func (c *country) settlePositions() {
	if len(c.contested) == 0 {
		return
	}
	rejected := 0
	for number := range c.contested {
		best := c.supportOf[number]
		for at := best; at != noNext; at = c.support(at).next {
			if c.support(at).rows > c.support(best).rows {
				best = at
			}
		}
		for at := c.supportOf[number]; at != noNext; at = c.support(at).next {
			if at != best {
				rejected += int(c.support(at).rows)
				c.support(at).rows = 0
			}
		}
		c.supportOf[number] = best
	}
	c.observed.RejectMany(rejected, otherPosition)
}

// parsePosition parses "lat , lon".
func parsePosition(b []byte) (geo.Point, bool) {
	lat, lng, _ := bytes.Cut(b, []byte(","))
	y, ok1 := parseFixed(bytes.TrimSpace(lat), 7)
	x, ok2 := parseFixed(bytes.TrimSpace(lng), 7)
	p := geo.Point{Lat: float64(y) / geo.Scale, Lng: float64(x) / geo.Scale}
	return p, ok1 && ok2 && p.Valid()
}

// parseDMS parses degrees, minutes and seconds such as 46°10'39”N 3°22'27”E.
func parseDMS(b []byte) (geo.Point, bool) {
	lat, lng, _ := bytes.Cut(bytes.TrimSpace(b), []byte(" "))
	y, ok1 := parseAngle(lat, 'N', 'S')
	x, ok2 := parseAngle(bytes.TrimSpace(lng), 'E', 'W', 'O')
	p := geo.Point{Lat: y, Lng: x}
	return p, ok1 && ok2 && p.Valid()
}

// parseAngle parses an angle that ends with a letter: plus, or one of minus.
func parseAngle(b []byte, plus byte, minus ...byte) (float64, bool) {
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
	d, okD := parseWhole(degrees)
	m, okM := parseWhole(minutes)
	s, okS := parseFixed(seconds, 3)
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
