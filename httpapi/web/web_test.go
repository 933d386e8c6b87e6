package web

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"

	"relais/api"
	"relais/api/endpoint"
	"relais/catalog"
	"relais/httpapi/web/docs"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
)

func pagesOf(t *testing.T) (*Pages, string) {
	t.Helper()
	set, err := indextest.Country(100)
	if err != nil {
		t.Fatal(err)
	}
	address := func(r *http.Request) netip.Addr { return netip.MustParseAddrPort(r.RemoteAddr).Addr() }
	fr := set.Market(market.FR)
	env := func() *api.Env { return &api.Env{Catalog: catalog.Catalog{Set: set}} }
	return New(Options{Env: env, Address: address, Log: slog.New(slog.DiscardHandler), Map: true}),
		index.Key(market.FR, fr.Snap.ID(0))
}

func ask(p *Pages, method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, routes := httptest.NewRecorder(), mux.NewRouter().UseEncodedPath()
	for _, route := range p.Routes() {
		routes.Handle(route.Path, route.Handler)
	}
	routes.ServeHTTP(w, r)
	return w
}

func TestSitePage(t *testing.T) {
	p, key := pagesOf(t)
	w := ask(p, "GET", "/site/"+key)
	for _, want := range []string{"<html lang=\"en\">", key, "Statuses, dates and sectors by operator", "SYNTHETIC"} {
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("status %d, %q is missing:\n%s, want 200 and %q in it", w.Code, want, w.Body, want)
		}
	}
	for _, tt := range []struct{ accepted, lang, says string }{
		{"fr-CA, en;q=0.5", "fr", "Statuts, dates et secteurs par opérateur"},
		{"nl-BE,nl;q=0.9,fr;q=0.8", "nl", "Statussen, datums en sectoren per operator"},
		{"de-CH", "de", "Status, Daten und Sektoren nach Betreiber"},
	} {
		page := ask(p, "GET", "/site/"+key, "Accept-Language", tt.accepted).Body.String()
		for _, want := range []string{`<html lang="` + tt.lang + `">`, tt.says, `hreflang="de" href="/site/` + key + `?lang=de"`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s in the page", tt.accepted, want)
			}
		}
	}
	if w := ask(p, "HEAD", "/site/"+key); w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("HEAD: status %d, %d bytes; want 200 without a body", w.Code, w.Body.Len())
	}
}

func TestPageLimit(t *testing.T) {
	p, key := pagesOf(t)
	if left := 60 - time.Now().Second(); left < 3 {
		time.Sleep(time.Duration(left) * time.Second)
	}
	for range pagesPerMinute {
		ask(p, "GET", "/site/"+key)
	}
	if w := ask(p, "GET", "/site/"+key); w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("page %d: status %d, want 429 with Retry-After", pagesPerMinute+1, w.Code)
	}
}

// The documentation is in the reader's language, without scripts in it, and the same with and without
// compression.
func TestDocumentation(t *testing.T) {
	p, _ := pagesOf(t)
	p.Docs = &docs.Docs{BaseURL: "http://relais.test", Tools: []docs.Tool{{Decl: endpoint.Decl{Name: "a_tool"}}}}
	for _, path := range []string{"/docs", "/docs/tools"} {
		w := ask(p, "GET", path, "Accept-Language", "fr-CA, en;q=0.5")
		for _, want := range []string{`<html lang="fr">`, `href="` + path + `?lang=en"`, "Assistants"} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: status %d, %q is missing", path, w.Code, want)
			}
		}
		text := strings.Replace(w.Body.String(), `<script type="module" src="/map/a/`, "", 1)
		if strings.Contains(text, "<script") || strings.Contains(text, ` style="`) ||
			w.Header().Get("Content-Security-Policy") != docsPolicy {
			t.Errorf("%s has scripts or styles in it, or another policy: %q", path, w.Header())
		}
		packed := ask(p, "GET", path+"?lang=fr", "Accept-Encoding", "gzip")
		plain, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(plain); err != nil || string(text) != w.Body.String() {
			t.Errorf("%s: compressed it is another page, %v", path, err)
		}
		if w := ask(p, "HEAD", path); w.Code != 200 || w.Body.Len() != 0 {
			t.Errorf("HEAD %s: status %d, %d bytes; want 200 without a body", path, w.Code, w.Body.Len())
		}
	}
	if w := ask(p, "GET", "/docs?lang=%22%3E%3Cscript%3E"); strings.Contains(w.Body.String(), "<script>") {
		t.Error("the page repeats a parameter")
	}
	p.Map = false
	if w := ask(p, "GET", "/"); w.Code != 303 || w.Header().Get("Location") != "/docs" {
		t.Errorf("without a map: status %d, location %q; want 303 to /docs", w.Code, w.Header().Get("Location"))
	}
}

// The links to other languages lead to this server, whatever path was asked for.
func TestLanguageLinks(t *testing.T) {
	for _, tt := range []struct{ path, query, want string }{
		{"/site/fr-1", "", "site/fr-1?lang=de"},
		{"/", "lang=fr&q=a", "?lang=de&q=a"},
		{"//evil.example/login", "", "evil.example/login?lang=de"},
		{"///evil.example", "", "evil.example?lang=de"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			query, err := url.ParseQuery(tt.query)
			links := languageLinks(tt.path, query)
			if last := links[len(links)-1]; err != nil || len(links) != 4 || last.Name != "Deutsch" || last.Path != tt.want {
				t.Errorf("languageLinks = %v, %v; want the last of 4 to be Deutsch at %q", links, err, tt.want)
			}
			if got := query.Encode(); got != tt.query {
				t.Errorf("the query became %q, want %q", got, tt.query)
			}
		})
	}
}
