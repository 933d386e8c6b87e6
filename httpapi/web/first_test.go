package web

import (
	"net/http"
	"strings"
	"testing"

	"relais/api"
	"relais/catalog"
	"relais/index"
	"relais/market"
)

// Without a register / says what to do next, and names the folder only to the operator.
func TestFirstPage(t *testing.T) {
	const path = "/home/ana's data/relais"
	for _, tt := range []struct {
		name, target string
		set          *index.Set
		local        bool
		updating     bool
		status       int
		retry        string
		has, lacks   []string
	}{
		{name: "loading", target: "/", status: 503, retry: "2", has: []string{"still loading"},
			lacks: []string{"relais ingest"}},
		{name: "empty", target: "/", set: index.NewSet(nil, nil), status: 503, retry: "30", has: []string{
			"relais update --data DIR<", "relais ingest --data DIR FR,DROM", "relais demo", "DIR is the data folder"},
			lacks: []string{"/home", "<script"}},
		{name: "for the operator", target: "/map", set: index.NewSet(nil, nil), local: true, status: 503, retry: "30",
			has:   []string{"relais update --data &#39;/home/ana&#39;\\&#39;&#39;s data/relais&#39;<"},
			lacks: []string{"DIR"}},
		{name: "in French", target: "/?lang=fr", set: index.NewSet(nil, nil), status: 503, retry: "30",
			has: []string{`<html lang="fr">`, "relais update --data DIR<", "Rechargez cette page"}, lacks: []string{"Reload"}},
		{name: "updating", target: "/", set: index.NewSet(nil, nil), updating: true, status: 503, retry: "30",
			has: []string{"is downloading the registers"}},
		{name: "damaged", target: "/", set: index.NewSet(nil, map[market.Code]string{"FR": "/home/ana: checksum"}),
			status: 503, retry: "30", has: []string{"cannot be loaded: FR.", "relais check --data DIR<"},
			lacks: []string{"/home"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pagesAbout(true)
			p.Env = func() *api.Env { return &api.Env{Catalog: catalog.Catalog{Set: tt.set}} }
			p.Folder = func(*http.Request) string {
				if tt.local {
					return path
				}
				return ""
			}
			p.Updating = func() bool { return tt.updating }
			w := ask(p, "GET", tt.target)
			if w.Code != tt.status || w.Header().Get("Retry-After") != tt.retry ||
				w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("status %d, headers %v; want %d, Retry-After %s, no-store", w.Code, w.Header(), tt.status, tt.retry)
			}
			for _, text := range tt.has {
				if !strings.Contains(w.Body.String(), text) {
					t.Errorf("the page lacks %q:\n%s", text, w.Body)
				}
			}
			for _, text := range tt.lacks {
				if strings.Contains(w.Body.String(), text) {
					t.Errorf("the page has %q:\n%s", text, w.Body)
				}
			}
		})
	}
}

func TestQuoted(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"/var/lib/relais", "/var/lib/relais"}, {"/home/zoé/d", "/home/zoé/d"}, {"/a b", "'/a b'"},
		{"/a'b", `'/a'\''b'`}, {"/$(x)", "'/$(x)'"}, {"", "''"},
	} {
		if got := quoted(tt.path); got != tt.want {
			t.Errorf("quoted(%q) = %s, want %s", tt.path, got, tt.want)
		}
	}
}
