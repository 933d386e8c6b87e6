package measure

import (
	"math"

	"relais/geo"
)

// A round is a disc that tells of most points by a few multiplications whether it holds
// them, of those near its edge by the distance: of hundreds of thousands of rows, that
// takes a tenth of the time.
type round struct {
	disc          *geo.Disc // nil holds all
	lat, lng      float64   // of the centre, 1e-7 degrees
	tall          float64   // metres of a step north
	least, most   float64   // metres of a step east, at the ends of the disc
	inner, beyond float64   // squares of metres: what is less is inside, what is more is not
}

const (
	flat  = 100_000 // metres: a greater disc is no plane
	slack = 1e-3    // how much a distance in the plane may be off
	step  = geo.EarthRadius * math.Pi / 180 / geo.Scale
)

func newRound(d *geo.Disc) round {
	r := round{disc: d}
	if d == nil || d.Radius > flat || math.Abs(d.Center.Lat) > 70 {
		return r // beyond is 0: always the distance
	}
	reach := d.Radius / geo.EarthRadius
	lat := math.Abs(d.Center.Lat) * math.Pi / 180
	r.lat, r.lng, r.tall = d.Center.Lat*geo.Scale, d.Center.Lng*geo.Scale, step
	r.least, r.most = step*math.Cos(lat+reach), step*math.Cos(math.Max(0, lat-reach))
	r.inner, r.beyond = d.Radius*d.Radius*(1-slack), d.Radius*d.Radius*(1+slack)
	return r
}

func (r *round) holds(lat, lng int32) bool {
	if r.disc == nil {
		return true
	}
	y, x := (float64(lat)-r.lat)*r.tall, float64(lng)-r.lng
	if r.beyond > 0 && math.Abs(x) < 180*geo.Scale {
		if near, far := x*r.least, x*r.most; y*y+far*far < r.inner {
			return true
		} else if y*y+near*near > r.beyond {
			return false
		}
	}
	return geo.Distance(r.disc.Center, geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)}) <= r.disc.Radius
}

// covers tells whether all of a block lies in the disc, as it does when its corners do;
// of a disc that is no plane, it is never certain.
func (r *round) covers(b *block) bool {
	if r.disc == nil {
		return true
	}
	narrow := int64(b.east)-int64(b.west) < 90*geo.Scale // else the other side of the Earth lies between
	return r.beyond > 0 && narrow && r.holds(b.south, b.west) && r.holds(b.south, b.east) && r.holds(b.north, b.west) && r.holds(b.north, b.east)
}
