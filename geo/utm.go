package geo

import (
	"math"
	"math/cmplx"
)

// A transverse is a transverse Mercator projection by Krüger's series (EPSG method 9807), to less than a
// millimetre in its zone and the two next to it.
type transverse struct {
	lng0, y0    float64 // the meridian in radians, and what the equator has
	alpha, beta [3]float64
	scale       float64 // metres for each radian of the meridian
}

// southern is the false northing of zones south of the equator.
const southern = 1e7

// utm returns the projection of a zone of UTM.
func utm(zone int, y0 float64) transverse {
	n := grs80.n()
	return transverse{
		lng0: float64(6*zone-183) * rad, y0: y0,
		alpha: [3]float64{n/2 - 2*n*n/3 + 5*n*n*n/16, 13*n*n/48 - 3*n*n*n/5, 61 * n * n * n / 240},
		beta:  [3]float64{n/2 - 2*n*n/3 + 37*n*n*n/96, n*n/48 + n*n*n/15, 17 * n * n * n / 480},
		scale: 0.9996 * grs80.a / (1 + n) * (1 + n*n/4),
	}
}

func (u transverse) projection(x0, y0, x1, y1 float64) *Projection {
	return &Projection{u.from, u.to, x0, y0, x1, y1}
}

func (u transverse) to(p Point) (x, y float64) {
	t := grs80.isometric(p.Lat * rad)
	t = (1/t - t) / 2 // the tangent of the conformal latitude
	sin, cos := math.Sincos(p.Lng*rad - u.lng0)
	z := complex(math.Atan2(t, cos), math.Atanh(sin/math.Sqrt(1+t*t)))
	sum := z
	for i, a := range u.alpha {
		sum += complex(a, 0) * cmplx.Sin(complex(float64(2*i+2), 0)*z)
	}
	return 500e3 + u.scale*imag(sum), u.y0 + u.scale*real(sum)
}

func (u transverse) from(x, y float64) Point {
	z := complex((y-u.y0)/u.scale, (x-500e3)/u.scale)
	sum := z
	for i, b := range u.beta {
		sum -= complex(b, 0) * cmplx.Sin(complex(float64(2*i+2), 0)*z)
	}
	sin := math.Sin(real(sum)) / math.Cosh(imag(sum)) // of the conformal latitude
	lng := u.lng0 + math.Atan2(math.Sinh(imag(sum)), math.Cos(real(sum)))
	return Point{Lat: grs80.latitude(math.Sqrt((1-sin)/(1+sin))) / rad, Lng: lng / rad}
}
