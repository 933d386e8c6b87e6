package index

import (
	"encoding/binary"
	"slices"

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
// occurs is a key, and a mask has a bit for each key. A filter is a mask with the keys that satisfy it, so
// that one emission satisfies all its conditions.
//
// Sites with the same keys are of one kind. A filter on emissions selects all sites of a kind or none, and
// registers have fewer kinds than sites.
type emissions struct {
	operators int
	keys      []snapshot.EmissionKey
	words     int      // in a mask
	count     int      // of kinds
	kinds     []uint64 // the masks of the kinds
	kind      []uint32 // by site
	having    []bitset // the sites of each key, for filters on many sites
}

func newEmissions(s *snapshot.Snapshot) *emissions {
	e := &emissions{operators: len(s.Operators), kind: make([]uint32, s.Len())}
	numbers := newKeyNumbers(s)
	for i := range s.Len() {
		s.EmissionKeys(i, func(k snapshot.EmissionKey) {
			if n := numbers.of(k); *n < 0 {
				*n = int32(len(e.keys))
				e.keys = append(e.keys, k)
				e.having = append(e.having, newBitset(s.Len()))
			}
		})
	}
	e.words = (len(e.keys) + 63) / 64
	known, mask, text := map[string]uint32{}, make([]uint64, e.words), make([]byte, 0, 8*e.words)
	for i := range s.Len() {
		clear(mask)
		s.EmissionKeys(i, func(k snapshot.EmissionKey) {
			n := *numbers.of(k)
			mask[n>>6] |= 1 << (n & 63)
			e.having[n].set(uint32(i))
		})
		text = text[:0]
		for _, word := range mask {
			text = binary.NativeEndian.AppendUint64(text, word)
		}
		kind, ok := known[string(text)]
		if !ok {
			kind = uint32(len(known))
			known[string(text)] = kind
			e.kinds = append(e.kinds, mask...)
		}
		e.kind[i] = kind
	}
	e.count, e.kinds = len(known), slices.Clip(e.kinds)
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

// mask returns the keys that satisfy f, nil if f has no condition on emissions.
func (e *emissions) mask(f Filter) []uint64 {
	if !f.asksEmissions() {
		return nil
	}
	return e.accepted(f)
}

// accepted returns the keys that satisfy f.
func (e *emissions) accepted(f Filter) []uint64 {
	mask := make([]uint64, e.words)
	for n, k := range e.keys {
		if f.accepts(k) {
			mask[n>>6] |= 1 << (n & 63)
		}
	}
	return mask
}

// ofKind returns the mask of a kind.
func (e *emissions) ofKind(kind uint32) []uint64 {
	from := int(kind) * e.words
	return e.kinds[from : from+e.words]
}

// matches reports whether site i has a key of mask.
func (e *emissions) matches(i uint32, mask []uint64) bool { return meet(e.ofKind(e.kind[i]), mask) }

// meet reports whether two masks have a common key.
func meet(a, b []uint64) bool {
	for w, bits := range a {
		if bits&b[w] != 0 {
			return true
		}
	}
	return false
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
