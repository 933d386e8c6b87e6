package measure

import (
	"math"

	"relais/geo"
)

// A round is a disc that tells of most points by a few multiplications whether it holds
// them, of those near its edge by the distance: of hundreds of thousands of rows, that
// takes a tenth of the time.
type round struct {
	disc       *geo.Disc // nil holds all
	lat, lng   float64   // of the centre, 1e-7 degrees
	tall, wide float64   // metres of a step north, and of one east where it is the shortest
	// Of the square of a distance in the plane, metres: within edge of middle, it may be
	// on either side; less is inside, and more is not. edge is infinite of what is no plane.
	middle, edge float64
}

const (
	flat  = 100_000 // metres: a greater disc is no plane
	slack = 1e-3    // how much a distance in the plane may be off
	step  = geo.EarthRadius * math.Pi / 180 / geo.Scale
)

func newRound(d *geo.Disc) round {
	r := round{disc: d, edge: math.Inf(1)}
	if d == nil || d.Radius > flat || math.Abs(d.Center.Lat) > 70 || math.Abs(d.Center.Lng) > 175 {
		return r // near a pole or the antimeridian it is none either
	}
	reach := d.Radius / geo.EarthRadius
	lat := math.Abs(d.Center.Lat) * math.Pi / 180
	r.lat, r.lng, r.tall = d.Center.Lat*geo.Scale, d.Center.Lng*geo.Scale, step
	least, most := step*math.Cos(lat+reach), step*math.Cos(math.Max(0, lat-reach)) // of a step east
	inner, beyond := d.Radius*d.Radius*(1-slack)*(least/most)*(least/most), d.Radius*d.Radius*(1+slack)
	r.wide, r.middle, r.edge = least, (inner+beyond)/2, (beyond-inner)/2
	return r
}

// plane tells whether the disc is one.
func (r *round) plane() bool { return !math.IsInf(r.edge, 1) }

func (r *round) holds(lat, lng int32) bool {
	if r.disc == nil {
		return true
	}
	y, x := (float64(lat)-r.lat)*r.tall, (float64(lng)-r.lng)*r.wide
	if off := y*y + x*x - r.middle; math.Abs(off) > r.edge {
		return off < 0
	}
	return r.reaches(lat, lng)
}

// reaches tells by the distance.
func (r *round) reaches(lat, lng int32) bool {
	return geo.Distance(r.disc.Center, geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)}) <= r.disc.Radius
}

// within leaves in list the rows that the disc holds. But for those near the edge, no jump
// depends on a row.
func (r *round) within(list []uint32, lats, lngs []int32) []uint32 {
	if r.disc == nil {
		return list
	}
	n := 0
	lat, lng, tall, wide, middle, edge := r.lat, r.lng, r.tall, r.wide, r.middle, r.edge
	for _, i := range list {
		list[n] = i
		y, x := (float64(lats[i])-lat)*tall, (float64(lngs[i])-lng)*wide
		off := y*y + x*x - middle
		if math.Abs(off) <= edge && !r.reaches(lats[i], lngs[i]) {
			continue
		}
		if off <= edge {
			n++
		}
	}
	return list[:n]
}

// covers tells whether all of a block lies in the disc, as it does when its corners do;
// of a disc that is no plane, it is never certain.
func (r *round) covers(b *block) bool {
	if r.disc == nil {
		return true
	}
	narrow := int64(b.east)-int64(b.west) < 90*geo.Scale // else the other side of the Earth lies between
	return r.plane() && narrow && r.holds(b.south, b.west) && r.holds(b.south, b.east) && r.holds(b.north, b.west) && r.holds(b.north, b.east)
}
