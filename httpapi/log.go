package httpapi

import (
	"context"
	"log/slog"
	"time"

	"relais/access"
)

// note writes the request's line in the log: never the key, the query or, unless
// it is asked for, the whole address.
func (s *Server) note(x *exchange) {
	client := ""
	if x.client != nil {
		client = x.client.ID
	}
	address := access.Shorten(x.address)
	if s.FullAddress {
		address = x.address.String()
	}
	line := [...]slog.Attr{
		slog.String("id", x.id), slog.String("client", client), slog.String("method", x.r.Method), slog.String("route", x.route),
		slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Duration("took", time.Since(x.start).Round(time.Microsecond)),
		slog.String("address", address), slog.Any("refused", x.why),
	}
	attrs := line[:]
	if x.why == nil {
		attrs = line[:len(line)-1]
	}
	s.Requests.LogAttrs(context.Background(), slog.LevelInfo, "request", attrs...)
}
