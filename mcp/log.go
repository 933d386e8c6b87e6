package mcp

import (
	"context"
	"log/slog"
)

// quiet returns the logger for the SDK. It drops what the SDK says of each session. What the
// SDK warns of are mistakes of clients and no trouble of the server: these become information.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(quietHandler{log.Handler()})
}

// A quietHandler passes on warnings and errors only, as information.
type quietHandler struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, slog.LevelInfo)
}

// Handle implements slog.Handler.
func (q quietHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelInfo
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (q quietHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietHandler{q.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (q quietHandler) WithGroup(name string) slog.Handler {
	return quietHandler{q.Handler.WithGroup(name)}
}
