package admin

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A packChoice decides which sites and points of a market are in a pack.
type packChoice struct {
	spec    PackSpec
	table   *market.Market
	snap    *snapshot.Snapshot
	areas   []int // positions of the areas in the market's table; none: all of the market, or a disc
	nearest func() (*index.Market, error)
}

func newPackChoice(spec PackSpec, m *market.Market, snap *snapshot.Snapshot) (*packChoice, error) {
	c := &packChoice{spec: spec, table: m, snap: snap}
	for _, code := range spec.Areas {
		i, ok := m.Area(code)
		if !ok {
			return nil, fmt.Errorf("%s has no area %q", m.Code, code)
		}
		c.areas = append(c.areas, i)
	}
	// Measurements do not state an area. An index of positions finds the area of the nearest site. It is made only if
	// there are measurements to choose.
	c.nearest = sync.OnceValues(func() (*index.Market, error) {
		return index.Load(snap, func(*snapshot.Snapshot) index.Encode {
			return func(dst []byte, _ *site.Site) []byte { return append(dst, ',') }
		}, time.Now())
	})
	return c, nil
}

// inDisc reports whether a point is in a disc, with the distance that an index uses.
func inDisc(d *geo.Disc, p geo.Point) bool { return geo.Haversine(d.Center, p) <= d.Haversine() }

// has reports whether site i of the snapshot is in the pack.
func (c *packChoice) has(i int) bool {
	if c.spec.Disc != nil {
		lat, lng := c.snap.Positions()
		return inDisc(c.spec.Disc, geo.Point{Lat: geo.Degrees(lat[i]), Lng: geo.Degrees(lng[i])})
	}
	return c.areas == nil || slices.Contains(c.areas, c.snap.Area(i))
}

// holds reports whether a point is in the disc, or nearest to a site of the areas.
func (c *packChoice) holds(p geo.Point) bool {
	switch {
	case c.spec.Disc != nil:
		return inDisc(c.spec.Disc, p)
	case c.areas == nil:
		return true
	}
	m, err := c.nearest()
	if err != nil { // the snapshot is too large to be indexed: no server has it either
		return false
	}
	i, ok := nearestSite(m, p)
	return ok && c.has(int(i))
}

// nearestSite returns the site nearest to a point. It returns false if there is no site.
func nearestSite(m *index.Market, p geo.Point) (uint32, bool) {
	const all = 8 * math.Pi * geo.EarthRadius // the last disc is the Earth
	for radius := 1000.0; radius < all; radius *= 8 {
		found := m.Find(index.Query{Filter: index.All, Disc: &geo.Disc{Center: p, Radius: radius}}, 0, 1)
		if len(found.Sites) > 0 {
			return found.Sites[0], true
		}
	}
	return 0, false
}

// addKeys adds the siteKeys of the pack's sites.
func (c *packChoice) addKeys(keys map[string]bool, code market.Code) {
	for i := range c.snap.Len() {
		if c.has(i) {
			keys[index.Key(code, c.snap.ID(i))] = true
		}
	}
}

// inAreas reports whether a code is one of the spec's areas.
func (s *PackSpec) inAreas(code string) bool {
	return len(s.Areas) == 0 || slices.Contains(s.Areas, code)
}
