package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/errtest"
	"relais/market"
)

// ids are the sites of an answer, without the zeros of their identifiers.
func ids(found *Found) string {
	var list []string
	for _, page := range found.Pages {
		for _, at := range page.Sites {
			list = append(list, strings.TrimSuffix(page.Register.Snap.ID(int(at)), "0000"))
		}
	}
	return strings.Join(list, " ")
}

func ask(t *testing.T, c *Catalog, q Find) *Found {
	t.Helper()
	found, err := c.Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func towns(t *testing.T) *Catalog {
	return &Catalog{Set: index.NewSet([]*index.Market{indextest.Towns(t)}, nil)}
}

// A page has the sites of what the text names; with Nearest, those of the place come first, then those around it.
func TestFind(t *testing.T) {
	c := towns(t)
	for _, tt := range []struct{ text, page, nearest string }{
		{"5G Rennes", "2 3", "2 3 5"},
		{"antenne Orange à Vitré", "4", "4 3 6 1"},
		{"gare de Rennes", "2 1 3", "2 1 3"},
		{"Paris 15ème arrondissement", "12", "12 1750010"},
		{"Lyon 3", "13", "13"},
		{"tour Eiffel", "", ""},
		{"Rennes 3500", "2", "2"},
		{"planned 5G in Brest", "8", "8"},
		{"Bretagne", "6 3 5 4 2 1 8 9", "6 3 5 4 2 1 8 9"},
		{"commune Bretagne 36", "10", "10"},
		{"LTE 700 près de Vitré", "5", "5 2 1"},
		{"antennes Free à Xanadu", "", ""},
		{"xanadu de Rennes", "2 1 3", "2 1 3"},
		{"Rennes, France", "2 1 3", "2 1 3 4 5 6"},
		{"5G Swisscom Rennes", "", ""},
		{"rue de Rennes Vitré", "4", "4"},
		{"20000", "2", "2"},
		{"5G en projet", "8", "8"},
		{"vitr", "5 4", "5 4"},
		{"Free ou SFR LTE 700", "5 2", "5 2"},
		{"Orange", "11", "11"},
		{"5G NR 3500 Bouygues Brest", "9 8", "9 8"},
		{"Valence 26000", "14", "14"},
		{"saint-denis", "30 31 32 33 34", "30 31 1750011 1750010 32 33 34"}, // the commune before the street,
		{"St Denis", "30 31 32 33 34", "30 31 1750011 1750010 32 33 34"},
		{"saint-denis 45", "34 33", "34 33"},
		{"sainte denis", "", ""},
		{"saint", "33 30 31 32 34", "33 30 31 32 34"},
		{"75001", "1750010", "1750010 12 30 31 1750011"},
		{"320000", "32", "32"},
		{"paris", "1750010 12", "1750010 12"},
		{"5G NR 2100 Belgique", "5", ""}, // a market that is asked counts more than a country
	} {
		t.Run(tt.text, func(t *testing.T) {
			q := Find{Text: tt.text, Selection: Selection{Market: market.Get(market.FR)}, Limit: 20}
			if got := ids(ask(t, c, q)); got != tt.page {
				t.Errorf("page: got %s, want %s", got, tt.page)
			}
			if got := ids(ask(t, c, Find{Text: tt.text, Nearest: true, Limit: 20})); got != tt.nearest {
				t.Errorf("nearest: got %s, want %s", got, tt.nearest)
			}
		})
	}
	for limit, want := range map[int]string{2: "2 1", 6: "2 1 3 4"} { // half of a page needs no neighbours
		if got := ids(ask(t, c, Find{Text: "Rennes", Nearest: true, Limit: limit})); got != want {
			t.Errorf("nearest, at most %d: got %s, want %s", limit, got, want)
		}
	}
}

// A country and its postal code before a town are not a siteKey.
func TestFindPostal(t *testing.T) {
	c := towns(t)
	for text, place := range map[string]string{"FR-35000 Rennes": "RENNES", "35000 Rennes": "RENNES", "fr-2": ""} {
		found := ask(t, c, Find{Text: text, Nearest: true, Limit: 5})
		got := ""
		if found.Place != nil {
			got = found.Place.Name
		}
		if got != place || (found.Total == 0) != (place == "") {
			t.Errorf("%s: got %q with %d sites, want %q", text, got, found.Total, place)
		}
	}
}

// Sites around a position are the nearest of all markets first, on all pages.
func TestFindAround(t *testing.T) {
	set, err := indextest.Country(300)
	errtest.Must(t, err)
	c := &Catalog{Set: set}
	var p geo.Point
	for m := range c.registers {
		p = m.Position(0)
		break
	}
	text := fmt.Sprintf("%.5f, %.5f", p.Lat, p.Lng)
	var all []float64
	total := 0
	for m := range c.registers {
		for i := range m.Len() {
			if d := geo.Distance(p, m.Position(uint32(i))); d <= vicinity {
				all = append(all, d)
				total++
			}
		}
	}
	slices.Sort(all)
	var got []float64
	for offset := 0; offset <= total; offset += 3 {
		found := ask(t, c, Find{Text: text, Offset: offset, Limit: 3})
		if found.Total != total {
			t.Fatalf("from %d: total = %d, want %d", offset, found.Total, total)
		}
		for _, page := range found.Pages {
			got = append(got, page.Metres...)
		}
	}
	if len(got) != total || !slices.IsSorted(got) || total == 0 {
		t.Errorf("got %d sites, sorted %t, want %d", len(got), slices.IsSorted(got), total)
	}
}

// What is selected in addition meets on one emission with what is understood, and counts more.
func TestFindOfSelection(t *testing.T) {
	c, fr := towns(t), market.Get(market.FR)
	free, _ := fr.Operator("FREE")
	for _, tt := range []struct {
		text string
		Selection
		want string
	}{
		{"Brest 3500", Selection{Market: fr, Status: "en-service"}, "9"},
		{"Brest 3500", Selection{Market: fr, Status: "projet"}, "8"},
		{"Brest en service", Selection{Market: fr, Status: "projet"}, "8"},
		{"Rennes 5G", Selection{Market: fr, Operators: index.Choice{free}}, "2"},
		{"Rennes Orange", Selection{Market: fr, Operators: index.Choice{free}}, "2"},
		{"5G", Selection{Market: fr, Area: "29"}, "9 8"},
	} {
		if got := ids(ask(t, c, Find{Text: tt.text, Selection: tt.Selection, Limit: 20})); got != tt.want {
			t.Errorf("%s of %+v: got %s, want %s", tt.text, tt.Selection, got, tt.want)
		}
	}
}

// Pages of all markets neither skip nor repeat a site, and count those that each market finds.
func TestFindPages(t *testing.T) {
	set, err := indextest.Country(200)
	if err != nil {
		t.Fatal(err)
	}
	c := &Catalog{Set: set}
	for _, text := range []string{"5G", "LTE 700 SFR", "saint", "en projet", "xanadu", ""} {
		whole, total := ask(t, c, Find{Text: text, Limit: 1000}), 0
		for m := range c.registers {
			total += ask(t, c, Find{Text: text, Selection: Selection{Market: m.Table}}).Total
		}
		if whole.Total != total || len(strings.Fields(ids(whole))) != total {
			t.Errorf("%q: got total %d and %s, want %d sites", text, whole.Total, ids(whole), total)
		}
		var pages []string
		for offset := 0; offset <= total; offset += 7 {
			page := ask(t, c, Find{Text: text, Offset: offset, Limit: 7})
			pages = append(pages, strings.Fields(ids(page))...)
			if page.Total != total {
				t.Errorf("%q from %d: got total %d, want %d", text, offset, page.Total, total)
			}
		}
		if got := strings.Join(pages, " "); got != ids(whole) {
			t.Errorf("%q: got pages %s, want %s", text, got, ids(whole))
		}
	}
}

// An answer says how the text was read: as a place rather than an operator, or only a part of it as a place.
func TestUnderstood(t *testing.T) {
	c := towns(t)
	for _, tt := range []struct{ text, place, partOf, operators, notOperators, others string }{
		{text: "Orange", place: "ORANGE", notOperators: "ORANGE ORANGE_BE ORANGE_ES"},
		{text: "Orange Rennes", place: "RENNES", operators: "ORANGE ORANGE_BE ORANGE_ES"},
		{text: "Bretagne", place: "Bretagne", others: "BRETAGNE"},
		{text: "Xanadu de Rennes", place: "RENNES", partOf: "xanadu de rennes"},
		{text: "gare de Rennes", place: "RENNES", partOf: "gare de rennes"},
		{text: "Rennes Schweiz"},
	} {
		u := ask(t, c, Find{Text: tt.text, Limit: 1}).Understood
		if u.Place == nil {
			u.Place = &NamedPlace{}
		}
		got, others := tt, []string(nil)
		for _, other := range u.Place.Others {
			others = append(others, other.Name)
		}
		got.place, got.partOf, got.others = u.Place.Name, u.Place.PartOf, strings.Join(others, " ")
		got.operators, got.notOperators = strings.Join(u.Operators, " "), strings.Join(u.NotOperators, " ")
		if got != tt {
			t.Errorf("got %+v, want %+v", got, tt)
		}
	}
}
