package geo

import "math"

// A Spot is a position on the square Mercator map of the Web, whose sides are 2^32: X to the east, Y to the
// south.
type Spot struct{ X, Y uint32 }

// Mercator returns the spot of a position in 1e-7 degrees. For positions near the poles, which the map does
// not have, it is the nearest spot of the map.
func Mercator(lat, lng int32) Spot {
	sin := math.Sin(Degrees(lat) * math.Pi / 180)
	y := 0.5 - math.Log((1+sin)/(1-sin))/(4*math.Pi) // infinite at the poles
	return Spot{onSide(Degrees(lng)/360 + 0.5), onSide(y)}
}

// onSide returns a fraction of the side of the map in its units.
func onSide(fraction float64) uint32 {
	const side = 1 << 32
	return uint32(math.Max(0, math.Min(fraction*side, side-1)))
}

// webRadius is the radius of the sphere that the map of the Web takes the Earth for, in metres.
const webRadius = 6378137

// fromWebMercator converts the metres of the Web's map (EPSG:3857) to WGS84.
func fromWebMercator(x, y float64) Point {
	return Point{Lat: math.Atan(math.Sinh(y/webRadius)) / rad, Lng: x / webRadius / rad}
}

// toWebMercator is the inverse of fromWebMercator. The poles are infinitely far away.
func toWebMercator(p Point) (x, y float64) {
	return p.Lng * rad * webRadius, math.Atanh(math.Sin(p.Lat*rad)) * webRadius
}
