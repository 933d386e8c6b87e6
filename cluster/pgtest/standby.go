//go:build linux

package pgtest

import (
	"fmt"
	"sync/atomic"
	"time"
)

// standbys counts them, for their names.
var standbys atomic.Int64

// Standby makes a copy of s that follows it, and returns when it does. With sync s acknowledges
// no commit before the copy has it on its disk.
func (s *Server) Standby(sync bool) *Server {
	s.t.Helper()
	b := &Server{t: s.t, name: fmt.Sprint("standby", standbys.Add(1)), folder: newFolder(s.t)}
	if err := giveAway(b.folder); err != nil {
		s.t.Fatal(err)
	}
	from := fmt.Sprintf("host=127.0.0.1 port=%d user=postgres application_name=%s", s.port, b.name)
	err := runAs("pg_basebackup", "-D", b.data(), "-d", from, "-R", "-X", "stream", "-c", "fast", "--no-sync")
	if err != nil {
		s.t.Fatal(err)
	}
	b.begin()
	b.SetSynchronous(nil) // which was copied
	if sync {
		s.SetSynchronous(b)
	}
	state := "streaming|async"
	if sync {
		state = "streaming|sync"
	}
	query := fmt.Sprintf("SELECT state, sync_state FROM pg_stat_replication WHERE application_name = '%s'", b.name)
	for end := time.Now().Add(patience); s.Query("postgres", query) != state; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("the standby does not follow: got %q, want %q", s.Query("postgres", query), state)
		}
	}
	return b
}

// SetSynchronous makes s wait for a standby at each commit, or for none if it is nil.
func (s *Server) SetSynchronous(standby *Server) {
	s.t.Helper()
	name := ""
	if standby != nil {
		name = standby.name
	}
	s.Query("postgres", fmt.Sprintf("ALTER SYSTEM SET synchronous_standby_names = '%s'", name))
	s.Query("postgres", "SELECT pg_reload_conf()")
}

// Promote makes a standby take writes, and returns when it does. It waits for no standby of its own.
func (s *Server) Promote() {
	s.t.Helper()
	if got := s.Query("postgres", "SELECT pg_promote(true, 60)"); got != "t" {
		s.t.Fatalf("the standby is not promoted: got %q, want t", got)
	}
}
