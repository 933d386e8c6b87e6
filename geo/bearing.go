package geo

import "math"

// Bearing returns the initial bearing of the great circle from a to b, in degrees
// clockwise from true north: at least 0 and less than 360. It is 0 from a point to itself,
// and any direction to the opposite point of the Earth.
func Bearing(a, b Point) float64 {
	lng := (b.Lng - a.Lng) * rad
	lat := (b.Lat - a.Lat) * rad
	// cos a·sin b − sin a·cos b·cos lng, in the form that keeps its digits for near points.
	half := math.Sin(lng / 2)
	north := math.Sin(lat) + 2*math.Sin(a.Lat*rad)*math.Cos(b.Lat*rad)*half*half
	east := math.Sin(lng) * math.Cos(b.Lat*rad)
	return azimuth(north, east)
}

// azimuth returns the direction of a vector in degrees. That of a vector of length 0 is 0.
func azimuth(north, east float64) float64 {
	d := math.Atan2(east, north) / rad
	if d < 0 {
		d += 360
	}
	if d >= 360 { // a tiny negative angle, rounded
		return 0
	}
	return d
}

// AngleBetween returns the smaller angle between two directions in degrees: 0 to 180.
func AngleBetween(a, b float64) float64 {
	d := math.Mod(math.Abs(a-b), 360)
	return min(d, 360-d)
}

// A Direction is the sum of the unit vectors of directions. Its zero value is an empty sum.
type Direction struct {
	north, east float64
	n           int
}

// Add adds a direction, in degrees.
func (d *Direction) Add(degrees float64) {
	sin, cos := math.Sincos(degrees * rad)
	d.north += cos
	d.east += sin
	d.n++
}

// Mean returns the direction of the sum in degrees, and the mean length of the unit vectors
// along it: 1 when all directions are equal, near 0 when they cancel out. The direction of
// a sum with a mean length near 0 says nothing.
func (d *Direction) Mean() (degrees, length float64) {
	if d.n == 0 {
		return 0, 0
	}
	return azimuth(d.north, d.east), math.Hypot(d.north, d.east) / float64(d.n)
}
