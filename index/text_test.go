package index

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/internal/fold"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

func TestTextAgainstAScan(t *testing.T) {
	tier.Slow(t)
	m := load(t, market.FR, register(market.FR, 5003, 7))
	text := m.text()
	text.parts = nil
	for _, cut := range [][2]uint32{{0, 1}, {1, 2000}, {2000, 5003}} { // as a large register has several
		text.parts = append(text.parts, newTrigramIndex(text.texts, cut[0], cut[1]))
	}
	for _, q := range []string{"lyon", "LYON", "l", "ly", "rue", "RUE  église", "saint-denis", "denis saint", "hay",
		"L'Haÿ", "œuilly", "oeuilly",
		"6900", "69003", "107", "zz", "z.a.", "pré", "é", "1 rue", "%", "\u00a0", "lyon\nrue", "Ain", "ain rue lyon",
		"12 rue de l'église", "ŕue", "日本", "rue 日",
		"~", "~~", "st rue", "st l", "ly rue", "l rue", "lyon saint", "~~~", "~~~ €", "€", "$", "$$", "$$$", "₤"} {
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

// Words of a text as people say it are words of their own, Saint and Sainte are St and Ste as
// well; a scan with regular expressions says what they find.
func TestPhraseAgainstAScan(t *testing.T) {
	sites := register(market.FR, 800, 3)
	for i, commune := range []string{"ST ETIENNE", "SAINT ETIENNE", "STE MARIE", "SAINTE-MARIE", "ESTREES ST DENIS",
		"EST ETIENNE", "SAINTES", "ST", "VILLEPARISIS"} {
		sites[i*80].Commune = commune
	}
	m := load(t, market.FR, sites)
	forms := map[string]string{"saint": "st", "st": "saint", "sainte": "ste", "ste": "sainte"}
	for _, q := range []string{"saint", "SAINTE", "st", "ste", "saint etienne", "st-étienne", "sainte marie",
		"ste marie rue", "saint denis estrees", "lyon", "ly", "lyon ru",
		"rue de l'église", "12, rue", "paris", "690", "69003 rue", "ue", "%", "pré (rue)", "denis saint, estrees!"} {
		said := regexp.MustCompile(`[^a-z0-9]+`).Split(strings.Trim(fold.String(q), " ()!%"), -1)
		var want []*regexp.Regexp
		for _, w := range said {
			text := regexp.QuoteMeta(w)
			if len(said) > 1 && !strings.ContainsAny(w, "0123456789") {
				text += `\b`
			}
			if forms[w] != "" {
				text += `|\b` + forms[w] + `\b`
			}
			want = append(want, regexp.MustCompile(`\b`+text))
		}
		found := scan(m, func(s *site.Site) bool {
			fields := []string{s.ID, s.SourceCode, s.Commune, s.PostalCode, s.Place, s.Address[0],
				m.Table.Areas[s.Area].Label}
			for _, st := range s.Stations {
				fields = append(fields, st.Code)
			}
			text := fold.String(strings.Join(fields, " / "))
			return said[0] != "" &&
				!slices.ContainsFunc(want, func(w *regexp.Regexp) bool { return !w.MatchString(text) })
		})
		if got := pages(t, m, Query{Filter: All, Text: q, Spoken: true}, 97); !slices.Equal(got, found) {
			t.Errorf("%q: %d sites, want %d", q, len(got), len(found))
		}
	}
}

// No word is found within another one: a tower is not in Tours, nor a station in a warren.
func TestPhraseWithinWords(t *testing.T) {
	m := load(t, market.FR, placed(
		site.Site{Commune: "TOURS", PostalCode: "37200", Address: [3]string{"4 AV GUSTAVE EIFFEL"},
			Area: department(t, "37")},
		site.Site{Commune: "REVIERS", PostalCode: "14470", Place: "LES GARENNES", Area: department(t, "14")},
		site.Site{Commune: "RENNES", PostalCode: "35700", Address: [3]string{"18 PLACE DE LA GARE"},
			Area: department(t, "35")},
	))
	for _, tt := range []struct{ q, want string }{
		{"tour eiffel", ""},
		{"gare rennes", "c"},
		{"tour", "a"},
		{"eiffel", "a"},
		{"rennes", "c"},
		{"37 tours", "a"},
		{"gustave tours", "a"},
		{"arennes", ""},
	} {
		t.Run(tt.q, func(t *testing.T) {
			got := ""
			for _, i := range m.Find(Query{Filter: All, Text: tt.q, Spoken: true, Ranked: true}, 0, 9).Sites {
				got += m.Snap.ID(int(i))
			}
			if got != tt.want {
				t.Errorf("Find(%q) = %q, want %q", tt.q, got, tt.want)
			}
		})
	}
	if got := m.Find(Query{Filter: All, Text: "tour", Spoken: true, Whole: true}, 0, 9); got.Total != 0 {
		t.Errorf("withValue() of the beginning of a value = %v, want nothing", got)
	}
}

// everyText is what a question may find of a site, a field after the other.
func everyText(m *Market, s *site.Site) string {
	fields := []string{s.ID, s.SourceCode, s.Commune, s.PostalCode, s.Place, s.Address[0], m.Table.Areas[s.Area].Label}
	for _, st := range s.Stations {
		fields = append(fields, st.Code)
	}
	return fold.String(strings.Join(fields, "\x00"))
}
