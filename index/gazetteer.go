package index

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"relais/geo"
)

// A gazetteer finds places by the beginnings of words. It has no pointers but its own few,
// which the garbage collector would follow again and again: all texts lie in one.
type gazetteer struct {
	texts  string        // of each place its name, its postal codes, and its words
	places []packed      // in the order of their folded names
	words  []wordOfPlace // of all places, in the order of what follows in their words
}

// A packed is a place whose texts lie in those of the gazetteer.
type packed struct {
	center geo.Point
	sites  uint32
	area   int32
	kind   uint8 // its place in placeKinds
	// Where the name begins, the postal codes, each with fieldEnd behind it, and the words, how
	// far the folded name goes of these, where an area's code begins, and where all ends.
	name, postal, words, folded, code, end uint32
}

// A wordOfPlace is where a word begins in the texts, and whose it is.
type wordOfPlace struct{ at, place uint32 }

// newGazetteer takes places in the order of their folded names.
func newGazetteer(places []namedPlace) *gazetteer {
	g := &gazetteer{places: make([]packed, len(places))}
	var texts []byte
	at := func() uint32 { return uint32(len(texts)) }
	for i := range places {
		from, p := &places[i], &g.places[i]
		*p = packed{center: from.Center, sites: uint32(from.Sites), area: int32(from.Area),
			kind: uint8(slices.Index(placeKinds, from.Kind)), name: at()}
		texts = append(texts, from.Name...)
		p.postal = at()
		for _, code := range from.PostalCodes {
			texts = append(append(texts, code...), fieldEnd)
		}
		p.words, p.folded = at(), at()+uint32(len(" ")+len(from.name))
		texts = append(texts, from.words...)
		p.code, p.end = at()-uint32(len(from.code)), at()
		for k := p.words; k < p.end; k++ {
			if texts[k] == ' ' && k+1 < p.end {
				g.words = append(g.words, wordOfPlace{k + 1, uint32(i)})
			}
		}
	}
	g.texts = string(texts)
	slices.SortFunc(g.words, func(a, b wordOfPlace) int { return cmp.Compare(g.from(a), g.from(b)) })
	return g
}

// place returns place i.
func (g *gazetteer) place(i uint32) Place {
	p := &g.places[i]
	place := Place{Kind: placeKinds[p.kind], Name: g.texts[p.name:p.postal], Area: int(p.area), Center: p.center,
		Sites: int(p.sites)}
	for code := range strings.SplitSeq(g.texts[p.postal:p.words], string(fieldEnd)) {
		if code != "" {
			place.PostalCodes = append(place.PostalCodes, code)
		}
	}
	return place
}

// called returns what place i may be called by.
func (g *gazetteer) called(i uint32) calling {
	p := &g.places[i]
	return calling{placeKinds[p.kind], g.texts[p.words+1 : p.folded], g.texts[p.code:p.end], g.texts[p.words:p.end]}
}

// from is a word and what follows it.
func (g *gazetteer) from(w wordOfPlace) string { return g.texts[w.at:g.places[w.place].end] }

// beginning returns the words that begin with a text, which has no blank.
func (g *gazetteer) beginning(text string) []wordOfPlace {
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
