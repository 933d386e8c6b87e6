package cli

import (
	"bufio"
	"context"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"relais/auth/access"
)

// At a terminal no line of a table is wider than the screen, and nothing of its cells is lost.
func TestTableAtTerminal(t *testing.T) {
	const width, id, end = 90, "01a20a88-98f2-7d51-a3f0-0f2a5c2d7b11", "END"
	person, screen := terminal(t)
	must(t, unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 25, Col: width}))
	list := []*access.Client{{ID: id, Name: "Web map", Mode: access.Server, Scopes: []access.Scope{"antennas:read",
		"stats:read", "anfr:read"}, Limits: access.DefaultLimits}}
	must(t, printClients(screen, list))
	if _, err := screen.WriteString(end + "\n"); err != nil {
		t.Fatal(err)
	}
	var first strings.Builder // what stands in the column of the id
	for lines := bufio.NewScanner(person); lines.Scan() && lines.Text() != end; {
		if n := utf8.RuneCountInString(lines.Text()); n > width {
			t.Errorf("a line of %d characters, want at most %d: %s", n, width, lines.Text())
		}
		cell, _, _ := strings.Cut(lines.Text(), " ")
		first.WriteString(cell)
	}
	if first.String() != "ID"+id {
		t.Errorf("the column of the id has %q, want the whole %s", &first, id)
	}
}

// At a terminal requests are logged for debugging only.
func TestRequestsAtTerminal(t *testing.T) {
	_, screen := terminal(t)
	for _, tt := range []struct {
		level    logLevel
		terminal bool
		want     bool
	}{{"info", true, false}, {"debug", true, true}, {"info", false, true}, {"warn", false, false}} {
		f := logFlags{Log: "text", LogLevel: tt.level}
		log, flush := f.newRequestLog(&strings.Builder{})
		if tt.terminal {
			flush()
			log, flush = f.newRequestLog(screen)
		}
		if got := log.Enabled(context.Background(), slog.LevelInfo); got != tt.want {
			t.Errorf("with the level %s, at a terminal = %t: requests are logged = %t, want %t", tt.level, tt.terminal, got,
				tt.want)
		}
		flush()
	}
}
