package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// The searchable text of a site is its folded fields, each followed by fieldEnd. It begins
// with a fieldEnd.
const fieldEnd = '\n'

// Numbers of fields that queries search alone.
const (
	fieldCommune = iota
	fieldPostal
)

// appendText appends the searchable text of s, in which the parameter q is searched.
func appendText(dst []byte, m *market.Market, s *site.Site) []byte {
	dst = append(dst, fieldEnd)
	field := func(text string) {
		dst = append(fold.Append(dst, text), fieldEnd)
	}
	field(s.Commune)
	if s.MorePostal == "" {
		field(s.PostalCode)
	} else {
		field(s.PostalCode + "/" + s.MorePostal)
		field(s.PostalCode)
	}
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
	for _, text := range []string{s.Reference, s.Place} {
		if text != "" {
			field(text)
		}
	}
	for _, a := range s.Address {
		if a != "" {
			field(a)
		}
	}
	if s.Area >= 0 {
		field(m.Areas[s.Area].Label)
	}
	for code := range strings.SplitSeq(s.MorePostal, "/") {
		if code != "" {
			field(code)
		}
	}
	return append(dst, fieldEnd) // the last letter must begin a trigram too
}

// textField returns field n of a searchable text.
func textField(text []byte, n int) []byte {
	text = text[1:]
	for ; n > 0; n-- {
		text = text[bytes.IndexByte(text, fieldEnd)+1:]
	}
	return text[:bytes.IndexByte(text, fieldEnd)]
}

// A textIndex finds substrings in the texts of a register.
type textIndex struct {
	texts    *arena
	parts    []*trigramIndex
	communes *valueTable
	postal   *valueTable // codes
}

// trigramParts is how many parts the trigram index of a large register has, and
// trigramSites how many sites a part has at least.
const (
	trigramParts = 8
	trigramSites = 32768
)

// PrepareText makes the index of texts, which the first question about a text waits for otherwise.
func (m *Market) PrepareText() {
	if m.text(); m.Public != nil {
		m.Public.PrepareText()
	}
}

func (m *Market) indexText() *textIndex {
	t := &textIndex{texts: newArena(m.Snap, func() Encode {
		return func(dst []byte, s *site.Site) []byte { return appendText(dst, m.Table, s) }
	})}
	t.texts.writeAll()
	jobs := []func(){func() { t.readCommunes(m.Len()) }, func() { t.readPostal(m.Len()) }}
	size := max(trigramSites, ceilDiv(m.Len(), trigramParts))
	for from := 0; from < m.Len(); from += size {
		to := min(from+size, m.Len())
		k := len(t.parts)
		t.parts = append(t.parts, nil)
		jobs = append(jobs, func() { t.parts[k] = newTrigramIndex(t.texts, uint32(from), uint32(to)) })
	}
	runParallel(jobs)
	return t
}

func (t *textIndex) readCommunes(sites int) {
	t.communes = newValueTable(sites,
		func(i uint32, yield func([]byte)) { yield(textField(t.texts.text(i), fieldCommune)) })
}

func (t *textIndex) readPostal(sites int) {
	t.postal = newValueTable(sites, func(i uint32, yield func([]byte)) {
		for code := range bytes.SplitSeq(textField(t.texts.text(i), fieldPostal), []byte("/")) {
			yield(code)
		}
	})
}

// phrase sets set to the sites whose text has the phrase, which must be folded and not
// empty. It overwrites spare.
func (t *textIndex) phrase(set, spare bitset, phrase []byte) {
	if !t.candidates(set, spare, phrase) {
		t.verify(set, phrase)
	}
}

// verify removes from set the sites whose text does not have the phrase.
func (t *textIndex) verify(set bitset, phrase []byte) {
	set.filter(func(i uint32) bool { return bytes.Contains(t.texts.text(i), phrase) })
}

// candidates sets set to the sites whose text may have the phrase, and reports whether they
// all have it. For a phrase of three letters or more these are the sites with its two rarest
// trigrams, or with the rarest if that is far rarer. It overwrites spare.
func (t *textIndex) candidates(set, spare bitset, phrase []byte) (exact bool) {
	set.clear()
	set.fill()
	if len(phrase) < trigramLength {
		first, last := prefixRange(phrase)
		for _, p := range t.parts {
			p.mark(set.words, first, last)
		}
		return numbered(phrase)
	}
	tris := trigramsOf(phrase)
	spare.clear()
	spare.fill()
	for _, p := range t.parts {
		slices.SortFunc(tris, func(a, b uint32) int { return cmp.Compare(p.size(a), p.size(b)) })
		p.mark(set.words, tris[0], tris[0])
		if len(tris) > 1 {
			second := tris[1]
			if p.size(second) > readCost*p.size(tris[0]) {
				second = tris[0] // searching the texts is faster
			}
			p.mark(spare.words, second, second)
		}
	}
	if len(tris) > 1 {
		set.and(spare)
	}
	return len(phrase) == trigramLength && numbered(phrase)
}

// trigramsOf returns the trigrams of a phrase of three letters or more.
func trigramsOf(phrase []byte) []uint32 {
	tris := appendTrigrams(nil, phrase)
	slices.Sort(tris)
	return slices.Compact(tris)
}

// cost returns about how many list entries candidates reads for a phrase.
func (t *textIndex) cost(phrase []byte) (n int) {
	if len(phrase) < trigramLength {
		first, last := prefixRange(phrase)
		for _, p := range t.parts {
			n += int(p.start[last+1] - p.start[first])
		}
		return n
	}
	tris := trigramsOf(phrase)
	for _, p := range t.parts {
		least := slices.MinFunc(tris, func(a, b uint32) int { return cmp.Compare(p.size(a), p.size(b)) })
		n += 2 * int(p.size(least)) // the second is not much longer
	}
	return n
}
