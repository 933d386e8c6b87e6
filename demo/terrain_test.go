package demo

import (
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"relais/geo"
)

// landOf reads the land of the map that the program carries: polygons, each of rings of longitude and
// latitude.
func landOf(t *testing.T) (land [][][][2]float64) {
	t.Helper()
	f, err := os.Open("../httpapi/web/basemap/base.json.gz")
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	var base struct {
		Features []struct {
			Properties struct{ Kind string }
			Geometry   struct{ Coordinates json.RawMessage }
		}
	}
	must(t, json.NewDecoder(z).Decode(&base))
	for _, f := range base.Features {
		if f.Properties.Kind == "land" {
			var polygon [][][2]float64
			must(t, json.Unmarshal(f.Geometry.Coordinates, &polygon))
			land = append(land, polygon)
		}
	}
	return land
}

// within reports whether a point is in a polygon: a line to the north crosses its rings an odd number
// of times.
func within(p geo.Point, polygon [][][2]float64) bool {
	odd := false
	for _, ring := range polygon {
		for i := range ring[1:] {
			a, b := ring[i], ring[i+1]
			if (a[0] > p.Lng) != (b[0] > p.Lng) && p.Lat < a[1]+(b[1]-a[1])*(p.Lng-a[0])/(b[0]-a[0]) {
				odd = !odd
			}
		}
	}
	return odd
}

// Nearly all sites are on the land of the map. Its coast is a little simpler than the terrain's.
func TestSitesAreOnLand(t *testing.T) {
	land := landOf(t)
	all, err := terrains()
	must(t, err)
	for name, terrain := range all {
		t.Run(name, func(t *testing.T) {
			const sites = 500
			r, wet := rand.New(rand.NewPCG(1, 2)), 0
			for range sites {
				p := terrain.draw(r)
				if !slices.ContainsFunc(land, func(polygon [][][2]float64) bool { return within(p, polygon) }) {
					wet++
				}
			}
			if wet > sites*3/100 {
				t.Errorf("%d of %d sites are in the sea, want at most three in a hundred", wet, sites)
			}
		})
	}
}

// Sites are dense in towns, strung along roads, and all over the country: a quarter is in the twentieth of
// the country with most of them, and no large part has none.
func TestSitesDrawTheCountry(t *testing.T) {
	f, err := NewFrance(10000)
	must(t, err)
	degrees, quarters, inside := map[spot]int{}, map[spot]int{}, 0
	for _, s := range f.supports {
		if s.mainland() {
			degrees[spot{s.lat / 3600, s.lng / 3600}]++
			quarters[spot{s.lat / 900, s.lng / 900}]++
			inside++
		}
	}
	counts := []int{}
	for _, n := range quarters {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	top := 0
	for _, n := range counts[len(counts)*19/20:] {
		top += n
	}
	if top < inside/4 {
		t.Errorf("the densest twentieth has %d of %d sites, want at least a quarter", top, inside)
	}
	for lat := 44; lat < 49; lat++ { // degrees that are wholly in France
		for lng := 1; lng < 5; lng++ {
			if n := degrees[spot{lat, lng}]; n < 20 {
				t.Errorf("%d sites between %d and %d° north, %d and %d° east, want at least 20", n, lat, lat+1, lng, lng+1)
			}
		}
	}
}

// A plane's coordinates are those of the point.
func TestPlane(t *testing.T) {
	for _, tt := range []struct {
		name string
		from func(x, y float64) geo.Point
		x, y float64
		p    geo.Point
	}{
		{"LV95", geo.FromLV95, 2600000, 1200000, geo.Point{Lat: 46.2, Lng: 9.9}},
		{"Lambert 72", geo.FromLambert72, 150000, 170000, geo.Point{Lat: 51.2, Lng: 2.9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if m := geo.Distance(tt.p, tt.from(plane(tt.from, tt.x, tt.y, tt.p))); m > 0.1 {
				t.Errorf("%f m from the point", m)
			}
		})
	}
}
