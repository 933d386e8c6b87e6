package cli

import (
	"context"
	"log"
	"log/slog"
	"net/netip"
	"regexp"
	"strings"

	"relais/auth/access"
)

// newErrorLog returns the log of net/http's own messages. Addresses are shortened as in the lines of
// requests. Handshakes that fail are for debugging only: scanners cause thousands of them.
func newErrorLog(to *slog.Logger) *log.Logger { return log.New(errorLog{to}, "", 0) }

type errorLog struct{ to *slog.Logger }

var addressPort = regexp.MustCompile(`\[[0-9A-Fa-f:.%a-z]+\]:\d+|\b\d+\.\d+\.\d+\.\d+:\d+`)

// Write implements io.Writer.
func (l errorLog) Write(line []byte) (int, error) {
	text := addressPort.ReplaceAllStringFunc(strings.TrimSpace(string(line)), func(at string) string {
		addr, _ := netip.ParseAddrPort(at) // the zero address is unknown
		return access.Shorten(addr.Addr())
	})
	level := slog.LevelWarn
	if strings.Contains(text, "TLS handshake error") || strings.HasPrefix(text, "http2: ") {
		level = slog.LevelDebug
	}
	l.to.Log(context.Background(), level, text)
	return len(line), nil
}
