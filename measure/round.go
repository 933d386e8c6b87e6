package measure

import (
	"math"

	"relais/geo"
)

// A round is a disc that tells of most points by a few multiplications whether it holds
// them, of those at its edge by the distance: of hundreds of thousands of rows, that takes
// a tenth of the time. In radians, the square of a distance is about y² + x²·cos φ·cos φ',
// and cos φ' about cos φ - y·sin φ - y²/2·cos φ. Here it is all in steps of 1e-7 degrees.
type round struct {
	disc     *geo.Disc // nil holds all
	lat, lng float64   // of the centre
	// What cos φ·cos φ' is about: flat - y·(slope + y·bend).
	flat, slope, bend float64
	// Of the square of a distance: within edge of middle, it may be on either side; less is
	// inside, and more is not. edge is infinite of what is no plane.
	middle, edge float64
}

const (
	broad = 100_000                   // metres: a greater disc is no plane
	step  = math.Pi / 180 / geo.Scale // radians
)

func newRound(d *geo.Disc) round {
	r := round{disc: d, edge: math.Inf(1)}
	if d == nil || d.Radius > broad || math.Abs(d.Center.Lat) > 70 || math.Abs(d.Center.Lng) > 175 {
		return r // near a pole or the antimeridian it is none either
	}
	reach := d.Radius / geo.EarthRadius
	sin, cos := math.Sincos(d.Center.Lat * math.Pi / 180)
	r.lat, r.lng = d.Center.Lat*geo.Scale, d.Center.Lng*geo.Scale
	r.flat, r.slope, r.bend = cos*cos, sin*cos*step, cos*cos/2*step*step
	r.middle = reach * reach
	wide := reach / (cos - reach)                    // more than any x of the disc
	r.edge = r.middle*(wide*wide+1e-9) + reach*4e-15 // the last for rounding
	r.middle, r.edge = r.middle/(step*step), r.edge/(step*step)
	return r
}

// square is that of the distance from the centre, in the plane.
func square(lat, lng int32, centerLat, centerLng, flat, slope, bend float64) float64 {
	y, x := float64(lat)-centerLat, float64(lng)-centerLng
	cosines := flat - y*(slope+y*bend)
	if cosines < 0 { // far away, where y alone says enough
		cosines = 0
	}
	return y*y + x*x*cosines
}

// plane tells whether the disc is one.
func (r *round) plane() bool { return !math.IsInf(r.edge, 1) }

func (r *round) holds(lat, lng int32) bool {
	if r.disc == nil {
		return true
	}
	if off := square(lat, lng, r.lat, r.lng, r.flat, r.slope, r.bend) - r.middle; math.Abs(off) > r.edge {
		return off < 0
	}
	return r.reaches(lat, lng)
}

// reaches tells by the distance.
func (r *round) reaches(lat, lng int32) bool {
	return geo.Distance(r.disc.Center, geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)}) <= r.disc.Radius
}

// within leaves in list the rows that the disc holds.
func (r *round) within(list []uint32, lats, lngs []int32) []uint32 {
	if r.disc == nil {
		return list
	}
	n := 0
	for _, i := range list {
		if r.holds(lats[i], lngs[i]) {
			list[n] = i
			n++
		}
	}
	return list[:n]
}

// append appends to a list with room for them those of the rows from from on that the disc
// holds, whose positions these are. But for those near the edge, no jump depends on a row.
func (r *round) append(list []uint32, from uint32, lats, lngs []int32) []uint32 {
	n := len(list)
	list = list[:n+len(lats)]
	lngs = lngs[:len(lats)]
	lat, lng, flat, slope, bend := r.lat, r.lng, r.flat, r.slope, r.bend // in registers
	least, most := r.middle-r.edge, r.middle+r.edge
	for k := range lats {
		list[n] = from + uint32(k)
		far, may, must := square(lats[k], lngs[k], lat, lng, flat, slope, bend), 0, 0
		if far <= most {
			may = 1
		}
		if far < least {
			must = 1
		}
		if may != must && !r.reaches(lats[k], lngs[k]) {
			may = 0
		}
		n += may
	}
	return list[:n]
}

// covers tells whether all of a rectangle lies in the disc, as it does when its corners do;
// of a disc that is no plane, it is never certain.
func (r *round) covers(b *rectangle) bool {
	if r.disc == nil {
		return true
	}
	narrow := int64(b.east)-int64(b.west) < 90*geo.Scale // else the other side of the Earth lies between
	if !r.plane() || !narrow {
		return false
	}
	far := b.east // of one latitude, the corner farther off
	if r.lng-float64(b.west) > float64(b.east)-r.lng {
		far = b.west
	}
	return r.holds(b.south, far) && r.holds(b.north, far)
}

// misses tells whether the disc certainly holds nothing of a rectangle.
func (r *round) misses(b *rectangle) bool {
	if r.disc == nil || !r.plane() {
		return false
	}
	south, north := float64(b.south)-r.lat, float64(b.north)-r.lat
	y := max(south, -north, 0)
	x := max(float64(b.west)-r.lng, r.lng-float64(b.east), 0)
	// Of all of it, degrees of longitude are shortest at one of its edges.
	cosines := min(r.flat-south*(r.slope+south*r.bend), r.flat-north*(r.slope+north*r.bend))
	return y*y+x*x*max(cosines, 0) > r.middle+r.edge
}
