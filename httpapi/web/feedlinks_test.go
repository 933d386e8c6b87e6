package web

import (
	"strings"
	"testing"
)

// A list of what words find does not lead to a feed of a whole market.
func TestNoFeedOfWords(t *testing.T) {
	p := swissWeeks(t, 20, 2)
	if body := ask(p, "GET", "/search?market=CH&q=Town").Body.String(); strings.Contains(body, "/feeds/") ||
		len(keysOf(body)) == 0 {
		t.Errorf("the page leads to a feed, or has no sites: %s", body)
	}
}

// Pages lead to the feeds of what they show.
func TestFeedDiscovery(t *testing.T) {
	p := swissWeeks(t, 60, 3)
	for _, tt := range []struct{ target, feed, text string }{
		{"/", "/feeds/CH.atom", "Follow what I see"},
		{"/?lang=fr", "/feeds/CH?lang=fr", "Suivre ce que je vois"},
		{"/search?market=CH&operator=SALT_CH&lang=en", "/feeds/CH.atom?lang=en&amp;operator=SALT_CH",
			"Follow the changes: Switzerland · Salt"},
		{"/search?market=CH&bbox=7,46,7.5,46.5", "/feeds/CH.json?bbox=7,46,7.5,46.5", "Town s0 and surroundings"},
		{"/near?lat=46.1&lng=7.1&radiusKm=10&generation=4G",
			"/feeds/CH.atom?generation=4G&amp;lat=46.1&amp;lon=7.1&amp;radiusKm=10", " and surroundings (10\u00a0km)"},
		{"/feeds/CH?kind=site-added&lang=fr", "http://relais.test/feeds/CH.atom?kind=site-added&amp;lang=fr", "Suivre ces changements"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			body := ask(p, "GET", tt.target).Body.String()
			if !strings.Contains(body, `"`+tt.feed+`"`) || !strings.Contains(body, tt.text) {
				t.Errorf("the page has no %q or no %q: %s", tt.feed, tt.text, body)
			}
		})
	}
	p.Keyed = true
	if body := ask(p, "GET", "/").Body.String(); strings.Contains(body, "/feeds/") {
		t.Error("with --map key the map leads to a feed that nobody can read")
	}
}
