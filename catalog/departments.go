package catalog

import (
	"cmp"

	"relais/index"
	"relais/market"
)

// Departments asks for the numbers of sites of each department.
type Departments struct {
	// Operators are those of each market that has any of them; a nil choice stands for all of the market. Without its
	// operators, the numbers of a market are zero.
	Operators map[market.Code]index.Choice
}

// A Department is a department with the numbers of its sites.
type Department struct {
	market.Area
	index.Counts
}

// Departments returns the departments of the markets that are loaded. Errors: ErrLoading, and a NotLoadedError if none
// of the markets with the operators is: zeros would look like an operator without antennas.
func (c *Catalog) Departments(q Departments) (list []Department, err error) {
	if c.Set == nil {
		return nil, ErrLoading
	}
	counted, missing := false, (*market.Market)(nil) // missing is the first market for the error
	for _, m := range market.All {
		operators, has := q.Operators[m.Code]
		loaded := c.Set.Market(m.Code)
		if m.Departments && has && loaded == nil && missing == nil {
			missing = m
		}
		if !m.Departments || loaded == nil {
			continue
		}
		counts := make([]index.Counts, len(m.Areas))
		if has {
			counted, counts = true, loaded.Departments(operators...)
		}
		for i, area := range m.Areas {
			list = append(list, Department{area, counts[i]})
		}
	}
	if !counted {
		return nil, &NotLoadedError{cmp.Or(missing, market.Get(market.Default))}
	}
	return list, nil
}
