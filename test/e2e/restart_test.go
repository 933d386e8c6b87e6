//go:build linux

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

// timed are paths of what changes in time. Where tagged, their entity tag is the same as
// long as the data is, whatever the clock says and whichever process answers.
var timed = []struct {
	path   string
	tagged bool
}{
	{"/anfr/archives", true},
	{"/anfr/archive/2026-08-06", true},
	{"/anfr/archive/2026-08-13", true},
	{"/anfr/archive/2026-08-13?view=full", true},
	{"/sites-hs", false},
	{"/sites-hs?operator=ORANGE", false},
	{"/sites-hs?market=BE", false},
	{"/outages", false},
	{"/outages?source=community", false},
	{"/outages?lat=45.77&lon=3.08&radiusKm=20", false},
	{"/speedtests?days=365", false},
	{"/speedtests?days=365&limit=3", false},
	{"/speedtests/site?enb=1001", true},
	{"/speedtests/site?enb=1001&bestOnly=true", true},
	{"/coverage/points?days=365", false},
	{"/coverage/points?days=365&limit=7", false},
}

// A kept is an answer without its request's id, and its entity tag.
type kept struct{ tag, text string }

func (s *server) timed() map[string]kept {
	s.t.Helper()
	s.measured()
	m := map[string]kept{}
	for _, tt := range timed {
		o := s.ask(tt.path)
		delete(o, "requestId")
		text, err := json.Marshal(o)
		must(s.t, err)
		m[tt.path] = kept{s.tag(tt.path), string(text)}
	}
	return m
}

// isUnchanged compares the answers of two servers.
func (s *server) isUnchanged(when string, before map[string]kept) {
	s.t.Helper()
	now := s.timed()
	for _, tt := range timed {
		got, want := now[tt.path], before[tt.path]
		if diff := cmp.Diff(want.text, got.text); diff != "" {
			s.t.Errorf("%s, %s: before (-), now (+):\n%s", when, tt.path, diff)
		}
		if tt.tagged && got.tag != want.tag {
			s.t.Errorf("%s, %s: got the entity tag %s, want %s as before", when, tt.path, got.tag, want.tag)
		}
		if status := s.status(tt.path, want.tag); tt.tagged && status != 304 {
			s.t.Errorf("%s, %s: got %d to the entity tag of before, want 304", when, tt.path, status)
		}
	}
}

// A restart changes no answer, and a tag of before never stands for another one.
func TestRestart(t *testing.T) {
	dir := newFolder(t)
	must := func(args ...string) {
		t.Helper()
		run(t, append(args, "--data", dir)...)
	}
	must("archive", "add", newPublication("2026-08-06", 400).write(t), newPublication("2026-08-13", 420).write(t))
	for _, operator := range []string{"ORANGE", "SFR", "BOUYGUES"} {
		importOutages(t, dir, operator, unavailable(operator, "1", "45.772"))
	}
	fails(t, 1, "web page", "outage", "import", "--data", dir, "--market", "FR", "--operator", "FREE",
		filetest.New(t, "hs.csv", "<html>"))
	one, over := reportOutage(t, dir, "ORANGE", "ann").ID, reportOutage(t, dir, "SFR", "ann").ID
	must("outage", "confirm", one, "--user", "bob")
	must("outage", "resolve", over)
	tests := filetest.New(t, "s.csv", speedtestsOf(120))
	must("speedtest", "import", "--market", "FR", tests)
	must("coverage", "import", "--market", "FR", filetest.New(t, "c.csv", coverageOf(150)))

	restart := func() *server { // at another port, which answers may have in addresses
		return serve(t, dir, "--base-url", "http://relais.example")
	}
	s := restart()
	before := s.timed()
	s.isUnchanged("asked again", before)
	s.stop()
	s = restart()
	s.isUnchanged("after a restart", before)
	s.kill()
	s = restart()
	s.isUnchanged("after a kill", before)

	// A file that brings nothing changes nothing; one that does changes what it is about.
	must("speedtest", "import", "--market", "FR", tests)
	s.isUnchanged("the same file again", before)
	must("speedtest", "import", "--market", "FR", filetest.New(t, "s.csv", speedtestsOf(130)))
	must("archive", "add", newPublication("2026-08-20", 440).write(t))
	must("outage", "confirm", one, "--user", "cid")
	for _, path := range []string{"/anfr/archives", "/speedtests/site?enb=1001", "/outages", "/speedtests?days=365"} {
		if got := s.status(path, before[path].tag); got != 200 {
			t.Errorf("%s changed: got %d to the entity tag of before, want 200", path, got)
		}
	}
}
