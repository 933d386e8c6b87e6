package index

import (
	"math/bits"

	"relais/market"
	"relais/site"
)

// A Likeness is what sites that are shown alike from far away have in common, of the emissions that a filter selects.
type Likeness struct {
	Operators  uint64          // bits by position in the market's operators
	Live       bool            // one of the emissions is more than a project
	Generation site.Generation // the newest of these, or of all if they are projects
}

// An Alike groups selected sites by their Likeness. It looks at the emissions of each kind of sites once. It is for one
// goroutine.
type Alike struct {
	List      []Likeness // of the sites so far, each once
	kinds     *kinds
	keys      []likenessSum // by key; empty for those that the filter does not select
	numbers   []int32       // by kind: 1 + a position in List, or 0
	positions map[Likeness]int32
}

// A likenessSum is the likeness of several emissions. generations has a bit for each generation, and those of live
// emissions again before them.
type likenessSum struct {
	operators   uint64
	generations uint16
}

const liveGenerations = 8 // the first bit

// Alike returns an Alike without sites.
func (s *Selection) Alike() *Alike {
	kinds := &s.market.emissions.coarse
	if s.filter.asksDetails() {
		kinds = &s.market.emissions.kinds
	}
	a := &Alike{kinds: kinds, keys: make([]likenessSum, len(kinds.keys)), numbers: make([]int32, kinds.count),
		positions: map[Likeness]int32{}}
	for n, k := range kinds.keys {
		if !s.filter.accepts(k) {
			continue
		}
		a.keys[n] = likenessSum{1 << k.Operator, 1 << k.Generation}
		if s.market.Table.Phase(k.Status) != market.Project {
			a.keys[n].generations |= 1 << (liveGenerations + k.Generation)
		}
	}
	return a
}

// Of returns the position in List of the likeness of site i.
func (a *Alike) Of(i uint32) int {
	kind := a.kinds.kind[i]
	if a.numbers[kind] == 0 {
		a.numbers[kind] = a.number(a.sum(i).likeness())
	}
	return int(a.numbers[kind]) - 1
}

func (a *Alike) sum(i uint32) (sum likenessSum) {
	for w, word := range a.kinds.of(i) {
		for ; word != 0; word &= word - 1 {
			k := a.keys[w<<6+bits.TrailingZeros64(word)]
			sum.operators |= k.operators
			sum.generations |= k.generations
		}
	}
	return sum
}

func (s likenessSum) likeness() Likeness {
	l := Likeness{Operators: s.operators, Live: s.generations>>liveGenerations != 0}
	if s.generations != 0 {
		l.Generation = site.Generation((bits.Len16(s.generations) - 1) % liveGenerations)
	}
	return l
}

// number returns 1 + the position of a likeness in List.
func (a *Alike) number(l Likeness) int32 {
	n, known := a.positions[l]
	if !known {
		a.List = append(a.List, l)
		n = int32(len(a.List))
		a.positions[l] = n
	}
	return n
}
