package geo

import "math"

// FromLambert72 converts Belgian Lambert 72 (EPSG:31370), x east and y north in
// metres, to WGS84. It inverts the conic projection of EPSG method 9802 and applies
// the seven-parameter position vector transformation. The result is within 3 metres
// of what the Belgian authorities publish; outside Belgium it is useless.
func FromLambert72(x, y float64) Point {
	return lambert72.toWGS84(lambert72.geographic(x, y))
}

// ToLambert72 is the inverse of FromLambert72, to less than a millimetre in Belgium.
func ToLambert72(p Point) (x, y float64) {
	return invert(FromLambert72, 150e3, 170e3, p) // from the middle of the country
}

// An ellipsoid has a semi-major axis in metres and the square of its eccentricity.
type ellipsoid struct{ a, e2 float64 }

func newEllipsoid(a, inverseFlattening float64) ellipsoid {
	f := 1 / inverseFlattening
	return ellipsoid{a, f * (2 - f)}
}

var (
	international1924 = newEllipsoid(6378388, 297)
	wgs84             = newEllipsoid(6378137, 298.257223563)
	grs80             = newEllipsoid(6378137, 298.257222101)
)

// cartesian returns geocentric coordinates in metres of a point on the ellipsoid,
// in radians.
func (e ellipsoid) cartesian(lat, lng float64) (x, y, z float64) {
	n := e.a / math.Sqrt(1-e.e2*math.Sin(lat)*math.Sin(lat))
	return n * math.Cos(lat) * math.Cos(lng), n * math.Cos(lat) * math.Sin(lng), n * (1 - e.e2) * math.Sin(lat)
}

// geographic inverts cartesian for points near the surface.
func (e ellipsoid) geographic(x, y, z float64) (lat, lng float64) {
	p := math.Hypot(x, y)
	lat = math.Atan2(z, p*(1-e.e2))
	for range 6 { // each step gains about five digits
		n := e.a / math.Sqrt(1-e.e2*math.Sin(lat)*math.Sin(lat))
		lat = math.Atan2(z+e.e2*n*math.Sin(lat), p)
	}
	return lat, math.Atan2(y, x)
}

// n returns the third flattening.
func (e ellipsoid) n() float64 {
	b := math.Sqrt(1 - e.e2) // of an ellipsoid whose a is 1
	return (1 - b) / (1 + b)
}

// isometric returns the t of EPSG method 9802 for a latitude in radians.
func (e ellipsoid) isometric(lat float64) float64 {
	return math.Tan(math.Pi/4-lat/2) / e.stretch(lat)
}

// latitude is the inverse of isometric.
func (e ellipsoid) latitude(t float64) float64 {
	lat := math.Pi/2 - 2*math.Atan(t)
	for range 8 {
		lat = math.Pi/2 - 2*math.Atan(t*e.stretch(lat))
	}
	return lat
}

func (e ellipsoid) stretch(lat float64) float64 {
	first := math.Sqrt(e.e2)
	sin := first * math.Sin(lat)
	return math.Pow((1-sin)/(1+sin), first/2)
}

// A conic is a Lambert projection with two standard parallels, and the transformation
// from its datum to WGS84.
type conic struct {
	ellipsoid
	lng0, x0, y0 float64 // origin: radians and metres
	n, af, rho0  float64 // constants of the projection; see newConic
	shift        [3]float64
	rotation     [3]float64 // radians
	scale        float64
}

const arcSecond = rad / 3600

var lambert72 = newConic(conic{
	ellipsoid: international1924, lng0: 4.367486666666666 * rad, x0: 150000.013, y0: 5400088.438,
	shift:    [3]float64{-106.8686, 52.2978, -103.7239},
	rotation: [3]float64{0.3366 * arcSecond, -0.457 * arcSecond, 1.8422 * arcSecond},
	scale:    1 - 1.2747e-6,
}, 51.16666723333333, 49.8333339, 90)

// Lambert-93 (EPSG:2154) is on RGF93, which is WGS84 to less than a metre.
var lambert93 = newConic(conic{ellipsoid: grs80, lng0: 3 * rad, x0: 700e3, y0: 6600e3}, 49, 44, 46.5)

// newConic computes the constants for the parallels, in degrees.
func newConic(c conic, lat1, lat2, lat0 float64) conic {
	m := func(lat float64) float64 {
		return math.Cos(lat) / math.Sqrt(1-c.e2*math.Sin(lat)*math.Sin(lat))
	}
	p1, p2 := lat1*rad, lat2*rad
	t1, t2 := c.isometric(p1), c.isometric(p2)
	c.n = (math.Log(m(p1)) - math.Log(m(p2))) / (math.Log(t1) - math.Log(t2))
	c.af = c.a * m(p1) / (c.n * math.Pow(t1, c.n))
	if lat0 < 90 {
		c.rho0 = c.af * math.Pow(c.isometric(lat0*rad), c.n)
	}
	return c
}

// geographic returns latitude and longitude on the datum, in radians.
func (c *conic) geographic(x, y float64) (lat, lng float64) {
	dx, dy := x-c.x0, c.rho0-(y-c.y0)
	t := math.Pow(math.Copysign(math.Hypot(dx, dy), c.n)/c.af, 1/c.n)
	return c.latitude(t), math.Atan2(dx, dy)/c.n + c.lng0
}

// to and from are for a datum that is WGS84.
func (c *conic) to(p Point) (x, y float64) {
	rho := c.af * math.Pow(c.isometric(p.Lat*rad), c.n)
	sin, cos := math.Sincos(c.n * (p.Lng*rad - c.lng0))
	return c.x0 + rho*sin, c.y0 + c.rho0 - rho*cos
}

func (c *conic) from(x, y float64) Point {
	lat, lng := c.geographic(x, y)
	return Point{Lat: lat / rad, Lng: lng / rad}
}

func (c *conic) toWGS84(lat, lng float64) Point {
	x, y, z := c.cartesian(lat, lng)
	r := c.rotation
	lat, lng = wgs84.geographic(
		c.shift[0]+c.scale*(x-r[2]*y+r[1]*z),
		c.shift[1]+c.scale*(r[2]*x+y-r[0]*z),
		c.shift[2]+c.scale*(-r[1]*x+r[0]*y+z))
	return Point{Lat: lat / rad, Lng: lng / rad}
}
