//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"relais/internal/tier"
)

// An area that is kept is drawn when the server is away, with its dates, and is gone when it is deleted. The
// page can be installed. It is the same below a path of a host.
func TestMapOffline(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 2000)
	for _, path := range []string{"", "/antennes"} {
		if path == "" && !tier.Full() {
			continue
		}
		t.Run("below "+path+"/", func(t *testing.T) {
			behind := httptest.NewUnstartedServer(nil)
			base := "http://" + behind.Listener.Addr().String() + path
			s := serve(t, c.dir, "--base-url", base, "--trusted-proxy", "127.0.0.1/32")
			to, err := url.Parse(s.base)
			must(t, err)
			behind.Config.Handler = http.StripPrefix(path, httputil.NewSingleHostReverseProxy(to))
			behind.Start()
			defer behind.Close()
			m := openMap(t, strings.TrimPrefix(base, "http://"), webGL...)
			m.size(390, 780)
			at := shownRows(t, c)[100]
			m.show(fmt.Sprintf("/?lang=en#map=12.3/%v/%v", at.lat, at.lng))
			m.installable(t, base)
			m.keepView(t)
			m.clean(t)
			m.evaluate("caches.open('relais "+path+"/ area that was given up').then(() => {})", nil)
			m.show("/?lang=en&operator=SFR") // the server answers, and is asked
			m.until("the area that was given up is gone", "caches.keys().then((names) => "+
				"names.length === 2 && !names.some((name) => name.endsWith('given up')))")
			m.until("the page is the server's", "!JSON.parse(document.getElementById('config').textContent).kept && "+
				"navigator.serviceWorker.controller && document.getElementById('away').hidden")
			m.clean(t)
			behind.CloseClientConnections()
			behind.Close()
			m.away(t, c, at)
		})
	}
}

// installable reads what Chromium says about the manifest.
func (m *mapTab) installable(t *testing.T, base string) {
	t.Helper()
	var manifest struct {
		URL    string
		Errors []object
		Data   string
	}
	m.must("Page.getAppManifest", object{}, &manifest)
	var trouble struct{ InstallabilityErrors []object }
	m.must("Page.getInstallabilityErrors", object{}, &trouble)
	if manifest.URL != base+"/manifest.webmanifest?lang=en" || len(manifest.Errors)+len(trouble.InstallabilityErrors) > 0 {
		t.Errorf("the manifest at %s: %v, %v; want one without errors", manifest.URL, manifest.Errors, trouble)
	}
}

// keepView keeps what is in view, as a person does.
func (m *mapTab) keepView(t *testing.T) {
	t.Helper()
	button := func(text string) string {
		return "[...document.querySelectorAll('#kept button')].find((b) => b.textContent === '" + text + "')"
	}
	m.until("an area can be kept", button("Keep the area in view"))
	m.evaluate("void "+button("Keep the area in view")+".click()", nil)
	m.until("its cost is said", button("Keep"))
	var cost string
	m.evaluate("document.querySelector('#kept p').textContent", &cost)
	var tiles, sites, kilobytes int
	if n, _ := fmt.Sscanf(cost, "%d tiles and %d sites, about %d kB.", &tiles, &sites, &kilobytes); n < 3 || tiles > 300 || sites == 0 {
		t.Errorf("got %q, want tiles up to 300 and some sites", cost)
	}
	m.evaluate("void "+button("Keep")+".click()", nil)
	m.until("it is being kept", "document.querySelector('#kept progress')?.value > 0")
	m.must("Target.createTarget", object{"url": "http://" + m.host + "/?lang=en", "background": true}, nil) // it tidies
	m.until("the area is kept", "document.querySelector('#kept .area')")
	var kept struct{ Tiles, Bytes int }
	m.evaluate("JSON.parse(Object.values(localStorage)[0])[0]", &kept)
	if kept.Tiles != tiles || kept.Bytes > 2000*kilobytes || kept.Bytes < 500*kilobytes {
		t.Errorf("kept %+v, want %d tiles and about %d kB", kept, tiles, kilobytes)
	}
}

// away opens the map without the server, around a site of the area.
func (m *mapTab) away(t *testing.T, c country, at shownRow) {
	t.Helper()
	const half = 0.0201 // between seconds of arc, on which all sites lie
	m.show("/?lang=en&operator=SFR")
	if got, want := m.drawn(at.lat, at.lng, half), countRows(shownRows(t, c), mapFilters[0], at.lat, at.lng, half); got != want {
		t.Errorf("drawn %d sites, want %d without filters", got, want)
	}
	text := "Offline. Area kept on " + time.Now().Format("2 January 2006") + ", register of 15 January 2026."
	m.until("the dates are said", "document.getElementById('away').textContent === '"+text+"'")
	m.evaluate(fmt.Sprintf("void relais.map.jumpTo({ center: [%v, %v], zoom: 15 })", at.lng, at.lat), nil)
	m.until("its mark is drawn", "relais.map.queryRenderedFeatures({ layers: ['sites-FR'] }).some((f) => f.properties.key === 'fr-"+
		at.support+"')")
	m.evaluate("void relais.map.jumpTo({ center: [9.1, 42.1], zoom: 12 })", nil)
	m.until("it is said that nothing is kept there", "document.getElementById('away').textContent.startsWith('Offline. Nothing')")
	m.evaluate("void [...document.querySelectorAll('#kept button')].find((b) => b.textContent === 'Delete').click()", nil)
	m.until("nothing is left", "!document.querySelector('#kept .area') && Promise.all([caches.keys(), "+
		"navigator.serviceWorker.getRegistrations()]).then((left) => left.every((list) => list.length === 0))")
}
