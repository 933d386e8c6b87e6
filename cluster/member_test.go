//go:build linux

package cluster

import (
	"strings"
	"testing"
	"time"
)

func TestWithoutPassword(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"postgres://relais@db1,db2/relais?sslmode=verify-full", "postgres://relais@db1,db2/relais?sslmode=verify-full"},
		{"postgres://relais:hush@db1/relais", "postgres://relais@db1/relais"},
		{"postgres://relais:hush@db1:5432,db2/relais?a=b", "postgres://relais@db1:5432,db2/relais?a=b"},
		{"postgres://relais:h#u?s[h@x@db1/relais", "postgres://relais@db1/relais"},
		{"postgresql://relais@db1/relais?password=hush&sslpassword=hush&a=b", "postgresql://relais@db1/relais?&&a=b"},
		{"postgres://relais:hush@db1/relais?options=a@b", "postgres://relais@db1/relais?options=a@b"},
		{"host=db1 password = 'hu sh' user=relais", "host=db1  user=relais"},
		{"host=db1 sslpassword=hush", "host=db1 "},
	} {
		t.Run(tt.in, func(t *testing.T) {
			if got := withoutPassword(tt.in); got != tt.want || strings.Contains(got, "hush") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Paths that lead out of the two folders are refused.
func TestSharedPath(t *testing.T) {
	for path, want := range map[string]bool{
		"snapshots/FR.snap": true, "sources/FR/manifest.json": true, "sources/FR/2026/a.zst": true,
		"secret.key": false, "snapshots/../secret.key": false, "sources/../cluster.json": false, "/snapshots/x": false,
		"snapshots//x": false, "snapshots/./x": false, "snapshots/": false, "": false,
	} {
		if got := sharedPath(path); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
}

// A node that gets what was missing, while there is always something new, is not behind.
func TestBehind(t *testing.T) {
	var s state
	longest := func() time.Duration { return time.Since(s.lag["x"].since) }
	s.setLag("x", 5, 6)
	s.lag["x"] = lag{commits: 1, since: time.Now().Add(-time.Minute), goal: 6}
	s.setLag("x", 5, 9)
	if longest() < time.Minute {
		t.Error("commit 6 is still missing, and the lag began again")
	}
	s.setLag("x", 6, 9)
	if longest() > time.Minute/2 || s.lag["x"].commits != 3 {
		t.Errorf("got %+v after commit 6 came, want a new beginning and 3 commits", s.lag["x"])
	}
	if s.setLag("x", 9, 9); !s.lag["x"].since.IsZero() {
		t.Errorf("got %+v at the end, want no lag", s.lag["x"])
	}
}
