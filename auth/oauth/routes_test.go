package oauth

import (
	"net/http"
	"strings"
	"testing"
)

func TestRoutes(t *testing.T) {
	w := newWorld(t)
	paths := map[string]bool{}
	for _, route := range w.Routes() {
		paths[route.Path] = true
		allow := "POST, OPTIONS"
		if route.Path == authorizePath {
			allow = "GET, HEAD, POST"
		} else if strings.HasPrefix(route.Path, "/.well-known/") {
			allow = "GET, HEAD, OPTIONS"
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"} {
			a := w.do(method, route.Path, "")
			allowed := strings.Contains(allow, method)
			if (a.StatusCode == http.StatusMethodNotAllowed) == allowed ||
				!allowed && a.Header.Get("Allow") != allow {
				t.Errorf("%s %s: got %d, Allow %q, want %s", method, route.Path, a.StatusCode, a.Header.Get("Allow"),
					allow)
			}
			open := route.Path != authorizePath
			if a.Header.Get("Cache-Control") != "no-store" ||
				(a.Header.Get("Access-Control-Allow-Origin") == "*") != open ||
				a.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s %s: got %v, want no-store, open to all: %v", method, route.Path, a.Header, open)
			}
			if method == "OPTIONS" && open &&
				(a.StatusCode != http.StatusNoContent ||
					!strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "MCP-Protocol-Version")) {
				t.Errorf("preflight of %s: got %d %v, want %d with MCP-Protocol-Version", route.Path, a.StatusCode,
					a.Header, http.StatusNoContent)
			}
		}
	}
	for _, path := range []string{
		"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/antennes",
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
		"/.well-known/oauth-protected-resource/antennes/mcp", "/oauth/authorize", "/oauth/token", "/oauth/revoke",
		"/oauth/register",
	} {
		if !paths[path] {
			t.Errorf("the routes lack %s", path)
		}
	}
	if a := w.do("GET", "/oauth/authorize/", ""); a.StatusCode != http.StatusNotFound {
		t.Errorf("got %d, want %d", a.StatusCode, http.StatusNotFound)
	}
	for _, wrong := range []string{"", "www.example", "https://www.example/", "https://www.example?x", "ftp://x",
		"https://u@www.example", "https://"} {
		if _, err := New(Options{BaseURL: wrong}); err == nil {
			t.Errorf("the base URL %q is taken", wrong)
		}
	}
	if h, err := New(Options{BaseURL: "http://127.0.0.1:8080"}); err != nil || len(h.Routes()) != 7 ||
		h.ResourceMetadataURL() != "http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp" {
		t.Errorf("without a prefix: got %v, want 7 routes and the metadata at the root", err)
	}
}
