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
	for i := range g.places {
		words := strings.Fields(g.called(uint32(i)).words)
		first, last := words[0], words[len(words)-1]
		for n := range len(first) {
			texts = append(texts, []string{first[:n+1]}, []string{first[:n+1], last}, []string{last, first[:n+1]})
		}
	}
	texts = append(texts, []string{"zz"}, []string{"~"}, []string{"a", "zz"})
	for _, words := range texts {
		var want, got []uint32
		for i := range g.places {
			has := strings.Fields(g.called(uint32(i)).words)
			lacks := func(w string) bool {
				return !slices.ContainsFunc(has, func(has string) bool { return strings.HasPrefix(has, w) })
			}
			if !slices.ContainsFunc(words, lacks) {
				want = append(want, uint32(i))
			}
		}
		g.among(words, func(i uint32) {
			if _, ok := g.called(i).rank(strings.Join(words, " "), words); ok {
				got = append(got, i)
			}
		})
		// A postal code is a place of a text only if it begins with it.
		postal := func(i uint32) bool {
			p := g.called(i)
			return p.kind == PostalCode && !strings.HasPrefix(p.name, words[0])
		}
		if want = slices.DeleteFunc(want, postal); !slices.Equal(got, want) {
			t.Errorf("%q: %v, a scan finds %v", words, got, want)
		}
	}
}
