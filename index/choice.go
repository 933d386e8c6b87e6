package index

import (
	"slices"

	"relais/snapshot"
)

// A Choice is values of which one is asked for. nil asks for nothing in particular; an
// empty one is satisfied by nothing.
type Choice []int

func (c Choice) has(value int) bool { return c == nil || slices.Contains(c, value) }

// Choices are alternatives that a Filter leaves to an emission: it must have one of each.
type Choices struct {
	Operators   Choice // positions in the market's operators
	Generations Choice // site.Generations
	Statuses    Choice // positions in the snapshot's statuses
	Systems     Choice // positions in the snapshot's systems
}

// accepts reports whether an emission satisfies the filter.
func (f *Filter) accepts(k snapshot.EmissionKey) bool {
	one := func(want, is int) bool { return want == Any || want == is }
	c := f.choices()
	return one(f.Operator, k.Operator) && one(f.Generation, int(k.Generation)) && one(f.Status, k.Status) &&
		c.Operators.has(k.Operator) && c.Generations.has(int(k.Generation)) && c.Statuses.has(k.Status) &&
		c.Systems.has(k.System)
}

func (f *Filter) choices() Choices {
	if f.OneOf == nil {
		return Choices{}
	}
	return *f.OneOf
}

// asksEmissions reports whether the filter asks anything of emissions besides their system.
func (f *Filter) asksEmissions() bool {
	c := f.choices()
	return f.Operator != Any || f.Generation != Any || f.Status != Any || c.Operators != nil || c.Generations != nil ||
		c.Statuses != nil
}

// narrowSystems takes out of set the sites without an emission of the systems that
// satisfies all of the filter.
func (m *Market) narrowSystems(f Filter, set bitset) {
	systems := f.choices().Systems
	if systems == nil {
		return
	}
	set.narrow(func(w int) (word uint64) {
		for _, s := range systems {
			if sites := m.emissions.bySystem[s]; sites.words != nil {
				word |= sites.words[w]
			}
		}
		return word & set.words[w]
	})
	if f.asksEmissions() { // the same emission must have it all
		set.filter(func(i uint32) bool { return m.emits(i, &f) })
	}
}

// emits reports whether a site has one emission that satisfies the filter.
func (m *Market) emits(i uint32, f *Filter) (found bool) {
	m.Snap.EmissionKeys(int(i), func(k snapshot.EmissionKey) { found = found || f.accepts(k) })
	return found
}
