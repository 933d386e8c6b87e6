package web

import "net/http"

// themePath is the path of a style that follows the reader's choice. Pages are the same for everybody,
// so that shared caches may keep them.
const themePath = "/theme.css"

// themeCookie is set by the map's button. Its value is dark or light.
const themeCookie = "theme"

// theme answers the style of the theme that the reader chose, or an empty one.
func theme(w http.ResponseWriter, r *http.Request) {
	style := ""
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "dark" || c.Value == "light") {
		style = ":root { color-scheme: " + c.Value + "; }\n"
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Cookie")
	send(w, r, http.StatusOK, []byte(style))
}
