package demo

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"sync"

	"relais/coverage"
	"relais/data"
	"relais/geo"
	"relais/ingest/table"
)

// A terrain is where a country or an island has sites: on its land, in its towns, on the roads
// between them and in the country around them.
type terrain struct {
	step     float64           // between lines of latitude, degrees
	land     map[int][]float64 // line → the longitudes where land begins and ends, in turn
	places   []place           // the largest first
	roads    []road
	strips   []strip          // all of the land, if the country is all of it
	of       [kinds][]float64 // running sums of weights
	villages float64          // how far from a town its country goes, km; 0 for all of the land
}

type place struct {
	geo.Point
	inhabitants float64
}

// A road joins two places by a straight line.
type road struct{ from, to geo.Point }

// A strip is land along a line of latitude.
type strip struct{ lat, west, east float64 }

// Kinds of sites by where they are: weights are of places, of roads, and of strips or places.
const (
	inTown = iota
	onRoad
	inCountry
	kinds
)

// kindShares are the running sums of the shares of kinds.
var kindShares = [kinds]float64{0.42, 0.58, 1}

// frames are the terrains, with the inhabitants of a place that roads lead to.
var frames = map[string]struct{ step, villages, joined float64 }{
	"FR": {0.01, 0, 15000}, "971": {0.005, 4, 5000}, "972": {0.005, 4, 5000}, "973": {0.02, 8, 5000},
	"974": {0.005, 3, 5000}, "976": {0.005, 2, 3000}, "BE": {0.01, 5, 15000}, "CH": {0.01, 7, 9000},
	"CA": {0.025, 45, 15000},
}

// terrains makes the terrains, by frame.
var terrains = sync.OnceValues(func() (map[string]*terrain, error) {
	all := map[string]*terrain{}
	for name, f := range frames {
		all[name] = &terrain{step: f.step, villages: f.villages, land: map[int][]float64{}}
		all[name].addLand(coverage.AreaBoxes(name))
	}
	rows, err := table.Embedded(data.Files, placesName, []table.Column{{Name: "frame"}, {Name: "lat"}, {Name: "lng"},
		{Name: "inhabitants"}})
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var n [3]float64
		for i := range n {
			if n[i], err = strconv.ParseFloat(string(rows.Field(1+i)), 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", placesName, rows.Line(), err)
			}
		}
		all[string(rows.Field(0))].addPlace(place{geo.Point{Lat: n[0], Lng: n[1]}, n[2]})
	}
	for name, t := range all {
		t.join(frames[name].joined)
	}
	return all, rows.Err()
})

// placesName is the embedded table of towns.
const placesName = "demo/places.csv"

// addLand adds the land in boxes around its lines of latitude.
func (t *terrain) addLand(boxes []geo.Box) {
	slices.SortStableFunc(boxes, func(a, b geo.Box) int { return cmp.Compare(a.South, b.South) })
	for _, b := range boxes {
		lat := math.Round((b.South+b.North)*500) / 1000 // the table has three decimals
		line := int(math.Round(lat / t.step))
		t.land[line] = append(t.land[line], b.West, b.East)
		if t.villages == 0 {
			t.strips = append(t.strips, strip{lat, b.West, b.East})
			t.weigh(inCountry, (b.East-b.West)*squeezed(lat))
		}
	}
}

func (t *terrain) addPlace(p place) {
	t.places = append(t.places, p)
	t.weigh(inTown, math.Pow(p.inhabitants, 0.85))
	if t.villages > 0 {
		t.weigh(inCountry, math.Pow(p.inhabitants, 0.1))
	}
}

// inhabited is the weight of all towns together.
func (t *terrain) inhabited() float64 { return t.of[inTown][len(t.places)-1] }

// weigh adds a weight to those of a kind.
func (t *terrain) weigh(kind int, weight float64) {
	if n := len(t.of[kind]); n > 0 {
		weight += t.of[kind][n-1]
	}
	t.of[kind] = append(t.of[kind], weight)
}

// join makes roads between two places of at least some inhabitants where no third one is closer to
// both: their relative neighbourhood graph, which looks like a country's main roads.
func (t *terrain) join(inhabitants float64) {
	n := sort.Search(len(t.places), func(i int) bool { return t.places[i].inhabitants < inhabitants })
	far := make([][]float64, n)
	for i := range far {
		far[i] = make([]float64, n)
		for k, squeeze := 0, squeezed(t.places[i].Lat); k < i; k++ {
			far[i][k] = apart(t.places[i].Point, t.places[k].Point, squeeze)
			far[k][i] = far[i][k]
		}
	}
	for i := range n {
		for k := range i {
			between := false
			for m := 0; m < n && !between; m++ {
				between = far[i][m] < far[i][k] && far[k][m] < far[i][k]
			}
			if r := (road{t.places[i].Point, t.places[k].Point}); !between && t.overLand(r) {
				t.roads = append(t.roads, r)
				t.weigh(onRoad, math.Sqrt(far[i][k])*math.Pow(t.places[i].inhabitants, 0.25))
			}
		}
	}
}

// overLand reports whether most of a road is on land.
func (t *terrain) overLand(r road) bool {
	const parts = 16
	dry := 0
	for i := range parts {
		if t.dry(r.at((float64(i) + 0.5) / parts)) {
			dry++
		}
	}
	return dry > parts*3/4
}

// at returns the point after a part of the road.
func (r road) at(part float64) geo.Point {
	return geo.Point{Lat: r.from.Lat + part*(r.to.Lat-r.from.Lat), Lng: r.from.Lng + part*(r.to.Lng-r.from.Lng)}
}

// dry reports whether a point is on land: on both lines of latitude around it.
func (t *terrain) dry(p geo.Point) bool {
	line := int(math.Floor(p.Lat / t.step))
	for _, spans := range [][]float64{t.land[line], t.land[line+1]} {
		on := false
		for i := 0; i+1 < len(spans); i += 2 {
			on = on || spans[i] < p.Lng && p.Lng < spans[i+1]
		}
		if !on {
			return false
		}
	}
	return true
}

// draw returns a place for a site.
func (t *terrain) draw(r *rand.Rand) geo.Point {
	for {
		if p := t.guess(r); t.dry(p) {
			return p
		}
	}
}

// guess is draw, and may be in the sea.
func (t *terrain) guess(r *rand.Rand) geo.Point {
	kind := sort.SearchFloat64s(kindShares[:], r.Float64())
	if kind == onRoad && len(t.roads) == 0 {
		kind = inTown
	}
	sums := t.of[kind]
	i := min(sort.SearchFloat64s(sums, r.Float64()*sums[len(sums)-1]), len(sums)-1)
	switch {
	case kind == onRoad:
		return near(r, t.roads[i].at(r.Float64()), 0.5)
	case kind == inCountry && t.villages == 0:
		s := t.strips[i]
		return geo.Point{Lat: s.lat + t.step*(r.Float64()-0.5), Lng: s.west + (s.east-s.west)*r.Float64()}
	case kind == inCountry:
		far, angle := t.villages*math.Sqrt(r.Float64()), 2*math.Pi*r.Float64()
		return moved(t.places[i].Point, far*math.Cos(angle), far*math.Sin(angle))
	}
	return near(r, t.places[i].Point, 0.5+0.1*math.Sqrt(t.places[i].inhabitants/1000))
}

// near draws a point around p, most at less than km from it.
func near(r *rand.Rand, p geo.Point, km float64) geo.Point {
	return moved(p, km*r.NormFloat64(), km*r.NormFloat64())
}

// kmPerDegree is the length of a degree of latitude.
const kmPerDegree = 111.2

// moved returns the point some km to the north and east.
func moved(p geo.Point, north, east float64) geo.Point {
	return geo.Point{Lat: p.Lat + north/kmPerDegree,
		Lng: p.Lng + east/kmPerDegree/squeezed(p.Lat)}
}

// squeezed returns the length of a degree of longitude at a latitude, in degrees of latitude.
func squeezed(lat float64) float64 { return math.Cos(lat * math.Pi / 180) }

// apart returns the square of the distance of two points of one frame near a latitude, in degrees.
func apart(a, b geo.Point, squeeze float64) float64 {
	north, east := a.Lat-b.Lat, (a.Lng-b.Lng)*squeeze
	return north*north + east*east
}

// nearest returns the index of the nearest of n points to p that may have it, -1 without any.
func nearest(p geo.Point, n int, at func(i int) geo.Point, may func(i int) bool) int {
	best, least, squeeze := -1, math.Inf(1), squeezed(p.Lat)
	for i := range n {
		if far := apart(p, at(i), squeeze); far < least && (may == nil || may(i)) {
			best, least = i, far
		}
	}
	return best
}

// plane returns the coordinates of p in a plane in metres that from projects onto the earth, in steps
// from any coordinates x and y of the country.
func plane(from func(x, y float64) geo.Point, x, y float64, p geo.Point) (float64, float64) {
	for range 12 { // each is off by a twentieth of the one before, or less
		at := from(x, y)
		y += (p.Lat - at.Lat) * kmPerDegree * 1000
		x += (p.Lng - at.Lng) * kmPerDegree * 1000 * squeezed(p.Lat)
	}
	return x, y
}
