package httpapi

import (
	"context"
	"net/http"
	"time"

	"relais/api"
	"relais/auth/access"
	"relais/internal/admit"
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

// Reserve reserves memory for the request of a mounted handler until its answer ends, as for an answer, and reports
// whether there is room for it. ctx is the context of the request.
func Reserve(ctx context.Context, bytes int64) bool {
	w, ok := ctx.Value(contextKey{}).(*answer)
	return ok && w.reserve(admit.Cost{Bytes: bytes})
}

// Turn waits until a mounted handler may compute something large for the request of ctx. Pause of the turn ends it.
// Its errors are api.ErrTooManyWaiting and the context's.
func (s *Server) Turn(ctx context.Context) (*admit.Turn, error) {
	w, ok := ctx.Value(contextKey{}).(*answer)
	if !ok {
		return nil, api.ErrTooManyWaiting
	}
	return begin(ctx, s.large, one(w.request.payer()...))
}

// Env returns the data as operations see it now.
func (s *Server) Env() *api.Env { return (&request{server: s, start: time.Now()}).env() }
