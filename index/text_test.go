package index

import (
	"slices"
	"strings"
	"testing"

	"relais/fold"
	"relais/market"
	"relais/site"
)

func TestTextAgainstAScan(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 5003, 7))
	m.text.parts = nil
	for _, cut := range [][2]uint32{{0, 1}, {1, 2000}, {2000, 5003}} { // as a large register has several
		m.text.parts = append(m.text.parts, newTrigramIndex(m.text.texts, cut[0], cut[1]))
	}
	for _, q := range []string{"lyon", "LYON", "l", "ly", "rue", "RUE  église", "saint-denis", "denis saint", "hay", "L'Haÿ", "œuilly", "oeuilly",
		"6900", "69003", "107", "zz", "z.a.", "pré", "é", "1 rue", "%", "\u00a0", "lyon\nrue", "Ain", "ain rue lyon", "12 rue de l'église", "ŕue", "日本", "rue 日",
		"~", "~~", "~~~", "~~~ €", "€", "$", "$$", "$$$", "₤"} {
		want := scan(m, func(s *site.Site) bool {
			text := everyText(m, s)
			for _, w := range fold.Words(q) {
				if !strings.Contains(text, w) {
					return false
				}
			}
			return true
		})
		if len(fold.Words(q)) == 0 {
			want = scan(m, func(*site.Site) bool { return true })
		}
		if got := pages(t, m, Query{Filter: All, Text: q}, 997); !slices.Equal(got, want) {
			t.Errorf("%q: %d sites, want %d", q, len(got), len(want))
		}
	}
}

// Saint and Sainte of a text as people say it are St and Ste as well, of which a scan over
// words says what they find.
func TestSpokenAgainstAScan(t *testing.T) {
	sites := register(market.FR, 800, 3)
	for i, commune := range []string{"ST ETIENNE", "SAINT ETIENNE", "STE MARIE", "SAINTE-MARIE", "ESTREES ST DENIS", "EST ETIENNE", "SAINTES", "ST"} {
		sites[i*90].Commune = commune
	}
	m := load(t, market.FR, sites)
	forms := map[string]string{"saint": "st", "st": "saint", "sainte": "ste", "ste": "sainte"}
	for _, q := range []string{"saint", "SAINTE", "st", "ste", "saint etienne", "st-étienne", "sainte marie", "ste marie rue", "saint denis estrees", "lyon", ""} {
		want := scan(m, func(s *site.Site) bool {
			fields := []string{s.ID, s.SourceCode, s.Commune, s.PostalCode, s.Place, s.Address[0], m.Table.Areas[s.Area].Label}
			for _, st := range s.Stations {
				fields = append(fields, st.Code)
			}
			for _, w := range fold.Words(q) {
				if !slices.ContainsFunc(fields, func(f string) bool {
					return strings.Contains(fold.String(f), w) || forms[w] != "" && slices.Contains(fold.Words(f), forms[w])
				}) {
					return false
				}
			}
			return true
		})
		if got := pages(t, m, Query{Filter: All, Text: q, Spoken: true}, 97); !slices.Equal(got, want) {
			t.Errorf("%q: %d sites, want %d", q, len(got), len(want))
		}
	}
}
