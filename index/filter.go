package index

import (
	"slices"

	"relais/market"
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

// emissions answers filters on emissions. Each combination of operator, system, generation and status that
// occurs is a key.
type emissions struct {
	operators int
	kinds
	coarse kinds    // without systems, and with projects and other emissions instead of statuses
	having []bitset // the sites of each key, for filters on many sites
}

func newEmissions(s *snapshot.Snapshot) *emissions {
	e := &emissions{operators: len(s.Operators)}
	numbers := newKeyNumbers(s)
	var keys []snapshot.EmissionKey
	for i := range s.Len() {
		s.EmissionKeys(i, func(k snapshot.EmissionKey) {
			if n := numbers.of(k); *n < 0 {
				*n = int32(len(keys))
				keys = append(keys, k)
				e.having = append(e.having, newBitset(s.Len()))
			}
		})
	}
	e.kinds = newKinds(keys, s.Len(), func(i uint32, has func(n int32)) {
		s.EmissionKeys(int(i), func(k snapshot.EmissionKey) {
			n := *numbers.of(k)
			has(n)
			e.having[n].set(i)
		})
	})
	e.coarse = e.kinds.coarse(market.Get(s.Market))
	return e
}

// keyNumbers are the numbers of keys, by operator, generation and status, and then by system.
type keyNumbers struct {
	statuses, systems int
	rows              [][]int32
}

func newKeyNumbers(s *snapshot.Snapshot) *keyNumbers {
	return &keyNumbers{len(s.Statuses) + 1, len(s.Systems),
		make([][]int32, len(s.Operators)*site.Generations*(len(s.Statuses)+1))}
}

// of returns the place of a key's number, which is -1 at first.
func (t *keyNumbers) of(k snapshot.EmissionKey) *int32 {
	row := &t.rows[(k.Operator*site.Generations+int(k.Generation))*t.statuses+k.Status+1]
	if *row == nil {
		*row = slices.Repeat([]int32{-1}, t.systems)
	}
	return &(*row)[k.System]
}

// narrow removes from set the sites without a key of mask.
func (e *emissions) narrow(set bitset, mask []uint64) {
	var having []bitset
	for n, sites := range e.having {
		if mask[n>>6]&(1<<(n&63)) != 0 {
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
