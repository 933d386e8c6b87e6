package index

import (
	"slices"

	"relais/snapshot"
)

// A Choice is a list of allowed values. A nil Choice allows every value, an empty one none.
type Choice []int

func (c Choice) has(value int) bool { return c == nil || slices.Contains(c, value) }

// Choices are conditions of a Filter with several allowed values.
type Choices struct {
	Operators   Choice // positions in the market's operators
	Generations Choice // site.Generations
	Statuses    Choice // positions in the snapshot's statuses
	Systems     Choice // positions in the snapshot's systems
	// Together are further conditions. For each of them a site must have an emission that satisfies
	// it and the filter. These may be several emissions.
	Together []Choices
}

// parts returns filters. A site must have an emission for each of them.
func (f Filter) parts() (list []Filter) {
	for _, t := range f.choices().Together {
		c := f.choices()
		c = Choices{c.Operators.and(t.Operators), c.Generations.and(t.Generations), c.Statuses.and(t.Statuses),
			c.Systems.and(t.Systems), nil}
		part := f
		part.OneOf = &c
		list = append(list, part)
	}
	if list == nil {
		return []Filter{f}
	}
	return list
}

// and returns the values that both choices allow.
func (c Choice) and(d Choice) Choice {
	if c == nil {
		return d
	}
	both := Choice{}
	for _, value := range c {
		if d.has(value) {
			both = append(both, value)
		}
	}
	return both
}

// accepts reports whether an emission satisfies the filter.
func (f *Filter) accepts(k snapshot.EmissionKey) bool {
	equal := func(want, got int) bool { return want == Any || want == got }
	c := f.choices()
	return equal(f.Operator, k.Operator) && equal(f.Generation, int(k.Generation)) && equal(f.Status, k.Status) &&
		c.Operators.has(k.Operator) && c.Generations.has(int(k.Generation)) && c.Statuses.has(k.Status) &&
		c.Systems.has(k.System)
}

func (f *Filter) choices() Choices {
	if f.OneOf == nil {
		return Choices{}
	}
	return *f.OneOf
}

// OfEmissions returns the filter, nil if it selects every emission.
func (f *Filter) OfEmissions() *Filter {
	if !f.asksEmissions() {
		return nil
	}
	return f
}

// asksEmissions reports whether the filter has a condition on emissions.
func (f *Filter) asksEmissions() bool {
	c := f.choices()
	return f.Operator != Any || f.Generation != Any || f.Status != Any || c.Operators != nil || c.Generations != nil ||
		c.Statuses != nil || c.Systems != nil
}

// asksDetails reports whether the filter has a condition that the keys of coarse kinds do not answer.
func (f *Filter) asksDetails() bool {
	c := f.choices()
	return f.Status != Any || c.Statuses != nil || c.Systems != nil
}
