//go:build linux

package pgtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Bouncer starts a pgbouncer in transaction mode before s, and returns the connection string of a
// database through it. The test is skipped where pgbouncer is missing.
func (s *Server) Bouncer(database string) string {
	s.t.Helper()
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		s.t.Skip("needs pgbouncer: ", err)
	}
	folder, port := newFolder(s.t), FreePort(s.t)
	settings := filepath.Join(folder, "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
`, s.port, port)
	text = strings.Replace(text, "* = host", "* = user=postgres host", 1)
	if err := os.WriteFile(settings, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := giveAway(folder); err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(path, settings)
	cmd.Dir, cmd.SysProcAttr = folder, &syscall.SysProcAttr{Credential: owner()}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if s.t.Failed() {
			s.t.Logf("pgbouncer:\n%s", out.String())
		}
	})
	addr := net.JoinHostPort("127.0.0.1", fmt.Sprint(port))
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			break
		}
		if time.Now().After(end) {
			s.t.Fatalf("pgbouncer does not listen: %v", err)
		}
	}
	return URL(database, addr)
}
