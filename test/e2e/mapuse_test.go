//go:build linux

package e2e

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// aSupport returns the position of a support of the mainland, with its number.
func aSupport(t *testing.T, c country) shownRow {
	t.Helper()
	rows := shownRows(t, c)
	return rows[len(rows)/2]
}

// What is chosen stands in the address, so a link shows what its sender saw; the browser's buttons
// go back and forth.
func TestMapLinks(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 400)
	s := serve(t, c.dir)
	at := aSupport(t, c)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	m.size(1280, 800) // in a smaller window the map moves the site out from under its card
	path := fmt.Sprintf("/?operator=ORANGE,SFR&generation=4G,5G&site=fr-%s&lang=fr#map=13/%.4f/%.4f", at.support, at.lat, at.lng)
	m.show(path)
	m.until("the card has the site", `document.getElementById('card').textContent.includes("`+at.support+`")`)
	type link struct {
		Operators, Generations []string
		Site, Lang             string
		Zoom                   float64
		Checked                []string
	}
	var seen struct {
		link
		Lat, Lng float64
	}
	m.evaluate(`(() => { const s = relais.state(), c = relais.map.getCenter(); return {
		operators: s.operators, generations: s.generations, site: s.site, lang: document.documentElement.lang,
		zoom: relais.map.getZoom(), lat: c.lat, lng: c.lng,
		checked: [...document.querySelectorAll('#panel [id^=operator-][aria-pressed=true]')].map((i) => i.id).sort() }; })()`, &seen)
	want := link{[]string{"ORANGE", "SFR"}, []string{"4G", "5G"}, "fr-" + at.support, "fr", 13,
		[]string{"operator-ORANGE", "operator-SFR"}}
	if diff := cmp.Diff(want, seen.link); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if math.Abs(seen.Lat-at.lat) > 0.001 || math.Abs(seen.Lng-at.lng) > 0.001 {
		t.Errorf("centre = %v, %v; want %v, %v", seen.Lat, seen.Lng, at.lat, at.lng)
	}
	m.evaluate(`void document.getElementById('close').click()`, nil)
	m.until("the card is closed", `document.getElementById('card').hidden && !location.search.includes('site=')`)
	m.evaluate(`void history.back()`, nil)
	m.until("the card is back", `!document.getElementById('card').hidden && location.search.includes('site=fr-')`)
	m.clean(t)
}

// The map speaks of the market whose sites are in sight, of countries without a register when they are
// in its middle, and opens at the site of its address.
func TestMapPlaces(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 400)
	s := serve(t, c.dir)
	at := aSupport(t, c)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	m.show("/?lang=fr&site=fr-" + at.support)
	var seen struct{ Lat, Lng, Zoom float64 }
	m.evaluate(`(({ lng, lat }, zoom) => ({ lng, lat, zoom }))(relais.map.getCenter(), relais.map.getZoom())`, &seen)
	if math.Abs(seen.Lat-at.lat) > 0.01 || math.Abs(seen.Lng-at.lng) > 0.01 || seen.Zoom < 14.5 {
		t.Errorf("the map opens at %+v, want the site's place %v, %v", seen, at.lat, at.lng)
	}
	follows := func(code string) string {
		return `document.querySelector('#panel [data-follow]').getAttribute('href').startsWith('/feeds/` + code + `?')`
	}
	m.until("the feed is the mainland's", follows("FR"))
	overseas := c.rows[slices.IndexFunc(c.rows, func(r map[string]string) bool { return r["sta_nm_dpt"] == "974" })]
	var lat, lng float64
	_, err := fmt.Sscanf(strings.ReplaceAll(overseas["coordonnees"], " ", ""), "%f,%f", &lat, &lng)
	must(t, err)
	m.jump(lat, lng, 9)
	m.until("the feed is that of the departments overseas", follows("DROM"))
	m.jump(40.4, -3.7, 7)
	m.until("the map says that Spain has no register", `document.getElementById('message').textContent.includes('Espagne')`)
	m.jump(at.lat, at.lng, 9)
	m.until("the sentence is gone", `document.getElementById('message').hidden`)
	m.evaluate(`void document.querySelector('button.theme').click()`, nil)
	m.open(s.base + "/stats")
	m.until("the theme holds on other pages", `document.readyState === 'complete' &&
		getComputedStyle(document.documentElement).colorScheme === 'dark'`)
	m.clean(t)
}

// A reader's language, a dark screen and a phone are met without being asked for.
func TestMapReaders(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 400)
	s := serve(t, c.dir)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	for _, tt := range []struct{ accepted, lang string }{{"en", "en"}, {"fr;q=0.9", "fr"},
		{"nl-BE,nl;q=0.9,fr;q=0.8", "nl"}, {"de-CH", "de"}} { // the rest is in German, with the longest words
		m.must("Network.setExtraHTTPHeaders", object{"headers": object{"Accept-Language": tt.accepted}}, nil)
		m.load("/")
		var got string
		m.evaluate("document.documentElement.lang", &got)
		if got != tt.lang {
			t.Errorf("language = %s, want %s as the browser asks for", got, tt.lang)
		}
	}
	const light = `(() => {
		const [r, g, b] = getComputedStyle(document.querySelector('header')).backgroundColor.match(/[\d.]+/g).map(Number);
		return r + g + b;
	})()`
	var bright, dark float64
	m.evaluate(light, &bright)
	m.must("Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
	m.load("/?lang=fr")
	m.evaluate(light, &dark)
	if dark > 200 || bright < 560 {
		t.Errorf("the header is as bright as %v by day and %v by night, of 765", bright, dark)
	}
	for _, width := range []int{360, 390, 640} {
		m.size(width, 740)
		m.load("/")
		var wide int
		m.evaluate("document.documentElement.scrollWidth", &wide)
		if wide > width {
			t.Errorf("a screen of %d pixels: the page is %d wide", width, wide)
		}
	}
	m.size(320, 640) // a window of 1280 pixels at a zoom of 400 %
	for _, path := range []string{"/search?q=rue", "/site/fr-" + aSupport(t, c).support, "/stats", "/news", "/docs"} {
		m.open(s.base + path)
		m.until("the page is there", "document.readyState === 'complete' && location.pathname === '"+
			strings.Split(strings.Replace(path, "/news", "/news/2026-01-15", 1), "?")[0]+"'")
		var wide int
		if m.evaluate("document.documentElement.scrollWidth", &wide); wide > 320 {
			t.Errorf("%s: the page is %d wide on 320 pixels", path, wide)
		}
	}
	m.clean(t)
}

// Without a mouse: the search finds a site, and its card opens and closes.
func TestMapByKeyboard(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 400)
	s := serve(t, c.dir)
	at := aSupport(t, c)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	m.show("/")
	m.typeKey("Tab", 9)
	for i := 0; i < 5; i++ {
		var focused string
		m.evaluate("document.activeElement.type ?? ''", &focused)
		if focused == "search" {
			break
		}
		m.typeKey("Tab", 9)
	}
	m.must("Input.insertText", object{"text": at.support}, nil)
	m.until("the search answers", `[...document.querySelectorAll('#results [role=option]')].some(
		(o) => o.textContent.includes("`+at.support+`"))`)
	m.typeKey("ArrowDown", 40)
	m.typeKey("Enter", 13)
	m.until("the card opens", `document.getElementById('card').textContent.includes("`+at.support+`") &&
		location.search.includes('site=fr-`+at.support+`')`)
	m.idle()
	m.typeKey("Escape", 27)
	m.until("the card is closed", `document.getElementById('card').hidden`)
	m.clean(t)
}

// An official map lies under the sites in the colours of its levels, and a click or Enter says who covers a place.
func TestMapOfficialCoverage(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 400)
	rows := shownRows(t, c)
	at := rows[slices.IndexFunc(rows, func(r shownRow) bool {
		return r.operator == "ORANGE" && r.generation == "4G" && r.status == "En service"
	})]
	west, south, east, north := at.lng-0.1, at.lat-0.1, at.lng+0.1, at.lat+0.1
	area := fmt.Sprintf(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"operateur":"20801","date":"2026-06-30",
		"techno":"4G","usage":"data","niveau":"BC"},"geometry":{"type":"Polygon","coordinates":[[[%[1]f,%[2]f],[%[3]f,%[2]f],[%[3]f,%[4]f],
		[%[1]f,%[4]f],[%[1]f,%[2]f]]]}}]}`, west, south, east, north) // with the columns of ARCEP's files
	path := filepath.Join(t.TempDir(), "SYNTHETIC_areas.json")
	must(t, os.WriteFile(path, []byte(area), 0o600))
	run(t, "coverage", "map", "import", "--data", c.dir, "FR", path)
	s := serve(t, c.dir)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	m.size(1280, 800)
	m.show(fmt.Sprintf("/?lang=en&layers=official&operator=ORANGE&generation=4G#map=10/%.4f/%.4f", at.lat, at.lng))
	m.until("the level is drawn", `relais.map.queryRenderedFeatures({ layers: ['cells-official-FR'] }).some((f) => f.properties.level === 2)`)
	m.until("the legend says what it is", `['Orange · 4G', 'SYNTHETIC ARCEP, 30 June 2026', 'not measured'].every((text) =>
		document.getElementById('legend').textContent.includes(text))`)
	m.evaluate(`void relais.map.getCanvas().focus()`, nil)
	m.typeKey("Enter", 13)
	m.until("the card says who covers the middle", `['Coverage at', 'Orange', 'good', 'Licence Ouverte'].every((text) =>
		document.getElementById('content').textContent.includes(text)) && location.search.includes('at=')`)
	m.evaluate(`void document.querySelector('#content .nearest a').click()`, nil)
	m.until("the nearest site is in the card", `document.getElementById('content').textContent.includes('fr-`+at.support+`') &&
		location.search.includes('site=')`)
	for range 2 {
		m.typeKey("Escape", 27)
	}
	m.until("the card is closed", `document.getElementById('card').hidden && !location.search.includes('at=')`)
	m.clean(t)
}

// A browser without WebGL2 gets a sentence and the way to the list.
func TestMapWithoutWebGL(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 100)
	s := serve(t, c.dir)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), "--disable-3d-apis")
	m.open(s.base + "/?lang=en")
	m.until("the page says why there is no map", `document.querySelector('#map .notice')?.textContent.includes('WebGL2')`)
	var list string
	m.evaluate(`document.querySelector('#map .notice a').getAttribute('href')`, &list)
	if !strings.HasPrefix(list, "/search") && !strings.HasPrefix(list, "/near") {
		t.Errorf("the notice leads to %s, want a list of sites", list)
	}
}

// Over plain HTTP on a name that is not localhost, where browsers do not say Sec-Fetch-Site and
// have no geolocation and no service workers, the map is the same, and nothing can be kept.
func TestMapOverPlainHTTP(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 400)
	s := serve(t, c.dir)
	host := strings.Replace(strings.TrimPrefix(s.base, "http://"), "127.0.0.1", "relais.example", 1)
	m := openMap(t, host, webGL...)
	m.show("/")
	var secure bool
	if m.evaluate("isSecureContext", &secure); secure {
		t.Error("the page is in a secure context, so this test shows nothing")
	}
	m.until("nothing can be kept", "document.getElementById('kept').hidden")
	rows := shownRows(t, c)
	if got, want := m.drawn(46.6, 2.5, 20), countRows(rows, mapFilters[0], 46.6, 2.5, 20); got != want {
		t.Errorf("drawn %d sites, want %d", got, want)
	}
	m.clean(t)
}
