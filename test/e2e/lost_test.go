//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// segments are the files of measures of a folder.
func segments(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "measures", "*.seg"))
	if err != nil || len(names) == 0 {
		t.Fatalf("segments of %s: got %v, %v; want some", dir, names, err)
	}
	return names
}

// A missing measures.db is damage: the files stay, the check reports it, the routes of
// measurements answer 503 and all others go on, until it is made again from the files.
func TestLostStore(t *testing.T) {
	dir := newFolder(t)
	run(t, "speedtest", "import", "--data", dir, "--market", "FR", filetest.New(t, "s.csv", speedtestsOf(40)))
	run(t, "coverage", "import", "--data", dir, "--market", "FR", filetest.New(t, "c.csv", coverageOf(60)))
	files := segments(t, dir)
	must(t, os.Remove(filepath.Join(dir, "measures.db")))
	wrong := func() {
		t.Helper()
		if r := check(t, dir); !strings.Contains(r.problems()["measures.db"], "relais check --repair measures") {
			t.Errorf("problems: got %q, want measures.db with the command that mends it", r.problems())
		}
	}
	wrong()
	s := serve(t, dir)
	for _, path := range []string{"/speedtests", "/coverage/points?north=46&south=45&east=4&west=3"} {
		if got := s.get("/external/v1" + path); got.status != 503 {
			t.Errorf("%s: got %s, want 503", path, got)
		}
	}
	s.ask("/outages")
	wrong()
	fails(t, 1, "in use by relais serve", "check", "--data", dir, "--repair", "measures")
	s.stop()
	out := run(t, "check", "--data", dir, "--repair", "measures")
	for _, want := range []string{"with 100 measures", "40 speedtests of FR", "60 coverage points of FR"} {
		if !strings.Contains(out, want) {
			t.Errorf("repair: got %s, want %q", out, want)
		}
	}
	if got := segments(t, dir); !slices.Equal(got, files) {
		t.Errorf("segments: got %v, want %v", got, files)
	}
	s = serve(t, dir)
	s.measured()
	if got := len(s.list("/speedtests?limit=1000")); got != 40 {
		t.Errorf("speedtests after the repair: got %d, want 40", got)
	}
}

// Without its clients a server answers every key 503, other stores go on, and nothing is
// made in the place of what is lost until that is accepted.
func TestLostClients(t *testing.T) {
	c := makeCountry(t, 60)
	path := filepath.Join(c.dir, "clients.db")
	must(t, os.Rename(path, c.dir+".aside"))
	if r := check(t, c.dir); r.problems()["clients.db"] == "" {
		t.Errorf("problems: got %q, want clients.db", r.problems())
	}
	s := serve(t, c.dir)
	if a := s.get("/external/v1/antennas?limit=1"); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("got %s, Retry-After %q; want 503 and when", a, a.header.Get("Retry-After"))
	}
	s.stop()
	if !strings.Contains(s.log.String(), "level=ERROR") {
		t.Errorf("log: got %s, want an error", s.log)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("clients.db was made again")
	}
	if out := run(t, "check", "--data", c.dir, "--accept"); !strings.Contains(out, "clients.db") {
		t.Errorf("accepted: got %s, want clients.db named", out)
	}
	letIn(t, c.dir)
	serve(t, c.dir).one("/antennas/90000010")
}
