package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"relais/geo"
)

// along is where a great circle leads to.
func along(from geo.Point, bearing, metres float64) geo.Point {
	const rad = math.Pi / 180
	far := metres / geo.EarthRadius
	lat := math.Asin(math.Sin(from.Lat*rad)*math.Cos(far) + math.Cos(from.Lat*rad)*math.Sin(far)*math.Cos(bearing))
	east := math.Atan2(math.Sin(bearing)*math.Sin(far)*math.Cos(from.Lat*rad),
		math.Cos(far)-math.Sin(from.Lat*rad)*math.Sin(lat))
	return geo.Point{Lat: lat / rad, Lng: from.Lng + east/rad}
}

// A disc holds what is within the distance, near its edge and elsewhere.
func TestDisc(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	planar := 0
	for range 300 {
		d := geo.Disc{Center: geo.Point{Lat: r.Float64()*180 - 90, Lng: r.Float64()*360 - 180},
			Radius: math.Pow(10, r.Float64()*6.5)}
		if r.IntN(3) == 0 { // where the plane is wrong by the most
			d = geo.Disc{Center: geo.Point{Lat: planarLatitude, Lng: planarLongitude}, Radius: planarRadius}
		}
		disc := newDisc(&d)
		if disc.planar {
			planar++
		}
		for range 300 {
			off := (r.Float64() - 0.5) * math.Pow(10, -9*r.Float64()) // most very near its edge
			p := along(d.Center, r.Float64()*2*math.Pi, d.Radius*(1+off))
			if r.IntN(3) == 0 {
				p = geo.Point{Lat: r.Float64()*180 - 90, Lng: r.Float64()*360 - 180}
			}
			if p.Lng > 180 {
				p.Lng -= 360
			} else if p.Lng < -180 {
				p.Lng += 360
			}
			if !p.Valid() {
				continue
			}
			lat, lng := geo.Fix(p.Lat), geo.Fix(p.Lng)
			metres := geo.Distance(d.Center, geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)})
			if got, want := disc.holds(lat, lng), metres <= d.Radius; got != want {
				t.Fatalf("%+v holds %v, %v m away: %v, want %v", d, p, metres, got, want)
			}
		}
	}
	if planar < 100 {
		t.Errorf("%d of the discs are planar, want 100 or more", planar)
	}
}
