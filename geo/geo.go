// Package geo holds points, boxes and discs on the Earth, in WGS84 degrees, and
// the distances between them in metres. It knows nothing of sites.
package geo

import "math"

// A Point is a position in WGS84 degrees.
type Point struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// Valid reports whether p is a position on the Earth.
func (p Point) Valid() bool {
	return math.Abs(p.Lat) <= 90 && math.Abs(p.Lng) <= 180 // false for NaN
}

// Scale is the number of fixed-point steps in a degree: seven decimals, about
// one centimetre.
const Scale = 1e7

// Fix returns degrees in fixed point, rounded to the nearest step.
func Fix(degrees float64) int32 { return int32(math.Round(degrees * Scale)) }

// Degrees is the inverse of Fix.
func Degrees(fixed int32) float64 { return float64(fixed) / Scale }

// A Box is an area between two parallels and two meridians, edges included. A
// West greater than East crosses the antimeridian.
type Box struct{ South, West, North, East float64 }

// Contains reports whether p lies in b or on its edge.
func (b Box) Contains(p Point) bool {
	if !(b.South <= p.Lat && p.Lat <= b.North) {
		return false
	}
	if b.West <= b.East {
		return b.West <= p.Lng && p.Lng <= b.East
	}
	return p.Lng >= b.West || p.Lng <= b.East
}

// Overlaps reports whether b and c have a point in common. Neither may cross the antimeridian.
func (b Box) Overlaps(c Box) bool {
	return b.South <= c.North && b.North >= c.South && b.West <= c.East && b.East >= c.West
}

// Split returns one or two boxes with West not greater than East that together
// cover b.
func (b Box) Split() []Box {
	if b.West <= b.East {
		return []Box{b}
	}
	east, west := b, b
	east.East, west.West = 180, -180
	return []Box{east, west}
}

// EarthRadius is the mean radius of the Earth in metres (IUGG).
const EarthRadius = 6371008.8

// Distance returns the great-circle distance between a and b in metres.
func Distance(a, b Point) float64 { return Metres(Haversine(a, b)) }

// Haversine returns the square of the sine of half the angle between a and b as
// seen from the centre of the Earth. It orders points as the distance does and
// takes half the time. Metres returns the distance for it.
func Haversine(a, b Point) float64 { return a.Vector().Haversine(b.Vector()) }

// A Vector is a point of the Earth's surface as seen from its centre. Its length is 1.
// Comparing vectors takes a tenth of the time of comparing points.
type Vector struct{ x, y, z float64 }

// Vector returns p as a vector.
func (p Point) Vector() Vector {
	sinLat, cosLat := math.Sincos(p.Lat * rad)
	sinLng, cosLng := math.Sincos(p.Lng * rad)
	return Vector{cosLat * cosLng, cosLat * sinLng, sinLat}
}

// Haversine returns the haversine of the points v and w. On the Earth, rounding changes the
// distance by some nanometres.
func (v Vector) Haversine(w Vector) float64 {
	x, y, z := v.x-w.x, v.y-w.y, v.z-w.z
	return min(1, (x*x+y*y+z*z)/4)
}

// Metres returns the great-circle distance, in metres, for a haversine.
func Metres(haversine float64) float64 { return 2 * EarthRadius * math.Asin(math.Sqrt(haversine)) }

// rad is a degree in radians.
const rad = math.Pi / 180

// A Disc is every point within Radius metres of Center.
type Disc struct {
	Center Point   `json:"center"`
	Radius float64 `json:"radiusMeters"`
}

// Haversine returns the haversine of the distance from the center to a point on the rim. It is
// a little larger than exact, so that rounding never loses a point on the rim.
func (d Disc) Haversine() float64 {
	half := math.Sin(min(d.Radius/EarthRadius*(1+1e-12), math.Pi) / 2)
	return half * half
}

// Box returns a box that contains the disc. It is a little larger than needed,
// so that rounding never loses a point on the edge.
func (d Disc) Box() Box {
	angle := d.Radius/EarthRadius*(1+1e-9) + 1e-9
	lat := angle / rad
	b := Box{South: d.Center.Lat - lat, North: d.Center.Lat + lat, West: -180, East: 180}
	if b.South <= -90 || b.North >= 90 {
		b.South, b.North = max(b.South, -90), min(b.North, 90)
		return b
	}
	// The meridians that touch the disc do not touch it on the parallel of its
	// centre: hence the arc sine, not a division by the cosine.
	s := math.Sin(angle) / math.Cos(d.Center.Lat*rad)
	if s >= 1 {
		return b
	}
	lng := math.Asin(s) / rad
	b.West, b.East = wrap(d.Center.Lng-lng), wrap(d.Center.Lng+lng)
	return b
}

// wrap returns a longitude between -360 and 360 as one between -180 and 180.
func wrap(lng float64) float64 {
	switch {
	case lng < -180:
		return lng + 360
	case lng > 180:
		return lng - 360
	}
	return lng
}
