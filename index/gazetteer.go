package index

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// A gazetteer finds places by the beginnings of words.
type gazetteer struct {
	places []placeEntry // in the order of their folded names
	words  []placeWord  // of all places, in the order of rest
}

// A placeWord is a word of a place.
type placeWord struct {
	rest  string // the word and the words after it
	place uint32
}

// newGazetteer returns the gazetteer of places, which are in the order of their folded names.
func newGazetteer(places []placeEntry) *gazetteer {
	g := &gazetteer{places: places}
	for i := range places {
		words := places[i].words
		for k := range words {
			if words[k] == ' ' && k+1 < len(words) {
				g.words = append(g.words, placeWord{words[k+1:], uint32(i)})
			}
		}
	}
	slices.SortFunc(g.words, func(a, b placeWord) int { return cmp.Compare(a.rest, b.rest) })
	return g
}

// withPrefix returns the words that begin with a text without blanks.
func (g *gazetteer) withPrefix(text string) []placeWord {
	n := sort.Search(len(g.words), func(i int) bool { return g.words[i].rest >= text })
	rest := g.words[n:]
	return rest[:sort.Search(len(rest), func(i int) bool { return !strings.HasPrefix(rest[i].rest, text) })]
}

// candidates calls yield in ascending order for each place that may have all of the words: each
// place with the word that the fewest words of places begin with.
func (g *gazetteer) candidates(words []string, yield func(place uint32)) {
	fewest := g.withPrefix(words[0])
	for _, w := range words[1:] {
		if list := g.withPrefix(w); len(list) < len(fewest) {
			fewest = list
		}
	}
	places := newBitset(len(g.places))
	for _, w := range fewest {
		places.set(w.place)
	}
	places.each(yield)
}
