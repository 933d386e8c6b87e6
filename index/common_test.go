package index

import (
	"slices"
	"strings"
	"testing"

	"relais/fold"
	"relais/market"
	"relais/site"
)

// A word finds what a scan finds when it is asked for the first time, when it is known,
// alone and beside others, and when others have taken its place.
func TestCommonWords(t *testing.T) {
	m := load(t, market.FR, register(market.FR, some(900), 11))
	var asked []string
	for _, c := range communes {
		for n := 1; n <= len(c); n++ {
			asked = append(asked, fold.Words(c[:n])...)
		}
	}
	for range 2 {
		for _, word := range asked {
			for _, q := range []string{word, word + " rue", "st " + word} {
				want := scan(m, func(s *site.Site) bool {
					return !slices.ContainsFunc(fold.Words(q), func(w string) bool { return !strings.Contains(everyText(m, s), w) })
				})
				if got := pages(t, m, Query{Filter: All, Text: q}, 500); !slices.Equal(got, want) {
					t.Fatalf("%q: %d sites, a scan finds %d", q, len(got), len(want))
				}
			}
		}
	}
	if n := m.common.sets.Len(); n != mostCommon {
		t.Errorf("%d words are kept, of %d", n, len(asked))
	}
}

// everyText is what a question may find of a site, a field beside the other.
func everyText(m *Market, s *site.Site) string {
	fields := []string{s.ID, s.SourceCode, s.Commune, s.PostalCode, s.Place, s.Address[0], m.Table.Areas[s.Area].Label}
	for _, st := range s.Stations {
		fields = append(fields, st.Code)
	}
	return fold.String(strings.Join(fields, "\x00"))
}
