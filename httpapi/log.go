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
func (s *Server) logRequest(x *exchange, took time.Duration) {
	ctx, h := context.Background(), s.Requests.Handler()
	level := slog.LevelInfo
	if x.forMonitoring() && !x.refused() {
		level = slog.LevelDebug
	}
	if !h.Enabled(ctx, level) {
		return
	}
	if f := s.floodOf(x); f != nil {
		ok, leftOut := f.allows(x.caller(), x.start.Add(took))
		if leftOut > 0 {
			s.Log.Warn("lines of "+f.what+" were left out of the log: the metrics count all of them", "lines", leftOut)
		}
		if !ok {
			return
		}
	}
	client, name := "", ""
	if x.client != nil {
		client, name = x.client.ID, x.client.Name
	}
	address := access.Shorten(x.address)
	if s.FullAddress {
		address = x.address.String()
	}
	line := slog.NewRecord(x.start.Add(took), level, "request", 0) // a Logger would look for the line of code
	line.AddAttrs(slog.String("id", x.id), slog.String("client", client), slog.String("name", name),
		slog.String("method", method(x.r.Method)),
		slog.String("route", x.route),
		slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Duration("took", took.Round(time.Microsecond)),
		slog.String("address", address))
	if x.tools != "" {
		line.AddAttrs(slog.String("tool", x.tools))
	}
	if x.refusal != nil {
		line.AddAttrs(slog.Any("refused", x.refusal))
	}
	_ = h.Handle(ctx, line) // the server goes on without its log
}

// forMonitoring reports whether a request is one of those that come every few seconds.
func (x *exchange) forMonitoring() bool {
	return x.route == healthPath || x.route == readyPath || x.route == metricsPath
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
