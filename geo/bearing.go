package geo

import "math"

// Bearing is the initial bearing of the great circle from a to b: degrees clockwise from
// true north, from 0 up to but not 360. From a point to itself it is 0; to the one
// opposite, where no direction is more right than any other, it is some direction.
func Bearing(a, b Point) float64 {
	lng := (b.Lng - a.Lng) * rad
	lat := (b.Lat - a.Lat) * rad
	// cos a·sin b − sin a·cos b·cos lng, in the form that keeps its digits for near points.
	half := math.Sin(lng / 2)
	north := math.Sin(lat) + 2*math.Sin(a.Lat*rad)*math.Cos(b.Lat*rad)*half*half
	east := math.Sin(lng) * math.Cos(b.Lat*rad)
	return direction(north, east)
}

// direction is that of a vector; one without a length points north.
func direction(north, east float64) float64 {
	d := math.Atan2(east, north) / rad
	if d < 0 {
		d += 360
	}
	if d >= 360 { // what was a little below 0
		return 0
	}
	return d
}

// AngleBetween is the smallest angle between two directions in degrees, 0 to 180.
func AngleBetween(a, b float64) float64 {
	d := math.Mod(math.Abs(a-b), 360)
	return min(d, 360-d)
}

// A Direction is the sum of directions. Its zero value is the sum of none.
type Direction struct {
	north, east float64
	n           int
}

// Add takes in a direction, in degrees.
func (d *Direction) Add(degrees float64) {
	sin, cos := math.Sincos(degrees * rad)
	d.north, d.east, d.n = d.north+cos, d.east+sin, d.n+1
}

// Mean returns the mean direction in degrees, that of the sum of unit vectors, and the
// length of their mean: 1 when all are the same, near 0 when they cancel out, and then
// the mean tells nothing.
func (d *Direction) Mean() (degrees, length float64) {
	if d.n == 0 {
		return 0, 0
	}
	return direction(d.north, d.east), math.Hypot(d.north, d.east) / float64(d.n)
}
