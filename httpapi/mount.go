package httpapi

import (
	"context"
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
	x.mounted, x.sharedCacheable = true, true
	m.ServeHTTP(x, x.r.WithContext(context.WithValue(x.r.Context(), exchangeKey{}, x)))
}

// exchangeKey is the key of the exchange in the context of a mounted handler's request.
type exchangeKey struct{}

// NoteClient notes, for the log, the API client of a mounted handler's request, as far as it
// is known, and why it was refused. ctx is the context of the request.
func NoteClient(ctx context.Context, client *access.Client, refused error) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		x.client, x.refusal = client, refused
	}
}

// Env is what operations see at this moment.
func (s *Server) Env() *ops.Env { return s.env(&exchange{start: time.Now()}) }
