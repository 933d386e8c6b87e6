package catalog

import (
	"relais/index"
	"relais/internal/fold"
	"relais/market"
)

// Site asks for the site that a siteKey, site id, national code or station number names.
type Site struct {
	Name   string
	Market *market.Market // nil: that of a siteKey, else any, in the order of the markets
	// Operators are names: only a site that has one of these operators, nil for any.
	Operators []string
}

// SiteFound is a site.
type SiteFound struct {
	Register *index.Market
	At       uint32 // its position
	Operator int    // of the operators that were asked for the first that it has, or index.Any
}

// Key returns the siteKey.
func (f *SiteFound) Key() string {
	return index.Key(f.Register.Table.Code, f.Register.Snap.ID(int(f.At)))
}

// Operators returns the positions of the operators of the site.
func (f *SiteFound) Operators() index.Choice {
	there := index.Choice{}
	for i := range f.Register.Table.Operators {
		if f.Register.Has(f.At, i) {
			there = append(there, i)
		}
	}
	return there
}

// Site returns a site. A site id counts before a station number. Errors: ErrNoSite, an UnknownError for an operator
// that the market of the site does not have, and those of Register.
func (c *Catalog) Site(q Site) (SiteFound, error) {
	loaded, at, err := c.locate(q)
	if err != nil || q.Operators == nil {
		return SiteFound{loaded, at, index.Any}, err
	}
	first := index.Any
	for _, name := range q.Operators {
		i, known := loaded.Table.OperatorNamed(name)
		if !known {
			return SiteFound{}, &UnknownError{Filter: Operator, Value: name, Market: loaded.Table,
				Known: append(loaded.Table.OperatorKeys(), market.AllOperators)}
		}
		if loaded.Has(at, i) && (first == index.Any || i < first) {
			first = i
		}
	}
	if first == index.Any {
		return SiteFound{}, ErrNoSite
	}
	return SiteFound{loaded, at, first}, nil
}

// locate returns the register and the position of a site. A siteKey names its market, which is asked first: the same
// text may be an id elsewhere.
func (c *Catalog) locate(q Site) (*index.Market, uint32, error) {
	if q.Market != nil {
		return c.locateIn(q.Market, q.Name)
	}
	if c.Set == nil {
		return nil, 0, ErrLoading
	}
	for _, m := range market.All {
		if prefix := index.Key(m.Code, ""); len(q.Name) > len(prefix) && fold.EqualASCII(q.Name[:len(prefix)], prefix) {
			if loaded, at, err := c.locateIn(m, q.Name); err != ErrNoSite {
				return loaded, at, err
			}
		}
	}
	for loaded := range c.registers {
		if at, ok := loaded.ByID(q.Name); ok {
			return loaded, at, nil
		}
	}
	for range c.Set.Loaded() { // there is one
		return nil, 0, ErrNoSite
	}
	return nil, 0, &NotLoadedError{market.Get(market.Default)} // without a register, no site is known to be missing
}

func (c *Catalog) locateIn(m *market.Market, name string) (*index.Market, uint32, error) {
	loaded, err := c.Register(m)
	if err != nil {
		return nil, 0, err
	}
	if loaded != nil {
		if at, ok := loaded.ByID(name); ok {
			return loaded, at, nil
		}
	}
	return nil, 0, ErrNoSite
}
