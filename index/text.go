package index

import (
	"bytes"
	"slices"

	"relais/fold"
	"relais/market"
	"relais/site"
)

// The searchable text of a site is its fields, folded, each with fieldEnd behind
// it, and one before the first.
const fieldEnd = '\n'

// Fields of the searchable text that questions name.
const (
	fieldCommune = iota
	fieldPostal
)

// appendText appends the searchable text of s: what the q parameter looks in.
func appendText(dst []byte, m *market.Market, s *site.Site) []byte {
	dst = append(dst, fieldEnd)
	field := func(text string) {
		dst = append(fold.Append(dst, text), fieldEnd)
	}
	field(s.Commune)
	field(s.PostalCode)
	field(s.ID)
	if s.NationalCode != "" {
		field(s.NationalCode)
	}
	seen := false
	for k, t := range s.Stations {
		if t.Code != "" && (k == 0 || t.Code != s.Stations[k-1].Code) {
			field(t.Code)
			seen = seen || t.Code == s.SourceCode
		}
	}
	if !seen && s.SourceCode != "" {
		field(s.SourceCode)
	}
	if s.Place != "" {
		field(s.Place)
	}
	for _, a := range s.Address {
		if a != "" {
			field(a)
		}
	}
	if s.Area >= 0 {
		field(m.Areas[s.Area].Label)
	}
	return append(dst, fieldEnd) // so that the last letter begins a trigram too
}

// textField returns a field of a searchable text.
func textField(text []byte, n int) []byte {
	text = text[1:]
	for ; n > 0; n-- {
		text = text[bytes.IndexByte(text, fieldEnd)+1:]
	}
	return text[:bytes.IndexByte(text, fieldEnd)]
}

// Letters are numbered in six bits, so that a trigram is a number of 18 bits and
// the trigrams that begin alike are neighbours.
const (
	letterBits  = 6
	letters     = 1 << letterBits
	trigrams    = 1 << (3 * letterBits)
	otherLetter = letters - 1 // shared by all that have no number of their own
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

// A trigramIndex finds the sites whose text has a substring. For each trigram it
// lists the sites, as differences in varints. It covers a range of sites; a
// register has a few of them, so that they can be built side by side.
type trigramIndex struct {
	from, to uint32
	start    []uint32 // of each trigram's list in lists
	lists    []byte
}

func newTrigramIndex(texts arena, from, to uint32) *trigramIndex {
	t := &trigramIndex{from: from, to: to, start: make([]uint32, trigrams+1)}
	last := make([]uint32, trigrams) // site that had the trigram last, counted from from and 1
	size := t.start[1:]
	for i := from; i < to; i++ {
		number := i - from + 1
		tri := uint32(0)
		for k, c := range texts.at(i) {
			tri = (tri<<letterBits | uint32(letterOf[c])) & (trigrams - 1)
			if before := last[tri]; k >= 2 && before != number {
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
		tri := uint32(0)
		for k, c := range texts.at(i) {
			tri = (tri<<letterBits | uint32(letterOf[c])) & (trigrams - 1)
			if before := last[tri]; k >= 2 && before != number {
				last[tri] = number
				difference := number - before
				for ; difference >= 0x80; difference >>= 7 {
					t.lists[end[tri]] = byte(difference) | 0x80
					end[tri]++
				}
				t.lists[end[tri]] = byte(difference)
				end[tri]++
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

// mark adds to set the sites that have a trigram from first to last.
func (t *trigramIndex) mark(set bitset, first, last uint32) {
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
			set.set(site)
		}
	}
}

// size is a measure of how many sites have a trigram.
func (t *trigramIndex) size(tri uint32) uint32 { return t.start[tri+1] - t.start[tri] }

// A textIndex finds substrings in the texts of a register.
type textIndex struct {
	texts arena
	parts []*trigramIndex
}

// phrase sets in set exactly the sites whose text has the phrase, which is
// folded and not empty. spare is overwritten.
func (t *textIndex) phrase(set, spare bitset, phrase []byte) {
	set.clear()
	tris, exact := trigramsOf(phrase)
	if len(phrase) < 3 {
		first, last := prefixRange(phrase)
		for _, p := range t.parts {
			p.mark(set, first, last)
		}
	} else {
		for _, p := range t.parts {
			slices.SortFunc(tris, func(a, b uint32) int { return int(p.size(a)) - int(p.size(b)) })
			p.mark(set, tris[0], tris[0])
		}
		// A second list pays when it is not much longer than what looking at the
		// texts of the first costs.
		if len(tris) > 1 {
			spare.clear()
			for _, p := range t.parts {
				slices.SortFunc(tris, func(a, b uint32) int { return int(p.size(a)) - int(p.size(b)) })
				p.mark(spare, tris[1], tris[1])
			}
			set.and(spare)
		}
	}
	if exact && len(phrase) <= 3 {
		return
	}
	set.filter(func(i uint32) bool { return bytes.Contains(t.texts.at(i), phrase) })
}

// trigramsOf returns the distinct trigrams of a phrase, and whether each of its
// letters has a number of its own.
func trigramsOf(phrase []byte) (tris []uint32, exact bool) {
	exact = true
	tri := uint32(0)
	for k, c := range phrase {
		exact = exact && letterOf[c] != otherLetter
		tri = (tri<<letterBits | uint32(letterOf[c])) & (trigrams - 1)
		if k >= 2 && !slices.Contains(tris, tri) {
			tris = append(tris, tri)
		}
	}
	return tris, exact
}

// prefixRange returns the trigrams that begin with one or two letters.
func prefixRange(phrase []byte) (first, last uint32) {
	for _, c := range phrase {
		first = first<<letterBits | uint32(letterOf[c])
	}
	shift := letterBits * (3 - len(phrase))
	return first << shift, (first+1)<<shift - 1
}
