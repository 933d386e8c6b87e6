package index

import "math/bits"

// A bitset is a set of sites, by their position in the snapshot. Operations take time
// for the members, not for the size of the register: a second level of bits says which
// words may have members, and the others are skipped.
type bitset struct {
	words  []uint64
	filled []uint64 // a bit for each word; if it is 0, the word is 0
}

func newBitset(n int) bitset {
	words := (n + 63) / 64
	return bitset{make([]uint64, words), make([]uint64, (words+63)/64)}
}

func (b bitset) set(i uint32) {
	b.words[i>>6] |= 1 << (i & 63)
	b.filled[i>>12] |= 1 << (i >> 6 & 63)
}

// add adds sites.
func (b bitset) add(sites []uint32) {
	for _, i := range sites {
		b.set(i)
	}
}

// setRange adds from to to-1.
func (b bitset) setRange(from, to uint32) {
	if from < to {
		setBits(b.words, from, to)
		setBits(b.filled, from>>6, (to-1)>>6+1)
	}
}

// setBits sets the bits from to to-1 of a list of words.
func setBits(words []uint64, from, to uint32) {
	for from < to {
		w := from >> 6
		word := ^uint64(0) << (from & 63)
		if end := (w + 1) << 6; end > to {
			word &= ^uint64(0) >> (end - to)
		}
		words[w] |= word
		from = (w + 1) << 6
	}
}

// fill marks all words as filled, for callers that write words directly.
func (b bitset) fill() { setBits(b.filled, 0, uint32(len(b.words))) }

// eachWord calls f for each word that may have a member, by its number.
func (b bitset) eachWord(f func(w int)) {
	for k, filled := range b.filled {
		for ; filled != 0; filled &= filled - 1 {
			f(k<<6 + bits.TrailingZeros64(filled))
		}
	}
}

func (b bitset) clear() {
	for k, filled := range b.filled {
		if filled != 0 { // 64 words at once are faster than single words
			clear(b.words[k<<6 : min(k<<6+64, len(b.words))])
		}
	}
	clear(b.filled)
}

// copy sets b to o.
func (b bitset) copy(o bitset) {
	b.clear()
	copy(b.filled, o.filled)
	o.eachWord(func(w int) { b.words[w] = o.words[w] })
}

// narrow removes members: it sets each word that may have members to f of its number.
func (b bitset) narrow(f func(w int) uint64) {
	for k, filled := range b.filled {
		for rest := filled; rest != 0; rest &= rest - 1 {
			w := k<<6 + bits.TrailingZeros64(rest)
			if b.words[w] = f(w); b.words[w] == 0 {
				filled &^= rest & -rest
			}
		}
		b.filled[k] = filled
	}
}

func (b bitset) and(o bitset) { b.narrow(func(w int) uint64 { return b.words[w] & o.words[w] }) }

func (b bitset) andNot(o bitset) { b.narrow(func(w int) uint64 { return b.words[w] &^ o.words[w] }) }

func (b bitset) or(o bitset) {
	o.eachWord(func(w int) { b.words[w] |= o.words[w] })
	for k := range b.filled {
		b.filled[k] |= o.filled[k]
	}
}

func (b bitset) count() (n int) {
	b.eachWord(func(w int) { n += bits.OnesCount64(b.words[w]) })
	return n
}

// each calls f for the members in ascending order. The set must not change meanwhile;
// use filter to remove members.
func (b bitset) each(f func(i uint32)) {
	b.eachWord(func(w int) {
		for word := b.words[w]; word != 0; word &= word - 1 {
			f(uint32(w<<6 + bits.TrailingZeros64(word)))
		}
	})
}

// filter removes the members for which keep returns false. It calls keep in ascending order.
func (b bitset) filter(keep func(i uint32) bool) {
	b.narrow(func(w int) uint64 {
		word := b.words[w]
		for rest := word; rest != 0; rest &= rest - 1 {
			if k := bits.TrailingZeros64(rest); !keep(uint32(w<<6 + k)) {
				word &^= 1 << k
			}
		}
		return word
	})
}

// page appends at most limit members to dst after skipping skip members. It returns
// how many it could not skip because there were too few.
func (b bitset) page(dst []uint32, skip, limit int) ([]uint32, int) {
	for k, filled := range b.filled {
		for ; filled != 0 && limit > 0; filled &= filled - 1 {
			w := k<<6 + bits.TrailingZeros64(filled)
			word := b.words[w]
			if n := bits.OnesCount64(word); n <= skip {
				skip -= n
				continue
			}
			for ; word != 0 && limit > 0; word &= word - 1 {
				if skip > 0 {
					skip--
					continue
				}
				dst = append(dst, uint32(w<<6+bits.TrailingZeros64(word)))
				limit--
			}
		}
	}
	return dst, skip
}
