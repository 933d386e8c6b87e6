package web

import (
	"bytes"
	"net/http"
	"net/url"
	"sync"

	"relais/httpapi/web/docs"
)

// docsRoutes lists the routes of the documentation.
func (p *Pages) docsRoutes() (routes []Route) {
	if p.Docs == nil {
		return nil
	}
	routes = append(routes, Route{docs.Path, p.documentation(docs.Path, p.Docs.API)})
	if len(p.Docs.Tools) > 0 {
		routes = append(routes, Route{docs.ToolsPath, p.documentation(docs.ToolsPath, p.Docs.ForAssistants)})
	}
	if !p.Map {
		routes = append(routes, Route{"/", p.limited(p.asked, pagesPerMinute, p.toDocs)})
	}
	return routes
}

// docsPolicy also lets the documentation have the scripts of this server.
const docsPolicy = policy + "; script-src 'self'"

// toDocs answers the address of a server without a map.
func (p *Pages) toDocs(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	http.Redirect(w, r, p.URL(docs.Path), http.StatusSeeOther)
}

// documentation answers a page of the documentation. It is made once in each language, when it
// is first asked for.
func (p *Pages) documentation(path string, content func(map[string]string) (docs.Page, error)) http.Handler {
	pages := map[string]func() ([]byte, error){}
	for tag, w := range texts {
		pages[tag] = sync.OnceValues(func() ([]byte, error) { return p.documentationPage(w, path, content) })
	}
	return p.limited(p.asked, pagesPerMinute, func(w http.ResponseWriter, r *http.Request) {
		packed, err := pages[wordsFor(r)["lang"]]()
		if err != nil {
			p.Log.Error("a page failed", "page", path, "error", err)
			p.fail(w, r, http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Vary", "Accept-Language, Accept-Encoding")
		h.Set("Cache-Control", "public, max-age=300")
		p.sendPacked(w, r, path, packed)
	})
}

// documentationPage returns a page of the documentation, compressed with gzip.
func (p *Pages) documentationPage(w words, path string, content func(map[string]string) (docs.Page, error)) ([]byte, error) {
	inner, err := content(w)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = p.templates.ExecuteTemplate(&text, "docs.html",
		page{W: w, Languages: languageLinks(path, url.Values{}), Status: http.StatusOK, Data: inner})
	return pack(text.Bytes()), err
}
