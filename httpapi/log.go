package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"relais/auth/access"
)

// logRequest logs the request, without the key, the query or, by default, the whole
// address. Repeated refusals of one caller get few lines, and so do very many answers without a key.
// What monitoring asks for is logged for debugging only.
func (s *Server) logRequest(w *answer, took time.Duration) {
	r := w.request
	ctx, h := context.Background(), s.Requests.Handler()
	level := slog.LevelInfo
	if r.forMonitoring() && !w.refused() {
		level = slog.LevelDebug
	}
	if !h.Enabled(ctx, level) {
		return
	}
	if f := s.floodOf(w); f != nil {
		ok, leftOut := f.allows(r.caller(), r.start.Add(took))
		if leftOut > 0 {
			s.Log.Warn("lines of "+f.what+" were left out of the log: the metrics count all of them", "lines", leftOut)
		}
		if !ok {
			return
		}
	}
	client, name := "", ""
	if r.client != nil {
		client, name = r.client.ID, r.client.Name
	}
	address := access.Shorten(r.address)
	if s.FullAddress {
		address = r.address.String()
	}
	line := slog.NewRecord(r.start.Add(took), level, "request", 0) // a Logger would look for the line of code
	line.AddAttrs(slog.String("id", r.id), slog.String("client", client), slog.String("name", name),
		slog.String("method", method(r.Method)),
		slog.String("route", r.route),
		slog.Int("status", w.status), slog.Int64("bytes", w.bytes), slog.Duration("took", took.Round(time.Microsecond)),
		slog.String("address", address))
	if w.tools != "" {
		line.AddAttrs(slog.String("tool", w.tools))
	}
	if w.refusal != nil {
		line.AddAttrs(slog.Any("refused", w.refusal))
	}
	_ = h.Handle(ctx, line) // the server goes on without its log
}

// method returns the method for the log. An unknown one can be as long as a header.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodPut, http.MethodPatch,
		http.MethodDelete:
		return m
	}
	return "other"
}
