package outage

import (
	"cmp"
	"slices"

	"relais/geo"
	"relais/market"
)

// A Query selects outages of a market.
type Query struct {
	Market    market.Code
	Operators []string // keys; none: every one
	Areas     []string // codes of the market's table; none: anywhere
	// Disc selects the outages in a disc, the nearest first. Box selects those in a box; it is
	// ignored with a Disc. nil means anywhere.
	Disc *geo.Disc
	Box  *geo.Box
}

// Entries returns the selected entries, the latest beginning first, then by id.
func (s *Store) Entries(q Query) []*Entry {
	return Find(q, s.state.Load().inOrder(q.Market).entries, func(*Entry) bool { return true })
}

// A Located is an outage that a Query can be about.
type Located interface {
	// Place returns the operator's key, the code of the area of the market's table ("" when it
	// is not known), and the position.
	Place() (operator, area string, p geo.Point)
}

// Find returns the outages of a market that match q and wants. They keep their order, except
// that with a disc the nearest come first.
func Find[T Located](q Query, all []T, wants func(T) bool) []T {
	type found struct {
		item   T
		metres float64 // from the centre of the disc
	}
	box, hits := q.Box, []found(nil)
	if q.Disc != nil {
		around := q.Disc.Box()
		box = &around
	}
	for _, item := range all {
		operator, area, p := item.Place()
		if metres, ok := q.match(operator, area, p, box); ok && wants(item) {
			hits = append(hits, found{item, metres})
		}
	}
	if q.Disc != nil {
		slices.SortStableFunc(hits, func(a, b found) int { return cmp.Compare(a.metres, b.metres) })
	}
	list := make([]T, len(hits))
	for i, f := range hits {
		list[i] = f.item
	}
	return list
}

// match reports whether the query selects a place, and returns its distance from the centre of the
// disc. With a disc, box is its bounding box.
func (q *Query) match(operator, area string, p geo.Point, box *geo.Box) (metres float64, ok bool) {
	switch {
	case len(q.Operators) > 0 && !slices.Contains(q.Operators, operator),
		len(q.Areas) > 0 && !slices.Contains(q.Areas, area),
		box != nil && !box.Contains(p):
		return 0, false
	case q.Disc == nil:
		return 0, true
	}
	metres = geo.Distance(q.Disc.Center, p)
	return metres, metres <= q.Disc.Radius
}

// UnavailableNear reports whether an operator publishes an unavailable site within metres of
// p. It is false for an operator without a feed.
func (s *Store) UnavailableNear(code market.Code, operator string, p geo.Point, metres float64) bool {
	d := s.state.Load().feeds[feedKey{code, operator}]
	if d == nil {
		return false
	}
	around := geo.Disc{Center: p, Radius: metres}.Box()
	from, _ := slices.BinarySearchFunc(d.byLat, around.South,
		func(e *Entry, lat float64) int { return cmp.Compare(e.Lat, lat) })
	for _, e := range d.byLat[from:] {
		if e.Lat > around.North {
			break
		}
		if geo.Distance(p, e.Point()) <= metres {
			return true
		}
	}
	return false
}
