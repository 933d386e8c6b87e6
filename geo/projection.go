package geo

import "math"

// A Projection converts between WGS84 and the coordinates x to the east and y to the north of a country's
// grid. They are metres, except those of 4326, which are degrees.
type Projection struct {
	from           func(x, y float64) Point
	to             func(Point) (x, y float64)
	x0, y0, x1, y1 float64
}

// From returns the position of a point of the grid. What is not finite, or is far outside, becomes an invalid
// point or a useless one.
func (p *Projection) From(x, y float64) Point { return p.from(x, y) }

// To is the inverse of From.
func (p *Projection) To(at Point) (x, y float64) { return p.to(at) }

// Bounds returns the corners of the area that the projection is used for: the country and at least ten
// kilometres around it, in multiples of 1000 m. That of 3857 and 4326 is the world.
func (p *Projection) Bounds() (x0, y0, x1, y1 float64) { return p.x0, p.y0, p.x1, p.y1 }

// ByEPSG returns the projection with a code of the EPSG register. The datums of France, on the continent and
// overseas, are taken for WGS84, as everybody does: they differ by less than a metre.
func ByEPSG(code int) (*Projection, bool) {
	p, ok := projections[code]
	return p, ok
}

var projections = map[int]*Projection{
	2056:  {FromLV95, ToLV95, 2470000, 1060000, 2850000, 1310000},
	2154:  {lambert93.from, lambert93.to, 80000, 6030000, 1260000, 7130000},           // the continent and Corsica
	2972:  utm(22, 0).projection(80000, 215000, 455000, 665000),                       // Guyane
	2975:  utm(40, southern).projection(295000, 7615000, 400000, 7710000),             // La Réunion
	3857:  {fromWebMercator, toWebMercator, -20037000, -20037000, 20037000, 20037000}, // the Web's maps
	4326:  {fromDegrees, toDegrees, -180, -90, 180, 90},
	4471:  utm(38, southern).projection(480000, 8540000, 555000, 8625000), // Mayotte
	5490:  utm(20, 0).projection(465000, 1570000, 760000, 2020000),        // the French Antilles
	31370: {FromLambert72, ToLambert72, 0, 0, 310000, 260000},
}

func fromDegrees(x, y float64) Point   { return Point{Lat: y, Lng: x} }
func toDegrees(p Point) (x, y float64) { return p.Lng, p.Lat }

// invert returns the coordinates at which from has p. The search begins at x and y, where the grid's north
// must be north to some degrees.
func invert(from func(x, y float64) Point, x, y float64, p Point) (float64, float64) {
	const perDegree = rad * EarthRadius
	for range 12 { // each is off by a twentieth of the one before, or less
		at := from(x, y)
		y += (p.Lat - at.Lat) * perDegree
		x += (p.Lng - at.Lng) * perDegree * math.Cos(p.Lat*rad)
	}
	return x, y
}
