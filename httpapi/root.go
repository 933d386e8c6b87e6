package httpapi

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"relais/httpapi/ogc"
)

// links answers / of a server without pages.
func links(w *answer, r *request) {
	w.Header().Set("Cache-Control", "public, max-age=300")
	w.writeJSON(http.StatusOK, struct {
		Name  string            `json:"name"`
		Links map[string]string `json:"links"`
	}{"relais", r.server.Links})
}

// dataPaths are the path prefixes below which programs ask, whatever they accept.
var dataPaths = []string{"/external", "/api", MapPath, "/media", ogc.Path}

// wantsPage reports whether a browser asks for a page: it accepts HTML, and programs do not.
func wantsPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if slices.ContainsFunc(dataPaths, func(prefix string) bool {
		return r.URL.Path == prefix || strings.HasPrefix(r.URL.Path, prefix+"/")
	}) {
		return false
	}
	for _, header := range r.Header["Accept"] {
		for part := range strings.SplitSeq(header, ",") {
			kind, params, err := mime.ParseMediaType(part)
			if err == nil && kind == "text/html" && !slices.Contains([]string{"0", "0.0", "0.00", "0.000"}, params["q"]) {
				return true
			}
		}
	}
	return false
}
