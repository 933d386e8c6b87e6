//go:build linux

package e2e

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// "Follow what I see" leads to the feed of the box in sight, under the filters, and moves with the map.
func TestMapFollow(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 400)
	s := serve(t, c.dir)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	m.size(1280, 800)
	m.show("/?operator=FREE&generation=5G&lang=fr#map=9/46.8/2.6")
	type follow struct {
		Button, Text, Atom string
		Label              string
		Bounds             [4]float64 // west, south, east, north
	}
	look := func() (f follow) {
		m.evaluate(`(() => { const b = relais.map.getBounds(), a = (q) => document.querySelector(q); return {
			button: a('#controls [data-follow]').getAttribute('href'), text: a('#panel [data-follow]').getAttribute('href'),
			atom: a('link[type="application/atom+xml"]').getAttribute('href'), label: a('#controls [data-follow]').title,
			bounds: [b.getWest(), b.getSouth(), b.getEast(), b.getNorth()] }; })()`, &f)
		return f
	}
	check := func(f follow) {
		t.Helper()
		u, err := url.Parse(f.Button)
		must(t, err)
		q := u.Query()
		if u.Path != "/feeds/FR" || q.Get("operator") != "FREE" || q.Get("generation") != "5G" || q.Get("lang") != "fr" ||
			f.Text != f.Button || f.Atom != strings.Replace(f.Button, "FR?", "FR.atom?", 1) || f.Label != "Suivre ce que je vois" {
			t.Errorf("got %+v", f)
		}
		for i, text := range strings.Split(q.Get("bbox"), ",") {
			if x, err := strconv.ParseFloat(text, 64); err != nil || i > 3 || math.Abs(x-f.Bounds[i]) > 1e-4 {
				t.Errorf("got the box %s of a map with %v", q.Get("bbox"), f.Bounds)
			}
		}
		a := call(t, http.DefaultClient, http.MethodGet, s.base+f.Atom, nil)
		if a.status != 200 || !strings.Contains(string(a.body), "<feed ") {
			t.Errorf("%s: got %d", f.Atom, a.status)
		}
	}
	first := look()
	check(first)
	m.jump(43.6, 1.44, 11)
	second := look()
	if check(second); second.Button == first.Button {
		t.Errorf("the link stays %s after the map moved", first.Button)
	}
	m.evaluate(`void relais.map.jumpTo({ center: [2.6, 46.8], zoom: 3 })`, nil)
	m.until("the whole register is in sight", `!document.querySelector('#controls [data-follow]').href.includes('bbox')`)
	m.evaluate(`void document.querySelector('#controls [data-follow]').click()`, nil)
	m.until("the page about the feed is there",
		`location.pathname === '/feeds/FR' && document.querySelector('h1')?.textContent === 'Suivre ces changements'`)
	m.clean(t)
}
