package web

import (
	"io"
	"net/http"
	"strings"

	"relais/market"
)

// robotsText lets search engines read what has an address of its own, and keeps them out of what
// has no end.
const robotsText = `User-agent: *
Disallow: /external/
Disallow: /api/
Disallow: /map/
Disallow: /mcp
Disallow: /oauth/
Disallow: /account
Disallow: /moderation
Disallow: /sign-in
Disallow: /sign-out
Disallow: /search
Disallow: /near
Disallow: /at/
Disallow: /go
Disallow: /log
`

// robotsFile also keeps them out of the pages about feeds with filters, and lets readers fetch the feeds.
var robotsFile = func() string {
	text := robotsText
	for _, m := range market.All {
		text += "Disallow: " + feedsPath + string(m.Code) + "?\n"
	}
	return text
}()

func (p *Pages) robots(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=86400")
	if r.Method != http.MethodHead {
		text := strings.ReplaceAll(robotsFile, "Disallow: ", "Disallow: "+p.base)
		_, _ = io.WriteString(w, text) // fails only if the reader has gone away
	}
}

// favicon answers the icon for browsers that do not read the link to it.
func (p *Pages) favicon(w http.ResponseWriter, r *http.Request) {
	assets, _ := readAssets()
	icon := assets["favicon.ico"]
	h := w.Header()
	h.Set("Content-Type", icon.mediaType)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "public, max-age=86400")
	p.sendPacked(w, r, "favicon.ico", icon.packed)
}

// NotFound returns the page about an address that does not exist.
func (p *Pages) NotFound() http.Handler {
	return p.limited(p.asked, pagesPerMinute, func(w http.ResponseWriter, r *http.Request) {
		p.fail(w, r, http.StatusNotFound)
	})
}
