package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/site"
)

// A sitePage is the data of site.html.
type sitePage struct {
	Site *view.Summary
	More *view.More
	Date string // of the data, YYYY-MM-DD
	Map  bool   // there is a map
}

// site answers the page about a site.
func (p *Pages) site(w http.ResponseWriter, r *http.Request) {
	key, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), view.SitePagePath))
	env := p.Env()
	if err != nil || len(key) > 128 {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	loaded, at, err := env.Locate(key, nil)
	if e, ok := errors.AsType[*api.Error](err); ok {
		p.fail(w, r, e.Status)
		return
	} else if err != nil {
		p.Log.Error("a page failed", "error", err)
		p.fail(w, r, http.StatusInternalServerError)
		return
	}
	var s site.Site
	loaded.Site(at, &s)
	summary, more := view.NewSummary(loaded.Snap, &s), view.NewMore(loaded.Snap, &s)
	w.Header().Set("Cache-Control", "public, max-age=300")
	p.render(w, r, http.StatusOK, "site.html", sitePage{&summary, &more, loaded.Snap.SourceDate, p.Map})
}
