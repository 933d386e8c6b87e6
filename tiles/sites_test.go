package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/mvt"
	"github.com/paulmach/orb/geojson"
	"github.com/paulmach/orb/maptile"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// maxZoom is the largest zoom that can be asked for.
const maxZoom = 22

var country = sync.OnceValues(func() (*index.Set, error) { return indextest.Country(3000) })

func france(t *testing.T) *index.Market {
	t.Helper()
	set, err := country()
	must(t, err)
	return set.Market(market.FR)
}

// decode reads a tile with another implementation.
func decode(t *testing.T, tile []byte) map[string][]*geojson.Feature {
	t.Helper()
	layers, err := mvt.Unmarshal(tile)
	if err != nil {
		t.Fatalf("reading the tile: %v", err)
	}
	features := map[string][]*geojson.Feature{}
	for _, l := range layers {
		if want := extentOf(l.Name); l.Version != 2 || l.Extent != want {
			t.Errorf("layer %s: version %d, extent %d, want 2 and %d", l.Name, l.Version, l.Extent, want)
		}
		features[l.Name] = l.Features
	}
	return features
}

func extentOf(layer string) uint32 {
	if layer == DotsLayer {
		return 1024
	}
	return 4096
}

// number returns a value of a feature.
func number(f *geojson.Feature, key string) uint64 { return uint64(f.Properties[key].(float64)) }

// randomFilter selects by some of its fields.
func randomFilter(r *rand.Rand, m *index.Market) index.Filter {
	f, operators := index.All, len(m.Snap.Operators)
	if r.IntN(2) == 0 {
		f.Operator = r.IntN(operators)
	}
	if r.IntN(2) == 0 {
		f.Generation = int(site.G2) + r.IntN(4)
	}
	if r.IntN(3) == 0 {
		f.Status = r.IntN(len(m.Snap.Statuses))
	}
	if r.IntN(4) == 0 {
		f.Area = r.IntN(len(m.Table.Areas))
	}
	if r.IntN(3) == 0 {
		f.OneOf = &index.Choices{Systems: r.Perm(len(m.Snap.Systems))[:6]}
		if r.IntN(2) == 0 {
			f.OneOf.Together = []index.Choices{{Operators: index.Choice{r.IntN(operators)}}, {Generations: index.Choice{4, 5}}}
		}
	}
	if r.IntN(4) == 0 {
		var names []string
		for i := range m.Len() {
			if id := m.Snap.ID(i); picked(id) {
				names = append(names, id)
			}
		}
		f.Within, _ = m.Named(names)
	}
	return f
}

// picked are the sites of the subset of random filters.
func picked(id string) bool { return id[len(id)-1]%3 == 0 }

// satisfies is the brute force of a filter.
func satisfies(s *site.Site, f index.Filter) bool {
	if f.Area != index.Any && f.Area != s.Area || f.Within != nil && !picked(s.ID) {
		return false
	}
	conditions := []index.Choices{{}}
	if f.OneOf != nil {
		conditions = append(conditions, f.OneOf.Together...)
	}
	for _, c := range conditions {
		if !slices.ContainsFunc(s.Emissions, func(e site.Emission) bool {
			return emits(s, e, f) && among(c.Operators, s.Stations[e.Station].Operator) && among(c.Generations, int(e.Generation))
		}) {
			return false
		}
	}
	return true
}

func among(list []int, v int) bool { return list == nil || slices.Contains(list, v) }

func emits(s *site.Site, e site.Emission, f index.Filter) bool {
	equal := func(want, got int) bool { return want == index.Any || want == got }
	return equal(f.Operator, s.Stations[e.Station].Operator) && equal(f.Generation, int(e.Generation)) &&
		equal(f.Status, e.Status) && (f.OneOf == nil || among(f.OneOf.Systems, e.Order))
}

// tileOf returns the tile of a position by another implementation.
func tileOf(p geo.Point, zoom uint32) maptile.Tile {
	return maptile.At(orb.Point{p.Lng, p.Lat}, maptile.Zoom(zoom))
}

func sitesOf(m *index.Market) []site.Site {
	all := make([]site.Site, m.Len())
	for i := range all {
		m.Site(uint32(i), &all[i])
	}
	return all
}

// The numbers of all features of a tile are the sites that a scan finds in it.
func TestCounts(t *testing.T) {
	m, r := france(t), rand.New(rand.NewPCG(1, 2))
	all, found := sitesOf(m), 0
	for range 300 {
		f, z := randomFilter(r, m), uint32(r.IntN(17))
		o := tileOf(all[r.IntN(len(all))].Position, z)
		tile := Tile{z, o.X, o.Y}
		want := uint64(0)
		for i := range all {
			if tileOf(all[i].Position, z) == o && satisfies(&all[i], f) {
				want++
			}
		}
		got := uint64(0)
		for _, feature := range decode(t, Sites(m, f, tile))["sites"] {
			got += number(feature, "n")
		}
		if got != want {
			t.Errorf("tile %v, filter %+v: %d sites, want %d", tile, f, got, want)
		}
		found += int(want)
	}
	if found < 3000 {
		t.Errorf("%d sites on all tiles, want more", found)
	}
}

// Each site is on exactly one tile of a zoom.
func TestEachSiteOnce(t *testing.T) {
	m := france(t)
	for z := range uint32(11) {
		tiles := map[maptile.Tile]bool{}
		lats, lngs := m.Snap.Positions()
		for i := range lats { // and the tiles around that of the site
			o := tileOf(geo.Point{Lat: geo.Degrees(lats[i]), Lng: geo.Degrees(lngs[i])}, z)
			for dx := range uint32(3) {
				for dy := range uint32(3) {
					tiles[maptile.New(o.X+dx-1, o.Y+dy-1, o.Z)] = true
				}
			}
		}
		total := map[string]uint64{}
		for o := range tiles {
			tile := Tile{z, o.X, o.Y}
			if tile.X >= 1<<z || tile.Y >= 1<<z {
				continue
			}
			for layer, features := range decode(t, append(Sites(m, index.All, tile), Dots(m, index.All, tile)...)) {
				for _, feature := range features {
					total[layer] += number(feature, "n")
				}
			}
		}
		if n := uint64(m.Len()); total[SitesLayer] != n || total[DotsLayer] != n {
			t.Errorf("zoom %d: %v sites on all tiles, want %d", z, total, n)
		}
	}
}

// A feature of one site has its position and what a scan of its emissions says.
func TestSiteFeatures(t *testing.T) {
	m, r := france(t), rand.New(rand.NewPCG(3, 4))
	for range 100 {
		at, f, z := uint32(r.IntN(m.Len())), randomFilter(r, m), uint32(everySite+r.IntN(maxZoom-everySite+1))
		var s site.Site
		m.Site(at, &s)
		if !satisfies(&s, f) {
			continue
		}
		o := tileOf(s.Position, z)
		key := index.Key(market.FR, s.ID)
		var got *geojson.Feature
		for _, feature := range decode(t, Sites(m, f, Tile{z, o.X, o.Y}))["sites"] {
			if feature.Properties["key"] == key {
				got = feature
			}
		}
		if got == nil {
			t.Errorf("tile %v has no %s", o, key)
			continue
		}
		want := index.Shown{}
		newest, newestLive := site.Generation(0), site.Generation(0)
		for _, e := range s.Emissions {
			if !emits(&s, e, f) {
				continue
			}
			bit := uint64(1) << s.Stations[e.Station].Operator
			want.Operators |= bit
			newest = max(newest, e.Generation)
			if m.Snap.Statuses[e.Status] != "Projet approuvé" {
				want.Live |= bit
				newestLive = max(newestLive, e.Generation)
			}
		}
		want.Generation = newest
		if newestLive != 0 {
			want.Generation = newestLive
		}
		shown := index.Shown{Operators: number(got, "ops"), Live: number(got, "live"),
			Generation: site.Generation(number(got, "gen"))}
		if diff := cmp.Diff(want, shown); diff != "" || number(got, "n") != 1 {
			t.Errorf("%s, filter %+v: n = %d, want 1 (-want +got)\n%s", key, f, number(got, "n"), diff)
		}
		if got.ID != float64(at+1) {
			t.Errorf("%s: id = %v, want %d", key, got.ID, at+1)
		}
		checkPlace(t, got, o, s.Position)
	}
}

// checkPlace checks that a feature lies within one unit of a position.
func checkPlace(t *testing.T, f *geojson.Feature, o maptile.Tile, p geo.Point) {
	t.Helper()
	units := math.Exp2(float64(o.Z)) * Extent
	x := (p.Lng/360+0.5)*units - float64(o.X)*Extent
	y := (0.5-math.Asinh(math.Tan(p.Lat*math.Pi/180))/(2*math.Pi))*units - float64(o.Y)*Extent
	got := f.Geometry.(orb.Point)
	tolerance := 1 + math.Exp2(float64(o.Z)-20) // positions have 2^32 units
	if math.Abs(got[0]-x) > tolerance || math.Abs(got[1]-y) > tolerance {
		t.Errorf("%v: feature at %v, want %.1f, %.1f", o, got, x, y)
	}
}

// Marks of cells keep their distance from each other.
func TestCellsApart(t *testing.T) {
	m := france(t)
	for z := range uint32(everySite) {
		const side = Extent / 8.0
		o := tileOf(geo.Point{Lat: 48.86, Lng: 2.35}, z)
		for _, f := range decode(t, Sites(m, index.All, Tile{z, o.X, o.Y}))["sites"] {
			p := f.Geometry.(orb.Point)
			for _, c := range p {
				if in := math.Mod(c, side) / side; number(f, "n") > 1 && (in < 0.24 || in > 0.76) {
					t.Errorf("zoom %d: a mark of %v sites at %v, want it in the inner half of a cell", z, f.Properties["n"], p)
				}
			}
		}
	}
}

func TestSectors(t *testing.T) {
	home := geo.Point{Lat: 48.1, Lng: -1.7}
	s := site.Site{ID: "7", Position: home,
		Stations: []site.Station{{Operator: 0}, {Operator: 3}},
		Emissions: []site.Emission{
			{Station: 0, System: "LTE 800", Generation: site.G4, Status: 2, Azimuths: []uint16{0, 120}, Origin: site.FromList},
			{Station: 1, System: "5G NR 3500", Generation: site.G5, Status: 2, Azimuths: []uint16{120, 240},
				Origin: site.FromStation},
			{Station: 1, System: "GSM 900", Generation: site.G2, Status: 2},
		}}
	m := indextest.Market(t, market.FR, s)
	o := tileOf(home, 14)
	filter := func(operator int) index.Filter {
		f := index.All
		f.Operator = operator
		return f
	}
	for _, tt := range []struct {
		name   string
		filter index.Filter
		want   [][3]uint64 // az, ops, gen
	}{
		{"all", index.All, [][3]uint64{{0, 1, 4}, {120, 9, 5}, {240, 8, 5}}},
		{"one operator", filter(0), [][3]uint64{{0, 1, 4}, {120, 1, 4}}},
		{"an operator of some", filter(3), [][3]uint64{{120, 8, 5}, {240, 8, 5}}},
		{"an operator of none", filter(1), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got [][3]uint64
			for _, f := range decode(t, Sectors(m, tt.filter, Tile{14, o.X, o.Y}))["sectors"] {
				got = append(got, [3]uint64{number(f, "az"), number(f, "ops"), number(f, "gen")})
				if key := f.Properties["key"]; key != "fr-7" {
					t.Errorf("key = %v, want fr-7", key)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("az, ops, gen (-want +got)\n%s", diff)
			}
		})
	}
	before := tileOf(home, withSector-1)
	if got := decode(t, Sectors(m, index.All, Tile{withSector - 1, before.X, before.Y}))["sectors"]; got != nil {
		t.Errorf("zoom %d has %d sectors, want none", withSector-1, len(got))
	}
}

// Sites that the map does not have are at its edge, and the antimeridian belongs to one tile.
func TestEdgesOfTheWorld(t *testing.T) {
	var sites []site.Site
	for k, p := range []geo.Point{{Lat: 90}, {Lat: -90}, {Lat: 86, Lng: 180}, {Lat: -86, Lng: -180}, {Lng: 180}, {Lng: -180}, {}} {
		sites = append(sites, site.Site{ID: string(rune('a' + k)), Position: p, Stations: []site.Station{{}},
			Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4}}})
	}
	m := indextest.Market(t, market.FR, sites...)
	for z := range uint32(6) {
		total := uint64(0)
		for x := range uint32(1) << z {
			for y := range uint32(1) << z {
				for _, f := range decode(t, Sites(m, index.All, Tile{z, x, y}))["sites"] {
					total += number(f, "n")
				}
			}
		}
		if total != uint64(len(sites)) {
			t.Errorf("zoom %d: %d sites on all tiles, want %d", z, total, len(sites))
		}
	}
}

func BenchmarkSites(b *testing.B) {
	set, err := indextest.Country(72000)
	must(b, err)
	m := set.Market(market.FR)
	for _, z := range []uint32{0, 5, 9, 11, 12, 13, 14} {
		o := tileOf(geo.Point{Lat: 48.86, Lng: 2.35}, z)
		b.Run(fmt.Sprintf("sites at zoom %d", z), func(b *testing.B) {
			for b.Loop() {
				Sites(m, index.All, Tile{z, o.X, o.Y})
			}
		})
		b.Run(fmt.Sprintf("dots at zoom %d", z), func(b *testing.B) {
			for b.Loop() {
				Dots(m, index.All, Tile{z, o.X, o.Y})
			}
		})
	}
}
