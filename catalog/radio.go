package catalog

import (
	"relais/index"
	"relais/market"
)

// Radio asks for the sites of operators that a radio identifier names.
type Radio struct {
	Market    *market.Market
	Operators index.Choice // nil for any
	Types     []index.RadioType
	Value     uint64
}

// RadioFound holds the sites that a radio identifier names, the most certain first.
type RadioFound struct {
	Register *index.Market // nil for a market without an inventory
	Matches  []index.RadioMatch
}

// Radio returns the sites that a radio identifier names. Errors: those of Register.
func (c *Catalog) Radio(q Radio) (found RadioFound, err error) {
	if found.Register, err = c.Register(q.Market); err != nil || found.Register == nil {
		return found, err
	}
	if operator, several := singleValue(q.Operators); several == nil {
		found.Matches = found.Register.Lookup(q.Value, q.Types, operator)
	} else {
		found.Matches = found.Register.LookupOf(q.Value, q.Types, several)
	}
	return found, nil
}
