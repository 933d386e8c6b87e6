package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestErrorLog(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"http: TLS handshake error from 203.0.113.77:5021: EOF", `level=DEBUG msg="http: TLS handshake error from 203.0.113.0/24: EOF"`},
		{"http: TLS handshake error from [2001:db8:1:2::77]:5021: EOF", "from 2001:db8:1::/48: EOF"},
		{"http2: server: error reading preface from client 203.0.113.77:5021: timeout", "level=DEBUG"},
		{"http: panic serving 203.0.113.77:5021: bug", `level=WARN msg="http: panic serving 203.0.113.0/24: bug"`},
		{"http: Accept error: too many open files; retrying in 5ms", "level=WARN"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			var text bytes.Buffer
			log := newErrorLog(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})))
			log.Println(tt.line)
			if !strings.Contains(text.String(), tt.want) || strings.Contains(text.String(), "77") {
				t.Errorf("got %s, want %s, and no whole address", &text, tt.want)
			}
		})
	}
}
