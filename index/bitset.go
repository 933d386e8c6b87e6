package index

import "math/bits"

// A bitset is a set of sites, by their place in the snapshot.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) clear()       { clear(b) }
func (b bitset) set(i uint32) { b[i>>6] |= 1 << (i & 63) }

// setRange adds from to to-1.
func (b bitset) setRange(from, to uint32) {
	for from < to {
		w := from >> 6
		word := ^uint64(0) << (from & 63)
		if end := (w + 1) << 6; end > to {
			word &= ^uint64(0) >> (end - to)
		}
		b[w] |= word
		from = (w + 1) << 6
	}
}

func (b bitset) and(o bitset) {
	for i := range b {
		b[i] &= o[i]
	}
}

func (b bitset) andNot(o bitset) {
	for i := range b {
		b[i] &^= o[i]
	}
}

func (b bitset) or(o bitset) {
	for i := range b {
		b[i] |= o[i]
	}
}

func (b bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f for the members in ascending order. It is for collecting from a
// set that stays as it is; to take members out, filter writes each word once.
func (b bitset) each(f func(i uint32)) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			f(uint32(w<<6 + bits.TrailingZeros64(word)))
		}
	}
}

// filter takes out the members that keep does not accept, which it is asked in
// ascending order.
func (b bitset) filter(keep func(i uint32) bool) {
	for w, word := range b {
		for rest := word; rest != 0; rest &= rest - 1 {
			k := bits.TrailingZeros64(rest)
			if !keep(uint32(w<<6 + k)) {
				word &^= 1 << k
			}
		}
		b[w] = word
	}
}

// page appends at most limit members after passing over skip of them, and
// returns how many it could not pass over.
func (b bitset) page(dst []uint32, skip, limit int) ([]uint32, int) {
	for w, word := range b {
		if limit <= 0 {
			break
		}
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
	return dst, skip
}
