package httpapi

import (
	"context"
	"net/http"
	"time"

	"relais/api"
	"relais/auth/access"
)

// Mount routes a path, which may have gorilla/mux variables, to h for every method. The
// server adds its request id, log and metrics; h decides about other origins and limits.
// Mount must not be called once requests are served.
func (s *Server) Mount(path string, h http.Handler) { s.public.handle(path, anyMethod, mounted{h}) }

// A mounted is the handler of another transport.
type mounted struct{ http.Handler }

func (m mounted) serve(_ *Server, x *exchange) {
	x.mounted, x.sharedCacheable = true, true
	m.ServeHTTP(x, x.r.WithContext(context.WithValue(x.r.Context(), exchangeKey{}, x)))
}

// exchangeKey is the key of the exchange in the context of a mounted handler's request.
type exchangeKey struct{}

// NoteClient notes for the log the client of a request to a mounted handler, nil if it is
// unknown, and why it was refused. ctx is the context of the request.
func NoteClient(ctx context.Context, client *access.Client, refused error) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		x.client, x.refusal = client, refused
	}
}

// Env returns the data as operations see it now.
func (s *Server) Env() *api.Env { return s.env(&exchange{start: time.Now()}) }
