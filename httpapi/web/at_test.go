package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/catalog"
	"relais/coverage"
	"relais/coverage/coveragetest"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
)

// officialMap imports a map as the Belgian regulator's service answers (BIPT, layer Proximus_4G, EPSG:3857): good
// reception around 50.8, 4.3, very good east of 4.33, and none stated west of 4.27.
func officialMap(t *testing.T) *coverage.Store {
	t.Helper()
	mercator, _ := geo.ByEPSG(3857)
	square := func(level int, south, west, north, east float64) coveragetest.Area {
		x0, y0 := mercator.To(geo.Point{Lat: south, Lng: west})
		x1, y1 := mercator.To(geo.Point{Lat: north, Lng: east})
		a := coveragetest.Box(map[string]any{"Layer": level}, x0, y0, x1, y1)
		a.ID = fmt.Sprint("Proximus_4G.", level)
		return a
	}
	return coveragetest.Store(t, "SYNTHETIC_Proximus_4G.json", 3857, square(2, 50.75, 4.27, 50.85, 4.33),
		square(3, 50.75, 4.33, 50.85, 4.4))
}

// atPages returns pages with an official map of Belgium.
func atPages(t *testing.T, keyless bool) *Pages {
	t.Helper()
	p, store := pagesAbout(keyless, country(t, market.BE, 5)), officialMap(t)
	of := p.Env
	p.Env = func() *api.Env {
		env := of()
		env.Coverage = store
		return env
	}
	return p
}

var tags = regexp.MustCompile(`<[^>]*>`)

// readable returns what people read of a page, with single blanks.
func readable(page string) string {
	return strings.Join(strings.Fields(tags.ReplaceAllString(page, " ")), " ")
}

// The page says what the map says, in each language. From 4.3 it is 2.11 km to 4.33 at this latitude, and a
// little more to the middle of a cell.
func TestWhoCoversAPlace(t *testing.T) {
	p := atPages(t, false)
	for lang, want := range map[string][]string{
		"en": {"Coverage at 50.8, 4.3", "4G good Better 2.2 km to the east: very good",
			"Expected reception Generation ■ Proximus 4G good Synthetic"},
		"fr": {"Couverture à 50.8, 4.3", "bonne Mieux à 2,2 km à l’est : très bonne", "Données de démonstration"},
		"nl": {"Dekking op 50.8, 4.3", "goed Beter op 2,2 km naar het oosten: zeer goed"},
		"de": {"Abdeckung bei 50.8, 4.3", "gut Besser 2,2 km nach Osten: sehr gut"},
	} {
		w := ask(p, "GET", "/at/50.8,4.3?lang="+lang)
		text := readable(w.Body.String())
		for _, s := range append(want, "BIPT/IBPT, SYNTHETIC") {
			if w.Code != 200 || !strings.Contains(text, s) {
				t.Errorf("%s: status %d, without %q:\n%s", lang, w.Code, s, text)
			}
		}
	}
	page := ask(p, "GET", "/at/50.80000000000,%204.3").Body.String()
	for _, s := range []string{`<link rel="canonical" href="http://relais.test/at/50.8,4.3">`, `content="noindex"`,
		`href="/?at=50.8%2C4.3&amp;layers=official#map=13/50.8/4.3"`, `href="/near?lat=50.8&amp;lng=4.3"`} {
		if !strings.Contains(page, s) {
			t.Errorf("the page is without %s:\n%s", s, page)
		}
	}
	const none = "No official coverage map"
	for target, want := range map[string]string{"/at/50.8,4.35": "very good", "/at/50.8,4.2": none, "/at/-45,170": none} {
		text := readable(ask(p, "GET", target+"?lang=en").Body.String())
		if !strings.Contains(text, want) || strings.Contains(text, "Better") {
			t.Errorf("%s: got %s, want %s and nothing better", target, text, want)
		}
	}
}

func TestNoPlace(t *testing.T) {
	p := atPages(t, false)
	for _, position := range []string{"48.8", "a,b", "91,2", "48,181", "1e1,2", "NaN,Inf", "48.8,2.3,4", "0x10,2", "48.8;2.3", "%00,1",
		"%25zz", "%3Cscript%3E,1", "1." + strings.Repeat("9", 3000) + ",2"} {
		r := ask(p, "GET", "/at/"+position+"?lang=en")
		if text := r.Body.String(); r.Code != 400 || !strings.Contains(text, "/at/48.11,-1.68") || strings.Contains(text, "<script>") {
			t.Errorf("%.40s: status %d, want 400 and an example:\n%.500s", position, r.Code, text)
		}
	}
	p.Keyed = true
	if r := ask(p, "GET", "/at/50.8,4.3"); r.Code != 403 {
		t.Errorf("with keys: status %d, want 403", r.Code)
	}
}

// Belgium's maps may not be redistributed: those without a key do not read them here either.
func TestWithheldMapsHaveNoPage(t *testing.T) {
	p := atPages(t, true)
	if text := readable(ask(p, "GET", "/at/50.8,4.3?lang=en").Body.String()); !strings.Contains(text, "No official coverage map") {
		t.Errorf("without a key: got %s", text)
	}
	for _, m := range configOf(t, ask(p, "GET", "/").Body.String()).Markets {
		if len(m.Coverage) > 0 {
			t.Errorf("%s: the map has %+v", m.Code, m.Coverage)
		}
	}
}

// What was measured is said, and that it contradicts the map.
func TestMeasuredAgainstTheMap(t *testing.T) {
	words, belgium := texts["en"], market.Get(market.BE)
	layer := &coverage.Layer{Info: coverage.Info{Market: market.BE, Operator: belgium.Operators[0].Key, Technology: "4G", Metres: 100}}
	row := catalog.CoverageRow{Place: coverage.Place{Layer: layer, Word: coverage.Word{Level: coverage.LevelGood}},
		Measured: &catalog.MeasuredNear{Points: 1, NoService: 3, RSRP: -118, Newest: time.Date(2026, 9, 3, 23, 0, 0, 0, time.UTC)},
		Disagree: catalog.CoveredNoService}
	var a atPage
	a.add(words, belgium, &row)
	got := a.Operators[0].Rows[0]
	const want = "Measured within 100\u00a0m: 1 reading, median −118 dBm, 3 without any network, newest of 3\u00a0September 2026"
	if got.Measured != want {
		t.Errorf("got %q, want %q", got.Measured, want)
	}
	if !strings.HasPrefix(got.Disagree, "Map and measurements disagree") {
		t.Errorf("got %q, want that they disagree", got.Disagree)
	}
	for _, swiss := range []struct {
		word coverage.Word
		want string
	}{{coverage.Word{Level: coverage.LevelCovered, Operators: coverage.Three}, "reception from three operators"},
		{coverage.Word{}, "not stated here"}} {
		row := catalog.CoverageRow{Place: coverage.Place{Layer: layer, Word: swiss.word}, Operator: index.Any}
		a.add(words, belgium, &row)
		if last := a.Operators[len(a.Operators)-1]; last.Key != "" || last.Rows[len(last.Rows)-1].Level != swiss.want {
			t.Errorf("got %+v, want %s of no named operator", last, swiss.want)
		}
	}
}

// The map is told which official maps there are.
func TestMapHasOfficialMaps(t *testing.T) {
	for _, m := range configOf(t, ask(atPages(t, false), "GET", "/").Body.String()).Markets {
		if len(m.Coverage) != 1 {
			t.Fatalf("%s: got %d editions, want 1", m.Code, len(m.Coverage))
		}
		c := m.Coverage[0]
		if strings.Join(c.Operators, " ") != "PROXIMUS_BE" || strings.Join(c.Technologies, " ") != "4G" || !c.Synthetic || c.Edition == "" {
			t.Errorf("got %+v, want the synthetic map of 4G of Proximus", c)
		}
	}
}

// The commune of the nearest site names a place, if that site is near.
func TestCommuneOfPlace(t *testing.T) {
	at := geo.Point{Lat: 48.8, Lng: 2.3}
	near, nearer, unnamed := newSite("1", at), newSite("2", at), newSite("3", at)
	near.Commune, nearer.Commune, unnamed.Commune = "CHERBOURG-EN-COTENTIN", "Vannes", ""
	m := indextest.Market(t, market.FR, near, nearer, unnamed)
	of := func(i uint32, metres float64) *catalog.CoveringSite {
		return &catalog.CoveringSite{SiteFound: catalog.SiteFound{Register: m, At: i}, Metres: metres}
	}
	for _, tt := range []struct {
		name, want string
		sites      []*catalog.CoveringSite
	}{
		{"none", "", nil},
		{"the nearest", "Vannes", []*catalog.CoveringSite{of(0, 900), of(1, 300)}},
		{"the nearest first", "Vannes", []*catalog.CoveringSite{of(1, 300), of(0, 900)}},
		{"the nearest names none", "Cherbourg-en-Cotentin", []*catalog.CoveringSite{of(2, 100), of(0, 900)}},
		{"far away", "", []*catalog.CoveringSite{of(0, 3001)}},
	} {
		var a atPage
		for _, s := range tt.sites {
			a.name(m.Table, s)
		}
		if a.Commune != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, a.Commune, tt.want)
		}
	}
}
