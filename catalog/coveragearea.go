package catalog

import (
	"context"
	"errors"
	"slices"

	"relais/coverage"
	"relais/geo"
	"relais/ingest/ban"
	"relais/market"
)

// CoverageArea asks how much of an area official coverage maps say is covered.
type CoverageArea struct {
	Market       *market.Market // of the Area; else it is that whose maps have the place
	Area         string         // its code, "" with a Box or Commune
	Commune      string         // code or name, whose addresses are counted instead of land
	Box          *geo.Box
	Operators    []string // names, nil for any
	Technologies []string
	Edition      string
}

// CoverageAreaFound is how much of an area is covered.
type CoverageAreaFound struct {
	Market  *market.Market   // nil for a box about which no map of the edition says anything
	Shares  []coverage.Share // in the order of the rows of a place
	Small   bool             // the area is smaller than the cells: there are no shares
	Version string
	// Commune and CommuneCode are those of the commune that was asked for. The shares are then addresses of Addresses.
	Commune, CommuneCode string
	Addresses            *AddressSource
}

// ErrNoOutline means that it is not known where an area ends.
var ErrNoOutline = errors.New("where this area ends is not known: ask for a bbox")

// CoverageOf adds up an area. Errors: ErrNoOutline, coverage.ErrLarge, ErrNoAddresses, address.ErrNoCommune, an
// address.SeveralError, an UnknownError, an UnusableError, those of reading a file.
func (c *Catalog) CoverageOf(ctx context.Context, q CoverageArea) (*CoverageAreaFound, error) {
	f := coverage.Filter{Operators: operatorKeys(q.Operators), Technologies: q.Technologies, Edition: q.Edition,
		Free: c.Keyless}
	found := &CoverageAreaFound{Version: c.version(DataCoverage)}
	var boxes []geo.Box
	switch {
	case q.Commune != "":
		return found, c.countAddresses(f, q.Commune, found)
	case q.Area != "":
		f.Market = q.Market.Code
		at, ok := q.Market.Area(q.Area)
		if !ok {
			return nil, &UnknownError{Filter: Area, Value: q.Area, Market: q.Market, Known: q.Market.AreaCodes()}
		}
		if boxes = coverage.AreaBoxes(q.Market.Areas[at].Code); boxes == nil {
			return nil, ErrNoOutline
		}
	default:
		boxes = q.Box.Split()
	}
	var err error
	found.Shares, err = c.Coverage.Area(ctx, f, boxes)
	if found.Small = errors.Is(err, coverage.ErrSmall); err != nil && !found.Small {
		return nil, err
	}
	found.settle(q.Market)
	return found, c.usableMaps(func(m *market.Market) bool {
		return m == found.Market || q.Market == nil && hasLand(m, boxes)
	})
}

// hasLand reports whether a market has land in one of the boxes, or may have where its land is not known.
func hasLand(m *market.Market, boxes []geo.Box) bool {
	var land []geo.Box
	for _, name := range append(m.AreaCodes(), string(m.Code)) {
		land = append(land, coverage.AreaBoxes(name)...)
	}
	if land == nil {
		land = m.Box.Split()
	}
	return slices.ContainsFunc(land, func(b geo.Box) bool { return slices.ContainsFunc(boxes, b.Overlaps) })
}

// countAddresses adds up the addresses of a commune, street by street: a street counts at the place of the address in
// its middle.
func (c *Catalog) countAddresses(f coverage.Filter, commune string, found *CoverageAreaFound) error {
	name, code, streets, err := c.Addresses.Commune(commune)
	if err != nil {
		return addressError(err)
	}
	info, err := c.Addresses.Info()
	if err != nil {
		return addressError(err)
	}
	found.Commune, found.CommuneCode, found.Addresses = name, code, new(addressSource(info))
	places := make([]coverage.Weight, len(streets))
	for i, s := range streets {
		places[i] = coverage.Weight{At: s.At, Weight: s.Numbers}
	}
	if found.Shares, err = c.Coverage.Count(f, places); err != nil {
		return err
	}
	of, _ := ban.MarketOf(ban.Area(code))
	found.settle(of)
	return c.usableMaps(func(m *market.Market) bool { return m == of || m == found.Market })
}

// settle keeps the shares of one market, in the order of the rows of a place. Without shares the market is other, which
// may be nil.
func (found *CoverageAreaFound) settle(other *market.Market) {
	most := 0.0
	found.Market = other
	for _, s := range found.Shares { // a box at a border is of the market that has most of it
		if s.Total > most {
			most, found.Market = s.Total, market.Get(s.Layer.Market)
		}
	}
	found.Shares = slices.DeleteFunc(found.Shares, func(s coverage.Share) bool { return s.Layer.Market != found.Market.Code })
	slices.SortStableFunc(found.Shares, func(a, b coverage.Share) int { return compareMaps(found.Market, a.Layer, b.Layer) })
}
