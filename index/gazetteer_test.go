package index

import (
	"slices"
	"strings"
	"testing"

	"relais/internal/tier"
	"relais/market"
)

// The gazetteer finds the places that a scan of all places finds.
func TestGazetteerAgainstAScan(t *testing.T) {
	tier.Slow(t)
	g := load(t, market.FR, register(market.FR, 600, 5)).places()
	var texts [][]string
	for i := range g.places {
		words := strings.Fields(g.places[i].words)
		first, last := words[0], words[len(words)-1]
		for n := range len(first) {
			texts = append(texts, []string{first[:n+1]}, []string{first[:n+1], last}, []string{last, first[:n+1]})
		}
	}
	texts = append(texts, []string{"zz"}, []string{"~"}, []string{"a", "zz"})
	for _, words := range texts {
		var want, got []uint32
		for i := range g.places {
			has := strings.Fields(g.places[i].words)
			lacks := func(w string) bool {
				return !slices.ContainsFunc(has, func(has string) bool { return strings.HasPrefix(has, w) })
			}
			if !slices.ContainsFunc(words, lacks) {
				want = append(want, uint32(i))
			}
		}
		g.candidates(words, func(i uint32) {
			if _, ok := g.places[i].rank(strings.Join(words, " "), words); ok {
				got = append(got, i)
			}
		})
		// A text finds a postal code only if the code begins with its first word.
		postal := func(i uint32) bool {
			p := &g.places[i]
			return p.kind == PostalCode && !strings.HasPrefix(p.name, words[0])
		}
		if want = slices.DeleteFunc(want, postal); !slices.Equal(got, want) {
			t.Errorf("candidates(%q) = %v, a scan finds %v", words, got, want)
		}
	}
}
