package index

import (
	"relais/site"
	"relais/snapshot"
)

// Any is the value of a Filter's member without a condition.
const Any = -1

// A Filter selects the sites of an area and of a subset that have one emission with all the
// properties of the filter.
type Filter struct {
	Operator   int // position in the market's operators, or Any
	Generation int // a site.Generation, or Any
	Status     int // position in the snapshot's statuses, Any, or NoStatus
	Area       int // position in the market's areas, or Any
	// OneOf has more conditions on the same emission. It may be nil.
	OneOf *Choices
	// Within is the sites from which the filter selects, nil for all. It is of the same Market.
	Within *Subset
}

// NoStatus is a status that no emission has.
const NoStatus = -2

// All selects all sites.
var All = Filter{Operator: Any, Generation: Any, Status: Any, Area: Any}

// emissions answers filters on emissions. Each possible combination of operator,
// generation and status is a bit, and each site has a mask with the bits of its
// emissions. A filter is a mask with the combinations that satisfy it, so that one
// emission satisfies all its conditions.
type emissions struct {
	words       int   // in a mask
	operators   int   // number of operators
	generations []int // site.Generation → number among those that occur, or -1
	statuses    []int // status + 1 → number among those that occur, or -1
	genCount    int
	statusCount int
	masks       []uint64 // words for each site
	having      []bitset // the sites of each combination, for filters on many sites
	bySystem    []bitset // the sites of each system
}

func newEmissions(s *snapshot.Snapshot) *emissions {
	e := &emissions{operators: len(s.Operators), generations: fill(site.Generations, -1),
		statuses: fill(len(s.Statuses)+1, -1)}
	for i := range s.Len() {
		s.EmissionKeys(i, func(k snapshot.EmissionKey) {
			if e.generations[k.Generation] < 0 {
				e.generations[k.Generation] = e.genCount
				e.genCount++
			}
			if e.statuses[k.Status+1] < 0 {
				e.statuses[k.Status+1] = e.statusCount
				e.statusCount++
			}
		})
	}
	e.words = (e.operators*e.genCount*e.statusCount + 63) / 64
	e.masks = make([]uint64, e.words*s.Len())
	e.having = make([]bitset, e.operators*e.genCount*e.statusCount)
	e.bySystem = make([]bitset, len(s.Systems))
	for i := range s.Len() {
		mask := e.maskOf(uint32(i))
		s.EmissionKeys(i, func(k snapshot.EmissionKey) {
			b := e.bit(k.Operator, e.generations[k.Generation], e.statuses[k.Status+1])
			mask[b>>6] |= 1 << (b & 63)
			if e.having[b].words == nil {
				e.having[b] = newBitset(s.Len())
			}
			e.having[b].set(uint32(i))
			if e.bySystem[k.System].words == nil {
				e.bySystem[k.System] = newBitset(s.Len())
			}
			e.bySystem[k.System].set(uint32(i))
		})
	}
	return e
}

func fill(n, value int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = value
	}
	return list
}

// of returns the mask of site i.
func (e *emissions) maskOf(i uint32) []uint64 {
	return e.masks[int(i)*e.words : (int(i)+1)*e.words]
}

func (e *emissions) bit(operator, generation, status int) int {
	return (operator*e.genCount+generation)*e.statusCount + status
}

// mask returns the combinations that satisfy f, nil if f has no condition on emissions
// other than their system.
func (e *emissions) mask(f Filter) []uint64 {
	if !f.asksEmissions() {
		return nil
	}
	oneOf := f.choices()
	mask := make([]uint64, e.words)
	for o := range e.operators {
		for g, gAt := range e.generations {
			for s, sAt := range e.statuses {
				if gAt < 0 || sAt < 0 || f.Operator != Any && f.Operator != o ||
					f.Generation != Any && f.Generation != g ||
					f.Status != Any && f.Status != s-1 || !oneOf.Operators.has(o) || !oneOf.Generations.has(g) ||
					!oneOf.Statuses.has(s-1) {
					continue
				}
				b := e.bit(o, gAt, sAt)
				mask[b>>6] |= 1 << (b & 63)
			}
		}
	}
	return mask
}

// matches reports whether site i has a combination of mask.
func (e *emissions) matches(i uint32, mask []uint64) bool {
	for w, bits := range e.maskOf(i) {
		if bits&mask[w] != 0 {
			return true
		}
	}
	return false
}

// narrow removes from set the sites without a combination of mask.
func (e *emissions) narrow(set bitset, mask []uint64) {
	having := make([]bitset, 0, len(e.having))
	for b, sites := range e.having {
		if sites.words != nil && mask[b>>6]&(1<<(b&63)) != 0 {
			having = append(having, sites)
		}
	}
	set.narrow(func(w int) (word uint64) {
		for _, sites := range having {
			word |= sites.words[w]
		}
		return word & set.words[w]
	})
}
