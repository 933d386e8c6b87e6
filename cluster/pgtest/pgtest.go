//go:build linux

// Package pgtest starts the PostgreSQL of the machine for tests, with standbys, and breaks it and
// the way to it. It knows nothing of relais.
package pgtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience bounds what the package waits for: a server that starts, stops or recovers.
const patience = 2 * time.Minute

// A Server is a PostgreSQL with a folder and a port of its own on 127.0.0.1. Its role postgres
// needs no password. It writes to the disk as in production.
type Server struct {
	t      testing.TB
	name   string
	folder string // holds data and log
	port   int
	run    *process // nil while it is stopped
}

// Start starts a server with an empty database, and stops it when the test ends. The test is
// skipped where PostgreSQL is missing.
func Start(t testing.TB) *Server {
	t.Helper()
	Need(t)
	s := &Server{t: t, name: "primary", folder: newFolder(t)}
	files, err := template()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(s.data(), files); err != nil {
		t.Fatal(err)
	}
	s.begin()
	return s
}

// Need skips the test where PostgreSQL is missing.
func Need(t testing.TB) {
	t.Helper()
	if _, err := program("initdb"); err != nil {
		t.Skip("needs PostgreSQL (apt install postgresql): ", err)
	}
}

// begin gives the new folder of s to the user that runs it, and starts s on a port.
func (s *Server) begin() {
	s.t.Helper()
	if err := giveAway(s.folder); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if s.run != nil {
			s.Kill()
		}
		if s.t.Failed() {
			s.t.Logf("the end of the log of PostgreSQL (%s):\n%s", s.name, s.logTail())
		}
	})
	s.port = FreePort(s.t)
	s.Restart()
}

// Addr returns the address at which s listens, also while it is stopped.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// URL returns the connection string of a database of s and of others, the first that takes writes.
func (s *Server) URL(database string, others ...*Server) string {
	hosts := s.Addr()
	for _, o := range others {
		hosts += "," + o.Addr()
	}
	return URL(database, hosts)
}

// URL returns the connection string of a database at hosts, such as those of relays. Commas
// separate them.
func URL(database, hosts string) string {
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Host: hosts, Path: "/" + database}
	if strings.Contains(hosts, ",") {
		u.RawQuery = "target_session_attrs=read-write"
	}
	return u.String() // sslmode is left out: clients try TLS first, which s refuses
}

// CreateDatabase makes an empty database and returns its connection string.
func (s *Server) CreateDatabase(name string) string {
	s.t.Helper()
	s.Query("postgres", fmt.Sprintf("CREATE DATABASE %q", name))
	return s.URL(name)
}

// Query runs SQL in a database and returns the rows, one a line, with | between columns.
func (s *Server) Query(database, sql string) string {
	s.t.Helper()
	out, err := s.TryQuery(database, sql)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// TryQuery is Query for statements that may fail.
func (s *Server) TryQuery(database, sql string) (string, error) {
	psql, err := program("psql")
	if err != nil {
		return "", err
	}
	cmd := exec.Command(psql, "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", s.URL(database), "-c", sql)
	cmd.Env = append(os.Environ(), "PGCONNECT_TIMEOUT=10")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s on %s: %w: %s", sql, s.name, err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

// Restart starts s where it was stopped or killed, and returns when it takes connections.
func (s *Server) Restart() {
	s.t.Helper()
	if s.run != nil {
		s.Stop()
	}
	run, err := s.launch()
	if err != nil {
		s.t.Fatal(err)
	}
	s.run = run
	for end := time.Now().Add(patience); !s.ready(); time.Sleep(20 * time.Millisecond) {
		if run.ended() || time.Now().After(end) {
			s.t.Fatalf("PostgreSQL (%s) does not start:\n%s", s.name, s.logTail())
		}
	}
}

// Stop stops s as its operator would. Connections are closed.
func (s *Server) Stop() {
	s.t.Helper()
	if err := s.run.interrupt(); err != nil {
		s.t.Fatal(err)
	}
	s.run = nil
}

// Kill ends all processes of s at once by SIGKILL. Restart makes it recover.
func (s *Server) Kill() {
	s.t.Helper()
	if err := s.run.kill(); err != nil {
		s.t.Fatal(err)
	}
	s.run = nil
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// ready reports whether s takes connections.
func (s *Server) ready() bool {
	bin, err := program("pg_isready")
	args := []string{"-q", "-U", "postgres", "-h", "127.0.0.1", "-p", strconv.Itoa(s.port)}
	return err == nil && exec.Command(bin, args...).Run() == nil
}

// logTail returns the last lines of the log.
func (s *Server) logTail() string {
	text, err := os.ReadFile(filepath.Join(s.folder, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// FreePort returns a port of 127.0.0.1 that nobody listens on. It is below those that outgoing
// connections take, so that it stays free while a server is killed and started again.
func FreePort(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := 15000 + rand.IntN(15000)
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}
