package catalog

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"relais/coverage"
	"relais/geo"
	"relais/index"
	"relais/ingest/source"
	"relais/market"
	"relais/measure"
	"relais/radio"
	"relais/site"
)

// Coverage asks what official coverage maps say of a place. Its market is that of the place.
type Coverage struct {
	At           geo.Point
	Operators    []string // names, nil for any
	Technologies []string // 2G to 5G, nil for any
	Edition      string   // YYYY-MM-DD, "" for the newest of each map
}

// CoverageFound is what official coverage maps say of a place.
type CoverageFound struct {
	Market  *market.Market // nil if no map says anything of the place
	Rows    []CoverageRow  // in the order of the market's operators, the newest technology first
	Others  []string       // keys of the operators whose maps say something here, if none of them was asked for
	Version string
}

// A CoverageRow is what the map of an operator and technology says of a place, and what else is known there.
type CoverageRow struct {
	coverage.Place
	Operator int // its position in the market's table, or index.Any
	Site     *CoveringSite
	// Measured is what was measured within MeasuredWithin, nil if nothing was.
	Measured *MeasuredNear
	// Disagree is how map and measurements contradict each other, "" if they do not.
	Disagree Disagreement
}

// A CoveringSite is the nearest site of an operator that has a technology on air.
type CoveringSite struct {
	SiteFound
	Metres, Azimuth float64
}

// MeasuredNear is what phones measured around a place in the network of an operator.
type MeasuredNear struct {
	Points    int     // in the technology, with a signal
	NoService int     // where a phone found no network of any technology
	RSRP      float64 // median in dBm, NaN if none was stated
	Newest    time.Time
	Synthetic bool
}

// A Disagreement is how a map and measurements contradict each other.
type Disagreement string

// The disagreements.
const (
	CoveredNoService  Disagreement = "covered-but-no-service"   // most phones found no network where one is expected
	UncoveredMeasured Disagreement = "not-covered-but-measured" // a signal where none is expected
)

// Distances in metres: of measurements that are of a place, of better cells, of sites.
const (
	MeasuredWithin = 100
	betterWithin   = 20_000
	coveringWithin = 30_000
)

// mostPoints bounds the measurements of a place.
const mostPoints = 1000

// CoverageAt returns what the maps say of a place. Errors: an UnusableError, those of reading a file.
func (c *Catalog) CoverageAt(ctx context.Context, q Coverage) (*CoverageFound, error) {
	found := &CoverageFound{Version: c.version(DataCoverage)}
	f := coverage.Filter{Free: c.Keyless}
	// The newest maps of all say which market the place is in. Better cells, which cost more, are sought only in the maps
	// that were asked for.
	places, err := c.Coverage.At(f, q.At, 0)
	if err != nil {
		return nil, err
	}
	found.Market = marketOf(places)
	err = c.usableMaps(func(m *market.Market) bool { return m == found.Market || found.Market == nil && m.Contains(q.At) })
	if err != nil || found.Market == nil {
		return found, err
	}
	f.Market, f.Operators, f.Technologies = found.Market.Code, operatorKeys(q.Operators), q.Technologies
	f.Edition = q.Edition
	found.Others = othersOf(found.Market, places, f.Operators)
	if places, err = c.Coverage.At(f, q.At, betterWithin); err != nil {
		return nil, err
	}
	for i := range places {
		p := &places[i]
		found.add(CoverageRow{Place: *p, Operator: operatorOf(found.Market, p.Layer)})
	}
	slices.SortStableFunc(found.Rows, func(a, b CoverageRow) int { return compareMaps(found.Market, a.Layer, b.Layer) })
	if err := c.coveringSites(ctx, q.At, found); err != nil || c.Measures == nil {
		return found, err
	}
	return found, c.measuredNear(q.At, found)
}

// add adds a row. Maps of several islands may have the place in their grids: the one that says something counts.
func (f *CoverageFound) add(row CoverageRow) {
	same := slices.IndexFunc(f.Rows, func(r CoverageRow) bool {
		return r.Operator == row.Operator && r.Layer.Technology == row.Layer.Technology && r.Layer.Service == row.Layer.Service
	})
	switch {
	case same < 0:
		f.Rows = append(f.Rows, row)
	case f.Rows[same].Word.Level == "" || row.Stated && !f.Rows[same].Stated:
		f.Rows[same] = row
	}
}

// usableMaps returns an UnusableError if a map of a market that is concerned is damaged: it may say something of the
// place. A damaged map of another market closes nothing.
func (c *Catalog) usableMaps(concerned func(*market.Market) bool) error {
	for _, m := range market.All {
		if c.Coverage.Failed(m.Code) != nil && concerned(m) {
			return &UnusableError{DataCoverage}
		}
	}
	return nil
}

// operatorKeys returns the keys of operators that have one of the names in any market, nil for nil.
func operatorKeys(names []string) (keys []string) {
	for _, name := range names {
		for _, m := range market.All {
			if at, ok := m.OperatorNamed(name); ok {
				keys = append(keys, m.Operators[at].Key)
			}
		}
	}
	if names != nil && keys == nil {
		return []string{}
	}
	return keys
}

// latest is the newest generation of a map's technology.
func latest(l *coverage.Layer) string { return l.Technology[strings.LastIndex(l.Technology, "/")+1:] }

// operatorOf returns the position of a map's operator in the market's table, index.Any if the map has none of it.
func operatorOf(m *market.Market, l *coverage.Layer) int {
	if at, ok := m.Operator(l.Operator); ok {
		return at
	}
	return index.Any
}

// compareMaps orders the maps of a market as answers have them: operators as in its table, the newest technology
// first.
func compareMaps(m *market.Market, a, b *coverage.Layer) int {
	return cmp.Or(cmp.Compare(operatorOf(m, a), operatorOf(m, b)), strings.Compare(latest(b), latest(a)))
}

// othersOf returns the operators of a market whose maps say something, in the market's order. It returns nil if one of
// them is among those that were asked for, or if a map that says something names no operator.
func othersOf(m *market.Market, places []coverage.Place, asked []string) []string {
	if asked == nil {
		return nil
	}
	var c index.Choice
	for _, p := range places {
		l := p.Layer
		if l.Market != m.Code || p.Word.Level == "" {
			continue
		}
		if l.Operator == "" || slices.Contains(asked, l.Operator) {
			return nil
		}
		if at := operatorOf(m, l); at != index.Any && !slices.Contains(c, at) {
			c = append(c, at)
		}
	}
	slices.Sort(c)
	return m.KeysOf(c)
}

// marketOf returns the market whose maps state most of a place, nil if none says anything. Where none states anything, those
// count that expect no reception on their land, whose border is rough.
func marketOf(places []coverage.Place) *market.Market {
	for _, stated := range []bool{true, false} {
		said, best := map[market.Code]int{}, market.Code("")
		for _, p := range places {
			if p.Stated != stated || p.Word.Level == "" {
				continue
			}
			if said[p.Layer.Market]++; best == "" || said[p.Layer.Market] > said[best] {
				best = p.Layer.Market
			}
		}
		if best != "" {
			return market.Get(best)
		}
	}
	return nil
}

// coveringSites adds the nearest site to each row whose operator has one. Without a register, rows have none.
func (c *Catalog) coveringSites(ctx context.Context, at geo.Point, found *CoverageFound) error {
	for i := range found.Rows {
		row := &found.Rows[i]
		if row.Operator < 0 {
			continue
		}
		var g site.Generation
		if err := g.UnmarshalText([]byte(latest(row.Layer))); err != nil {
			continue
		}
		q := Sites{Selection: Selection{Market: found.Market, Operators: index.Choice{row.Operator}, Generations: index.Choice{int(g)},
			Status: onAir(found.Market)}, Where: index.Query{Disc: &geo.Disc{Center: at, Radius: coveringWithin}}, Limit: 1}
		there, err := c.Sites(ctx, q)
		var missing *NotLoadedError
		switch {
		case errors.Is(err, ErrLoading), errors.Is(err, ErrRestricted), errors.As(err, &missing):
			return nil
		case err != nil:
			return err
		case len(there.Hits.Sites) > 0:
			n := there.Hits.Sites[0]
			row.Site = &CoveringSite{SiteFound: SiteFound{there.Register, n, row.Operator}, Metres: there.Metres[0],
				Azimuth: geo.Bearing(at, there.Register.Position(n))}
		}
	}
	return nil
}

// measuredNear adds what was measured to each row, and whether it contradicts the map.
func (c *Catalog) measuredNear(at geo.Point, found *CoverageFound) error {
	points := map[int][]measure.Point{}
	for i := range found.Rows {
		row := &found.Rows[i]
		if row.Operator < 0 {
			continue
		}
		if _, asked := points[row.Operator]; !asked {
			there, err := c.Points(Measures{Market: found.Market, Operators: index.Choice{row.Operator}, Sample: true,
				Disc: &geo.Disc{Center: at, Radius: MeasuredWithin}, Days: 365, Newest: true, Limit: mostPoints})
			if err != nil {
				return err
			}
			points[row.Operator] = there.Items
		}
		row.measure(points[row.Operator])
	}
	return nil
}

// onAir lists the statuses of emissions that are on air, "" where the source states none.
func onAir(m *market.Market) string {
	var names []string
	for i, s := range m.Statuses {
		if p := m.Phase(i); p == market.Operational || p == market.InService {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ",")
}

// measure sets what was measured in the network of the row's operator.
func (r *CoverageRow) measure(points []measure.Point) {
	m := &MeasuredNear{}
	var levels []float64
	served := 0 // by any technology
	for i := range points {
		p := &points[i]
		if !p.NoService() {
			served++
		}
		_, g, known := measure.Technologies(p.Technology)
		switch {
		case p.NoService():
			m.NoService++
		case known && strings.Contains(r.Layer.Technology, site.Generation(g).String()):
			if m.Points++; !math.IsNaN(p.Radio.RSRP) {
				levels = append(levels, p.Radio.RSRP)
			}
		default:
			continue
		}
		if p.Time.After(m.Newest) {
			m.Newest = p.Time
		}
		m.Synthetic = m.Synthetic || strings.HasPrefix(p.OperatorName, source.Synthetic)
	}
	if m.Points+m.NoService == 0 {
		return
	}
	m.RSRP = radio.Median(levels)
	r.Measured = m
	switch {
	case coverage.Rank(r.Word.Level) > 0 && m.NoService > served:
		r.Disagree = CoveredNoService
	case r.Word.Level == coverage.LevelNone && m.Points > 0:
		r.Disagree = UncoveredMeasured
	}
}

// CoverageEditions lists the editions of a market's maps, of all maps for nil, the newest first.
func (c *Catalog) CoverageEditions(m *market.Market) []string {
	f := coverage.Filter{Free: c.Keyless}
	if m != nil {
		f.Market = m.Code
	}
	return c.Coverage.Editions(f)
}

// CoverageMaps returns the newest maps of a market, and of technologies and operators unless these are nil.
func (c *Catalog) CoverageMaps(m *market.Market, operators index.Choice, technologies []string) ([]*coverage.Layer, error) {
	if c.Coverage.Failed(m.Code) != nil {
		return nil, &UnusableError{DataCoverage}
	}
	return c.Coverage.Layers(coverage.Filter{Market: m.Code, Operators: m.KeysOf(operators), Technologies: technologies,
		Free: c.Keyless}), nil
}
