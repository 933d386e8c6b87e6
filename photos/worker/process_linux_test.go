package worker

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Where the link in /proc cannot be started, the program is found by its path.
func TestProgramByPath(t *testing.T) {
	p := New(Options{Program: []string{"/proc/self/missing", command}, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(p.Close)
	if _, _, err := p.ask("hash"); err != nil {
		t.Error(err)
	}
	other := New(Options{Program: []string{"/nonexistent/relais", command}, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(other.Close)
	if _, _, err := other.ask("hash"); err == nil {
		t.Error("a program that is elsewhere was started")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	p := newPool(t, Options{})
	a, _, err := p.ask("hash")
	must(t, err)
	limits, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(a.PID), "limits"))
	if err != nil {
		t.Skip("no /proc")
	}
	for line := range strings.Lines(string(limits)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "Max data size") &&
			f[3] != strconv.Itoa(testMemory+unused) {
			t.Errorf("got %s, want %d", line, testMemory+unused)
		}
	}
}
