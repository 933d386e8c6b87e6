package catalog

import (
	"context"
	"slices"
	"strings"

	"relais/index"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// A Selection is a part of a market: an area, and sites with an emission that satisfies all conditions on emissions.
type Selection struct {
	Market                 *market.Market
	Area                   string       // its code, "" for any
	Operators, Generations index.Choice // nil for any
	// Status is statuses as the data has them or in short, with commas, without regard to case and accents; "" for any.
	// A status that the data does not have selects nothing.
	Status              string
	Technologies, Bands []string // nil for any
	// Together means that a site must have each of the listed values, on some emission that satisfies the rest.
	Together bool
	// ChangedSince is the date of the edition after which sites must have changed, 0 for any.
	ChangedSince site.Date
}

// A Selected is a Selection in the register that is loaded.
type Selected struct {
	Register *index.Market // nil for a market without an inventory
	Filter   index.Filter
}

// Select resolves a selection. Errors: those of Register, a NoEditionError, an UnknownError, those of the archives.
func (c *Catalog) Select(ctx context.Context, s Selection) (Selected, error) {
	f := index.All
	loaded, err := c.Register(s.Market)
	if err != nil {
		return Selected{}, err
	}
	if s.Area != "" {
		area, ok := s.Market.Area(s.Area)
		if !ok {
			return Selected{}, &UnknownError{Filter: Area, Value: s.Area, Market: s.Market, Known: s.Market.AreaCodes()}
		}
		f.Area = area
	}
	choices := index.Choices{Operators: s.Operators, Generations: s.Generations}
	if loaded != nil {
		choices.Statuses = statusesIn(s.Status, loaded)
		if choices.Systems, err = s.systems(loaded); err != nil {
			return Selected{}, err
		}
		if s.Together {
			choices.Together = s.eachValue(loaded)
		}
		if f.Within, err = c.changedSince(ctx, s.ChangedSince, loaded); err != nil {
			return Selected{}, err
		}
	}
	f.Operator, choices.Operators = singleValue(choices.Operators)
	f.Generation, choices.Generations = singleValue(choices.Generations)
	f.Status, choices.Statuses = singleValue(choices.Statuses)
	if choices.Operators != nil || choices.Generations != nil || choices.Statuses != nil || choices.Systems != nil {
		f.OneOf = &choices
	}
	return Selected{loaded, f}, nil
}

// singleValue splits a choice of one value from other choices, which it returns.
func singleValue(c index.Choice) (int, index.Choice) {
	if len(c) == 1 {
		return c[0], nil
	}
	return index.Any, c
}

// statusesIn returns the positions of statuses in the loaded data, nil for any. The text may be one status with a
// comma in it.
func statusesIn(text string, m *index.Market) index.Choice {
	if text == "" {
		return nil
	}
	if i := statusIn(text, m); i != index.NoStatus { // first: published statuses may have a comma
		return index.Choice{i}
	}
	c := index.Choice{}
	for part := range strings.SplitSeq(text, ",") {
		if i := statusIn(strings.TrimSpace(part), m); i >= 0 && !slices.Contains(c, i) {
			c = append(c, i)
		}
	}
	return c
}

// statusIn returns the position of a status in the loaded data.
func statusIn(text string, m *index.Market) int {
	if text == "" {
		return index.Any
	}
	for i, name := range m.Snap.Statuses {
		if fold.Equal(name, text) {
			return i
		}
		for _, s := range m.Table.Statuses {
			if s.Name == name && fold.Equal(s.Short, text) {
				return i
			}
		}
	}
	return index.NoStatus
}
