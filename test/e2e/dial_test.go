//go:build linux

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// An ordinary server, which does not update, opens no connection of its own: the kernel says so.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace: ", err)
	}
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	s, _ := demonstrate(t, filepath.Join(dir, "demo"), func(cmd *exec.Cmd) {
		cmd.Args = append([]string{strace, "-D", "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect,listen", "-o", calls, cmd.Path},
			cmd.Args[1:]...)
		cmd.Path = strace
	})
	for _, path := range []string{"/external/v1/antennas?limit=5", "/external/v1/outages", "/external/v1/coverage/points"} {
		if err := s.succeeds(path); err != nil {
			t.Error(err)
		}
	}
	s.stop()
	text := filetest.Read(t, calls)
	if !strings.Contains(string(text), "listen(") {
		t.Fatalf("strace has seen nothing: %s", text)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "connect(") && !strings.Contains(line, "AF_UNIX") {
			t.Errorf("a connection was opened: %s", line)
		}
	}
}
