//go:build linux

package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// Everything works below a path of a host, behind the proxies of proxiesPage with TLS: every address on every page,
// also on those of moderators, is below the path and leads somewhere. So does what Chromium asks for.
func TestUnderAPath(t *testing.T) {
	t.Parallel()
	certificate := newCertificateFolder(t)
	c := makeCountry(t, 200)
	changed := strings.Replace(c.weekly(t, "2026-01-22"), ";Projet approuvé", ";En service", 20)
	run(t, "ingest", "--data", c.dir, "FR,DROM", filetest.New(t, "SYNTHETIC_observatoire_2026-01-22.csv", changed))
	root := moderator(t, c.dir, "root", "admin")
	key := createClient(t, c.dir, append(unlimited, "--name", "crawler", "--mode", "server", "--cidr", "127.0.0.0/8", "--scopes",
		"all-read")...).APIKey
	direct := serve(t, c.dir, "--photos-hold")
	fillQueue(t, direct, c.dir)
	direct.stop()
	for _, tt := range []struct{ name, tls, with string }{
		{"Caddy", "www.example {", "https://ADDRESS {\n\ttls " + certificate.cert + " " + certificate.key},
		{"nginx", "listen 80;", "listen ADDRESS ssl;\nssl_certificate " + certificate.cert + ";\nssl_certificate_key " +
			certificate.key + ";"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := &proxyKinds[slices.IndexFunc(proxyKinds, func(k proxyKind) bool { return k.name == tt.name })]
			k.path(t)
			address := freeAddress(t)
			flags := []string{"--photos-hold", "--trusted-proxy", "127.0.0.1/32", "--base-url", "https://" + address + "/antennes"}
			if tt.name == "Caddy" { // it says only what clients sign
				flags = append(flags, "--public-prefix", "/antennes")
			}
			s := serve(t, c.dir, flags...)
			block := strings.Replace(setUps(t, tt.name)[1], tt.tls, strings.ReplaceAll(tt.with, "ADDRESS", address), 1)
			k.start(t, block, address, strings.TrimPrefix(s.base, "http://"))
			crawlAll(t, "https://"+address, key, root)
			if tt.name == "Caddy" {
				t.Run("Chromium", func(t *testing.T) { mapUnderAPath(t, c, "https://"+address+"/antennes", root) })
			}
			s.stop()
		})
	}
}

// crawlAll follows everything, as somebody who is signed in.
func crawlAll(t *testing.T, origin, key string, root *person) {
	t.Helper()
	c := newCrawl(t, origin, "/antennes", key)
	if a := c.ask(http.MethodGet, origin+"/antennes", nil); a.status/100 != 3 ||
		!strings.HasSuffix(a.header.Get("Location"), "/antennes/") {
		t.Errorf("/antennes: got %d to %s, want a redirect to /antennes/", a.status, a.header.Get("Location"))
	}
	for _, path := range []string{"/sign-in?next=/account/sent", "/account?lang=fr", missingPage} {
		a := c.ask(http.MethodGet, origin+"/antennes"+path, nil)
		c.read("text/html", string(a.body), origin+"/antennes"+path)
		c.add(a.header.Get("Location"), origin+"/antennes"+path)
	}
	c.signIn(root, "/moderation?lang=fr")
	for _, path := range []string{"/", "/robots.txt", "/ogc", "/openapi.json", "/search?q=rue&lang=fr", "/docs?lang=fr",
		"/search?q=48.85,2.35", "/news?market=FR", "/go", "/log", "/feeds/FR.atom", "/feeds/FR.json", "/moderation?lang=fr", "/account",
		"/sign-out", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"} {
		c.add("/antennes"+path, origin+"/antennes/")
	}
	wrong := c.ask(http.MethodGet, origin+"/antennes/external/v1/antennas?x=1", nil)
	c.add(wrong.object()["docs"].(string), "an error")
	c.run()
	c.counts(map[string]int{"text/html": 100, "text/css": 8, "text/javascript": 30, "application/json": 10,
		"application/atom+xml": 2, "application/feed+json": 2, "image/webp": 2, "image/svg+xml": 1, "application/geo+json": 5})
}

// mapUnderAPath opens the map and a page of moderators in Chromium, which says what it asks for.
func mapUnderAPath(t *testing.T, c country, base string, root *person) {
	needChromium(t)
	m := openMap(t, "", append(webGL, "--ignore-certificate-errors")...)
	var asked []string
	hear := m.heard
	m.heard = func(method string, params json.RawMessage) {
		var e struct {
			SessionID string
			Request   struct{ URL string }
		}
		_ = json.Unmarshal(params, &e) // another event
		switch method {
		case "Target.attachedToTarget": // a worker, which waits
			m.tell(e.SessionID, "Network.enable")
			m.tell(e.SessionID, "Runtime.runIfWaitingForDebugger")
		case "Network.requestWillBeSent":
			asked = append(asked, e.Request.URL)
		default:
			hear(method, params)
		}
	}
	m.must("Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}, nil)
	m.open(base + "/?lang=en#map=4.4/46.6/2.5")
	m.idle()
	if got, want := m.drawn(46.6, 2.5, 20), countRows(shownRows(t, c), mapFilters[0], 46.6, 2.5, 20); got != want {
		t.Errorf("drawn %d sites, want %d", got, want)
	}
	m.open(base + "/?lang=en&site=fr-" + aSupport(t, c).support)
	m.until("the card is filled", `document.querySelector('#content a.to-map')`)
	m.until("a link of the card moves the map", `!document.querySelector('#content a.to-map').dispatchEvent(
		new MouseEvent('click', { bubbles: true, cancelable: true }))`)
	m.until("the feed is below the path", `document.querySelector('a[data-follow]').href.startsWith('`+base+`/feeds/FR?')`)
	b := &signedIn{m.tab, base}
	b.signIn(root, "/moderation", "/moderation")
	b.has("main", "My &lt;b&gt;face&lt;/b&gt;.")
	m.until("a photo is shown",
		"[...document.images].some((i) => i.src.includes('/moderation/images/') && i.naturalWidth > 0)")
	if kept := b.cookies(); len(kept) != 1 || kept[0].Name != "__Secure-relais" || kept[0].Path != "/antennes" ||
		!kept[0].Secure || !kept[0].HTTPOnly {
		t.Errorf("cookies: got %+v, want one __Secure-relais for /antennes", kept)
	}
	m.clean(t)
	for _, address := range asked {
		if !strings.HasPrefix(address, base+"/") && !strings.HasPrefix(address, "blob:") && !strings.HasPrefix(address, "data:") {
			t.Errorf("Chromium asks for %s, which is not below %s", address, base)
		}
	}
	for _, path := range []string{"map/a/", "map/tiles/", "map/antennas/", "site/fr-", "moderation/images/"} {
		if !slices.ContainsFunc(asked, func(address string) bool { return strings.HasPrefix(address, base+"/"+path) }) {
			t.Errorf("Chromium asks for nothing below %s: %q", path, asked)
		}
	}
}

// tell calls a method of another target, and does not wait for its answer.
func (b *tab) tell(session, method string) {
	b.t.Helper()
	text, err := json.Marshal(object{"id": 1 << 30, "method": method, "sessionId": session})
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	must(b.t, err)
}
