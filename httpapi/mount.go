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

func (m mounted) serve(w *answer, r *request) {
	w.mounted, w.shared = true, true
	m.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, w)))
}

// contextKey is the key of the answer in the context of a mounted handler's request.
type contextKey struct{}

// NoteClient notes for the log the client of a request to a mounted handler, nil if it is
// unknown, and why it was refused. ctx is the context of the request.
func NoteClient(ctx context.Context, client *access.Client, refused error) {
	if w, ok := ctx.Value(contextKey{}).(*answer); ok {
		w.request.client, w.refusal = client, refused
	}
}

// Env returns the data as operations see it now.
func (s *Server) Env() *api.Env { return (&request{server: s, start: time.Now()}).env() }
