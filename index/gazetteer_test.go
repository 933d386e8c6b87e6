package index

import (
	"slices"
	"strings"
	"testing"

	"relais/market"
)

// The places that have words are those of a scan over the words of all places.
func TestGazetteerAgainstAScan(t *testing.T) {
	g := load(t, market.FR, register(market.FR, 600, 5)).places()
	var texts [][]string
	for _, p := range g.places {
		words := strings.Fields(p.words)
		first, last := words[0], words[len(words)-1]
		for n := range len(first) {
			texts = append(texts, []string{first[:n+1]}, []string{first[:n+1], last}, []string{last, first[:n+1]})
		}
	}
	texts = append(texts, []string{"zz"}, []string{"~"}, []string{"a", "zz"})
	for _, words := range texts {
		var want, got []uint32
		for i, p := range g.places {
			lacks := func(w string) bool {
				return !slices.ContainsFunc(strings.Fields(p.words), func(has string) bool { return strings.HasPrefix(has, w) })
			}
			if !slices.ContainsFunc(words, lacks) {
				want = append(want, uint32(i))
			}
		}
		g.among(words, func(i uint32) {
			if _, ok := g.places[i].rank(strings.Join(words, " "), words); ok {
				got = append(got, i)
			}
		})
		// A postal code is a place of a text only if it begins with it.
		postal := func(i uint32) bool {
			return g.places[i].Kind == PostalCode && !strings.HasPrefix(g.places[i].name, words[0])
		}
		if want = slices.DeleteFunc(want, postal); !slices.Equal(got, want) {
			t.Errorf("%q: %v, a scan finds %v", words, got, want)
		}
	}
}
