package index

import (
	"math"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/market"
	"relais/site"
)

func TestSearchRanks(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 2000, 8))
	first := m.Snap.ID(1500)
	h := m.Find(Query{Filter: All, Text: first, Ranked: true}, 0, 5)
	if len(h.Sites) == 0 || ids(m, h.Sites)[0] != first {
		t.Errorf("sites = %v, want %s first, whose id is the text", ids(m, h.Sites), first)
	}
	whole := scan(m, func(s *site.Site) bool { return s.Commune == "Lyon" })
	rest := scan(m, func(s *site.Site) bool { return s.Commune == "Lyons-la-Forêt" })
	for _, tt := range []struct {
		name string
		q    Query
	}{
		{"q", Query{Text: "LYON"}},
		{"commune", Query{Commune: "lyon"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Filter, tt.q.Ranked = All, true
			if got := pages(t, m, tt.q, 100); !slices.Equal(got, append(slices.Clone(whole), rest...)) {
				t.Errorf("%s: %d sites, want %d of the commune and %d more", tt.name, len(got), len(whole), len(rest))
			}
		})
	}
	for _, tt := range []struct {
		q    Query
		keep func(*site.Site) bool
	}{
		{Query{Commune: "Saint Denis"}, func(s *site.Site) bool { return s.Commune == "Saint-Denis" }},
		{Query{Commune: "denis"}, func(s *site.Site) bool { return false }},
		{Query{Commune: "lyon", PostalCode: "69003"}, func(s *site.Site) bool {
			return strings.HasPrefix(s.Commune, "Lyon") && s.PostalCode == "69003"
		}},
		{Query{PostalCode: "6900"}, func(s *site.Site) bool { return false }},
		{Query{ID: first}, func(s *site.Site) bool { return s.ID == first }},
		{Query{ID: "FR-" + first}, func(s *site.Site) bool { return s.ID == first }},
		{Query{NationalCode: first, Commune: "nowhere"}, func(s *site.Site) bool { return false }},
		{Query{StationCodes: []string{m.Snap.StationCode(77)}}, func(s *site.Site) bool {
			return slices.ContainsFunc(s.Stations,
				func(st site.Station) bool { return st.Code == m.Snap.StationCode(77) })
		}},
	} {
		tt.q.Filter, tt.q.Ranked = All, true
		got, want := pages(t, m, tt.q, 50), scan(m, tt.keep)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("Find(%+v) = %v, want %v", tt.q, got, want)
		}
	}
}

// A site that has several postal codes is found by each.
func TestPostalCodes(t *testing.T) {
	sites := register(market.FR, 60, 9)
	for i, codes := range []string{"3012 3000", "3000", "3012", "3000 3012/3018", "30123000", "30 12"} {
		sites[i].PostalCode, sites[i].MorePostal, _ = strings.Cut(codes, " ")
	}
	m := load(t, market.FR, sites)
	for _, tt := range []struct {
		code string
		want int
	}{
		{"3012", 3},
		{"3000", 3},
		{"3018", 1},
		{"30123000", 1},
		{"30", 1},
		{"12", 1},
		{"301", 0},
		{"018", 0},
		{"3012/3000", 0},
		{"/", 0},
		{"", 60},
	} {
		t.Run(tt.code, func(t *testing.T) {
			keep := scan(m, func(s *site.Site) bool {
				return tt.code == "" || slices.Contains(append(strings.Split(s.MorePostal, "/"), s.PostalCode), tt.code)
			})
			if got := pages(t, m, Query{Filter: All, PostalCode: tt.code}, 50); len(keep) != tt.want ||
				!slices.Equal(got, keep) {
				t.Errorf("%q: %v, want %v, %d", tt.code, got, keep, tt.want)
			}
		})
	}
	for _, q := range []string{"3018", "30123"} {
		want := scan(m, func(s *site.Site) bool { return strings.Contains(s.PostalCode+"/"+s.MorePostal+"/"+s.ID, q) })
		if got := pages(t, m, Query{Filter: All, Text: q}, 50); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("Find(%q) = %v, want %v", q, got, want)
		}
	}
}

func TestPagesPastTheEnd(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 1000, 21))
	disc := &geo.Disc{Center: m.space.position(500), Radius: 100000}
	box := disc.Box()
	for _, tt := range []struct {
		name string
		q    Query
	}{
		{"everything", Query{}},
		{"filter", Query{Filter: Filter{Generation: Any, Status: Any, Area: Any}}},
		{"box", Query{Box: &box}},
		{"disc", Query{Disc: disc}},
		{"text", Query{Text: "lyon"}},
		{"ranked", Query{Text: "lyon", Ranked: true}},
		{"nothing", Query{Text: "nowhere"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name != "filter" {
				tt.q.Filter = All
			}
			whole := m.Find(tt.q, 0, math.MaxInt)
			if len(whole.Sites) != whole.Total || (whole.Total == 0) != (tt.name == "nothing") {
				t.Errorf("%s: %d sites with the total %d, want as many", tt.name, len(whole.Sites), whole.Total)
			}
			for _, past := range []int{0, 1, math.MaxInt - whole.Total} {
				if h := m.Find(tt.q, whole.Total+past, math.MaxInt); h.Total != whole.Total ||
					len(h.Sites)+len(h.Metres) != 0 {
					t.Errorf("%s: %d past the end: %d sites of %d, want 0 of %d", tt.name, past, len(h.Sites), h.Total,
						whole.Total)
				}
			}
			if whole.Total > 0 {
				if h := m.Find(tt.q, whole.Total-1, math.MaxInt); h.Total != whole.Total ||
					!slices.Equal(h.Sites, whole.Sites[whole.Total-1:]) {
					t.Errorf("%s: last page = %v of %d, want the last site", tt.name, h.Sites, h.Total)
				}
			}
		})
	}
}
