package admin

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"relais/archive"
	"relais/archive/column"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/site"
	"relais/snapshot"
)

var archiveBuckets = archive.Buckets

const measureSpeedtest = measure.Speedtest

// A packChoice decides what of a market is in a pack.
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
	// Measurements do not state an area. An index of positions finds that of the nearest site.
	c.nearest = sync.OnceValues(func() (*index.Market, error) {
		return index.Load(snap, func(*snapshot.Snapshot) index.Encode {
			return func(dst []byte, _ *site.Site) ([]byte, error) { return append(dst, ','), nil }
		}, time.Now())
	})
	return c, nil
}

// inDisc reports whether a disc, by the same reckoning as an index's, has a point.
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
	near := m.Nearest(p, 1, index.All)
	return len(near) == 1 && c.has(int(near[0].Site))
}

// addKeys adds the siteKeys of the pack's sites.
func (c *packChoice) addKeys(keys map[string]bool, code market.Code) {
	for i := range c.snap.Len() {
		if c.has(i) {
			keys[index.Key(code, c.snap.ID(i))] = true
		}
	}
}

// archiveChoice returns what chooses supports of archives: those that are in the pack, and those that the
// registers do not have any more and whose newest row is in the area. It is nil if no market of the pack has
// archives.
func (p *packing) archiveChoice() func(*archive.Site) bool {
	decided, any := map[string]bool{}, false
	for _, code := range archive.Markets {
		c := p.chosen[code]
		if any = any || c != nil; c == nil {
			continue
		}
		for i := range c.snap.Len() {
			decided[c.snap.ID(i)] = c.has(i)
		}
	}
	if !any {
		return nil
	}
	return func(s *archive.Site) bool {
		in, known := decided[s.ID]
		if !known {
			in = p.had(&s.Records[0])
			decided[s.ID] = in
		}
		return in
	}
}

// had reports whether a row of a support that is gone was in the area.
func (p *packing) had(r *archive.Record) bool {
	if p.spec.Disc != nil {
		at, ok := r.Point()
		return ok && inDisc(p.spec.Disc, at)
	}
	for code := range p.chosen {
		m := market.Get(code)
		if i, ok := m.Area(r.Values[column.Department]); ok && p.spec.inAreas(m.Areas[i].Code) {
			return true
		}
	}
	return false
}
