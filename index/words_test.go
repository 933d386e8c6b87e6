package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"b a b", "b a"},
		{"rue a ru e", "rue a"},
		{"Saint-Étienne saint", "etienne saint"},
		{"a ab abc", "abc"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			var got []string
			for _, w := range longestWords(fold.Words(tt.text)) {
				got = append(got, string(w))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("Find(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// Short words and words within others find what a scan finds.
func TestShortWords(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 800, 31))
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 300 {
		i := uint32(r.IntN(m.Len()))
		var s site.Site
		m.Site(i, &s)
		var query []string
		for range 1 + r.IntN(4) {
			text := []rune(fold.String(s.Commune + " " + s.Address[0] + " " + s.ID))
			from := r.IntN(len(text))
			query = append(query, string(text[from:min(len(text), from+1+r.IntN(4))]))
		}
		q := strings.Join(query, " ")
		var want []uint32
		for k := range uint32(m.Len()) {
			text := string(m.text().texts.text(k))
			if all := fold.Words(q); !slices.ContainsFunc(all,
				func(w string) bool { return !strings.Contains(text, w) }) || slices.Contains(m.sitesWithAnyID(q), k) {
				want = append(want, k)
			}
		}
		hits := m.Find(Query{Filter: All, Text: q}, 0, m.Len())
		if !slices.Equal(hits.Sites, want) {
			t.Fatalf("%q: %d sites, want %d", q, len(hits.Sites), len(want))
		}
		found += len(want)
	}
	if found < 1000 {
		t.Errorf("%d sites were found in all, want more", found)
	}
}
