package httpapi

import (
	"net/http"
	"time"

	"relais/access"
	"relais/ops"
)

// Mount has a path, with gorilla/mux's variables in it, answered by h for every method,
// under the server's request id, log and metrics. What h allows other origins, and how
// often it may be asked, is its own business. All is mounted before the first request.
func (s *Server) Mount(path string, h http.Handler) { s.public.handle(path, anyMethod, mounted{h}) }

// A mounted handler is another transport's.
type mounted struct{ http.Handler }

func (m mounted) serve(_ *Server, x *exchange) {
	x.foreign, x.public = true, true
	m.ServeHTTP(x, x.r)
}

// Known notes, for the log, which API client a mounted handler was asked by, as far as it
// is known, and why it was refused.
func Known(w http.ResponseWriter, client *access.Client, refused error) {
	if x, ok := w.(*exchange); ok {
		x.client, x.why = client, refused
	}
}

// Whole says that a mounted handler's answer is sent as one piece when the handler is done,
// and no earlier: that of a handler which streams must not be.
func Whole(w http.ResponseWriter) {
	if x, ok := w.(*exchange); ok {
		x.whole = true
	}
}

// Reading is what operations see at this moment.
func (s *Server) Reading() *ops.Reading { return s.reading(&exchange{start: time.Now()}) }
