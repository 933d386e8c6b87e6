//go:build linux

package pgtest

import (
	"strings"
	"testing"

	"relais/internal/tier"
)

// What was committed before a kill of all processes is there after a restart.
func TestKill(t *testing.T) {
	tier.Slow(t)
	s := Start(t)
	s.CreateDatabase("relais")
	s.Query("relais", "CREATE TABLE t (n int)")
	for _, end := range []struct {
		name string
		end  func()
	}{{"kill", s.Kill}, {"stop", s.Stop}, {"kill again", s.Kill}} {
		t.Run(end.name, func(t *testing.T) {
			s.Query("relais", "INSERT INTO t VALUES (1)")
			pid := s.run.cmd.Process.Pid
			children := childrenOf(pid)
			if len(children) < 3 {
				t.Errorf("the postmaster has %d children, want the writers at least", len(children))
			}
			end.end()
			for _, child := range append(children, pid) {
				if _, state, ok := stat(child); ok && state != "Z" {
					t.Errorf("process %d is in state %s, want it gone", child, state)
				}
			}
			if _, err := s.TryQuery("relais", "SELECT 1"); err == nil {
				t.Error("a stopped server answers")
			}
			s.Restart()
		})
	}
	if got, want := s.Query("relais", "SELECT count(*) FROM t"), "3"; got != want {
		t.Errorf("got %s rows, want %s", got, want)
	}
	if got, want := s.Query("relais", "SHOW fsync"), "on"; got != want {
		t.Errorf("fsync is %s, want %s", got, want)
	}
}

// A synchronous standby has what was acknowledged, and is written to once promoted.
func TestPromote(t *testing.T) {
	tier.Slow(t)
	primary := Start(t)
	primary.CreateDatabase("relais")
	primary.Query("relais", "CREATE TABLE t (n int)")
	for round := range 2 {
		standby := primary.Standby(true)
		primary.Query("relais", "INSERT INTO t VALUES (1)")
		if _, err := standby.TryQuery("relais", "INSERT INTO t VALUES (2)"); err == nil {
			t.Error("a standby takes writes")
		}
		primary.Kill()
		standby.Promote()
		standby.Query("relais", "INSERT INTO t VALUES (3)")
		got := standby.Query("relais", "SELECT count(*), sum(n) FROM t")
		if want := []string{"2|4", "4|8"}[round]; got != want {
			t.Errorf("round %d: got %s, want %s", round, got, want)
		}
		primary = standby
	}
}

// An asynchronous standby that did not get a commit loses it.
func TestAsynchronous(t *testing.T) {
	tier.Slow(t)
	primary := Start(t)
	primary.CreateDatabase("relais")
	primary.Query("relais", "CREATE TABLE t (n int)")
	standby := primary.Standby(false)
	standby.Stop()
	primary.Query("relais", "INSERT INTO t VALUES (1)")
	primary.Kill()
	standby.Restart()
	standby.Promote()
	if got, want := standby.Query("relais", "SELECT count(*) FROM t"), "0"; got != want {
		t.Errorf("got %s rows, want %s", got, want)
	}
}

func TestURL(t *testing.T) {
	a, b := &Server{port: 15001}, &Server{port: 15002}
	if got, want := a.URL("relais"), "postgres://postgres@127.0.0.1:15001/relais"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got := a.URL("relais", b)
	if want := "postgres://postgres@127.0.0.1:15001,127.0.0.1:15002/relais?target_session_attrs=read-write"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// psql understands the connection strings, also the one that leads to the server that takes writes.
func TestURLOfTwo(t *testing.T) {
	tier.Slow(t)
	primary := Start(t)
	standby := primary.Standby(true)
	for _, s := range []*Server{primary, standby} {
		psql, err := program("psql")
		if err != nil {
			t.Skip(err)
		}
		out, err := output(psql, "-XqAt", "-d", s.URL("postgres", primary), "-c", "SHOW cluster_name")
		if got := strings.TrimSpace(out); err != nil || got != "primary" {
			t.Errorf("got %q and %v, want the name of the primary", got, err)
		}
	}
}
