package index

import "slices"

// Letters have numbers of six bits, so that a trigram is a number of 18 bits, and trigrams
// with the same beginning are consecutive.
const (
	letterBits  = 6
	letters     = 1 << letterBits
	trigrams    = 1 << (trigramLength * letterBits)
	otherLetter = letters - 1 // the number of all other letters

	trigramLength = 3
)

var letterOf = func() (t [256]uint8) {
	for i := range t {
		t[i] = otherLetter
	}
	for i, c := range []byte(string(fieldEnd) + " abcdefghijklmnopqrstuvwxyz0123456789.,/()&:+_\"#*;?!@%=[]<>|") {
		t[c] = uint8(i)
	}
	return t
}()

// appendTrigrams appends the trigrams of a text, including repeated ones.
func appendTrigrams(dst []uint32, text []byte) []uint32 {
	if len(text) < trigramLength {
		return dst
	}
	dst = slices.Grow(dst, len(text))
	tri := uint32(letterOf[text[0]])<<letterBits | uint32(letterOf[text[1]])
	for _, c := range text[2:] {
		tri = (tri<<letterBits | uint32(letterOf[c])) & (trigrams - 1)
		dst = append(dst, tri)
	}
	return dst
}

// numbered reports whether each letter of a phrase has its own number.
func numbered(phrase []byte) bool {
	return !slices.ContainsFunc(phrase, func(c byte) bool { return letterOf[c] == otherLetter })
}

// prefixRange returns the first and the last trigram that begin with one or two letters.
func prefixRange(phrase []byte) (first, last uint32) {
	for _, c := range phrase {
		first = first<<letterBits | uint32(letterOf[c])
	}
	shift := letterBits * (trigramLength - len(phrase))
	return first << shift, (first+1)<<shift - 1
}

// A trigramIndex has a list of sites for each trigram, as differences in varints. It
// covers a range of sites: a register has several of them, which are built concurrently.
type trigramIndex struct {
	from  uint32
	start []uint32 // of each trigram's list in lists
	lists []byte
}

func newTrigramIndex(texts *arena, from, to uint32) *trigramIndex {
	t := &trigramIndex{from: from, start: make([]uint32, trigrams+1)}
	last := make([]uint32, trigrams) // the last site with the trigram, counted from 1
	var tris []uint32
	size := t.start[1:]
	for i := from; i < to; i++ {
		number := i - from + 1
		tris = appendTrigrams(tris[:0], texts.text(i))
		for _, tri := range tris {
			if before := last[tri]; before != number {
				last[tri] = number
				size[tri] += varintLen(number - before)
			}
		}
	}
	for i := range trigrams {
		t.start[i+1] += t.start[i]
	}
	t.lists = make([]byte, t.start[trigrams])
	clear(last)
	end := slices.Clone(t.start[:trigrams])
	for i := from; i < to; i++ {
		number := i - from + 1
		tris = appendTrigrams(tris[:0], texts.text(i))
		for _, tri := range tris {
			if before := last[tri]; before != number {
				last[tri] = number
				at := end[tri]
				difference := number - before
				for ; difference >= 0x80; difference >>= 7 {
					t.lists[at] = byte(difference) | 0x80
					at++
				}
				t.lists[at] = byte(difference)
				end[tri] = at + 1
			}
		}
	}
	return t
}

func varintLen(x uint32) uint32 {
	n := uint32(1)
	for ; x >= 0x80; x >>= 7 {
		n++
	}
	return n
}

// mark sets the bits of the sites with a trigram from first to last.
func (t *trigramIndex) mark(words []uint64, first, last uint32) {
	for tri := first; tri <= last; tri++ {
		list := t.lists[t.start[tri]:t.start[tri+1]]
		site := t.from - 1
		for k := 0; k < len(list); {
			d := uint32(list[k])
			k++
			if d >= 0x80 {
				d &= 0x7f
				for shift := 7; ; shift += 7 {
					c := list[k]
					k++
					d |= uint32(c&0x7f) << shift
					if c < 0x80 {
						break
					}
				}
			}
			site += d
			words[site>>6] |= 1 << (site & 63)
		}
	}
}

// size returns the length in bytes of a trigram's list.
func (t *trigramIndex) size(tri uint32) uint32 { return t.start[tri+1] - t.start[tri] }
