package address

import (
	"slices"
	"strings"
	"unicode/utf8"

	"relais/site/spelling"
)

// Bounds of a question.
const (
	mostText     = 200 // bytes that are read of a text
	mostWords    = 16
	mostTownName = 8 // words: of Paris 16e arrondissement three, of the longest names seven
	mostReadings = 8
	mostCommunes = 500 // whose streets are read
)

// A query is what a text asks for.
type query struct {
	words    []string
	optional []bool // numbers, and what belongs to them
	partial  bool   // the last word may be the beginning of one
}

// newQuery reads a text.
func newQuery(text string) query {
	if len(text) > mostText {
		for text = text[:mostText]; !utf8.ValidString(text) && text != ""; {
			text = text[:len(text)-1]
		}
	}
	words := wordsOf(text)
	return queryOf(words[:min(len(words), mostWords)], !strings.HasSuffix(text, " "))
}

func queryOf(words []string, partial bool) query {
	q := query{words: words, optional: make([]bool, len(words)), partial: partial}
	for i, word := range words {
		q.optional[i] = isNumber(word) || i > 0 && isNumber(words[i-1]) && isSuffix(word)
	}
	return q
}

func isNumber(word string) bool { return word[0] >= '0' && word[0] <= '9' }

// isSuffix reports whether a word may follow the number of a house.
func isSuffix(word string) bool {
	return len(word) == 1 || word == "bis" || word == "ter" || word == "quater"
}

// says reports whether the words say which street is meant, and not only of what kind.
func (q *query) says() bool {
	for i, word := range q.words {
		if !q.optional[i] && !spelling.IsType(word) {
			return true
		}
	}
	return false
}

// needle returns a part of the folded name of each street that the query matches, "" if nothing is known to be one. It
// spares taking most names apart.
func (q *query) needle() string {
	longest := ""
	for i, word := range q.words {
		if !q.optional[i] && len(word) > len(longest) && !spelling.IsType(word) && !spelling.HasAbbreviation(word) &&
			!abbreviated[word] {
			longest = word
		}
	}
	return longest
}

// without returns the query without the words from i to j.
func (q *query) without(i, j int) query {
	return queryOf(slices.Concat(q.words[:i], q.words[j:]), q.partial && j < len(q.words))
}

// A reading is a way to read a text: some communes, and words for a street.
type reading struct {
	communes []int32
	query
	rank int // 0: the most likely one
}

// readings returns the ways to read the query: each part of it may name a town, at the end most likely. A postal code
// says which towns of a name are meant, or alone which town is.
func (t *table) readings(q query) (list []reading) {
	coded := []int32(nil)
	for i := len(q.words) - 1; i >= 0 && coded == nil; i-- {
		if found := t.byPostcode[q.words[i]]; found != nil {
			coded, q = found, q.without(i, i+1)
		}
	}
	type span struct{ from, to int }
	var spans []span
	for from := range q.words {
		for to := from + 1; to <= min(len(q.words), from+mostTownName); to++ {
			spans = append(spans, span{from, to})
		}
	}
	place := func(s span) int {
		switch {
		case s.to == len(q.words):
			return 0
		case s.from == 0:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		if at := place(a) - place(b); at != 0 {
			return at
		}
		return (b.to - b.from) - (a.to - a.from)
	})
	for _, s := range spans {
		communes := t.byName[strings.Join(q.words[s.from:s.to], " ")]
		if coded != nil {
			communes = common(communes, coded)
		}
		rest := q.without(s.from, s.to)
		if len(communes) > 0 && len(list) < mostReadings && rest.says() {
			list = append(list, reading{communes, rest, len(list)})
		}
	}
	if coded != nil && q.says() {
		list = append(list, reading{coded, q, len(list)})
	}
	return list
}

// common returns what two ascending lists have in common.
func common(a, b []int32) (list []int32) {
	for _, n := range a {
		if _, ok := slices.BinarySearch(b, n); ok {
			list = append(list, n)
		}
	}
	return list
}

// match returns how well the words of a street fit the query: 0 is its name, higher numbers fit less. left is the number
// of the house in the query, "" for none.
func (q *query) match(name []string) (class int, left string, ok bool) {
	used := uint64(0) // bits of words of the name, which has at most 64 that count
	name = name[:min(len(name), 64)]
	take := func(fits func(word string) bool) bool {
		for i, word := range name {
			if used>>i&1 == 0 && fits(word) {
				used |= 1 << i
				return true
			}
		}
		return false
	}
	last := -1
	for i := range q.words {
		if !q.optional[i] {
			last = i
		}
	}
	otherType, begun, said := false, false, false
	for i, word := range q.words {
		switch isType := spelling.IsType(word); {
		case take(func(w string) bool { return w == word }):
			said = said || !isType && !q.optional[i]
		case q.optional[i]:
			if left == "" || i > 0 && q.optional[i-1] && isSuffix(word) {
				left = strings.TrimSpace(left + " " + word)
			}
		case i == last && q.partial && len(word) > 1 && take(func(w string) bool { return strings.HasPrefix(w, word) }):
			begun, said = true, true
		case isType:
			otherType = true
		default:
			return 0, "", false
		}
	}
	if !said {
		return 0, "", false
	}
	more := 0
	for i, word := range name {
		if used>>i&1 == 0 && !spelling.IsType(word) {
			more++
		} else if used>>i&1 == 0 && !otherType {
			begun = true // the query leaves out the kind
		}
	}
	switch {
	case more > 0 && otherType:
		return 3, left, true
	case more > 0:
		return 2, left, true
	case otherType, begun:
		return 1, left, true
	}
	return 0, left, true
}
