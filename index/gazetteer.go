package index

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// A gazetteer finds places by the beginnings of words.
type gazetteer struct {
	places []namedPlace // in the order of their names
	words  []placeWord  // of all places, in the order of what follows in their words
}

// A placeWord is where a word begins in the words of a place.
type placeWord struct{ place, at uint32 }

func newGazetteer(places []namedPlace) *gazetteer {
	g := &gazetteer{places: places}
	for i := range places {
		for at := range len(places[i].words) - 1 {
			if places[i].words[at] == ' ' {
				g.words = append(g.words, placeWord{uint32(i), uint32(at + 1)})
			}
		}
	}
	slices.SortFunc(g.words, func(a, b placeWord) int { return cmp.Compare(g.from(a), g.from(b)) })
	return g
}

// from is a word and what follows it.
func (g *gazetteer) from(w placeWord) string { return g.places[w.place].words[w.at:] }

// beginning returns the words that begin with a text, which has no blank.
func (g *gazetteer) beginning(text string) []placeWord {
	n := sort.Search(len(g.words), func(i int) bool { return g.from(g.words[i]) >= text })
	rest := g.words[n:]
	return rest[:sort.Search(len(rest), func(i int) bool { return !strings.HasPrefix(g.from(rest[i]), text) })]
}

// among calls yield in ascending order for each place that can have all of the words: that
// has the one which the fewest words begin with.
func (g *gazetteer) among(words []string, yield func(place uint32)) {
	fewest := g.beginning(words[0])
	for _, w := range words[1:] {
		if list := g.beginning(w); len(list) < len(fewest) {
			fewest = list
		}
	}
	places := newBitset(len(g.places))
	for _, w := range fewest {
		places.set(w.place)
	}
	places.each(yield)
}
