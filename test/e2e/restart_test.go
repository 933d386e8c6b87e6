package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// What changes in time, asked in each way.
var timedPaths = []string{
	"/anfr/archives", "/anfr/archive/2026-08-06", "/anfr/archive/2026-08-13", "/anfr/archive/2026-08-13?view=full",
	"/sites-hs", "/sites-hs?operator=ORANGE", "/sites-hs?market=BE", "/outages", "/outages?source=community",
	"/outages?lat=45.77&lon=3.08&radiusKm=20",
	"/speedtests?days=365", "/speedtests?days=365&limit=3", "/speedtests/site?enb=1001",
	"/speedtests/site?enb=1001&bestOnly=true", "/coverage/points?days=365", "/coverage/points?days=365&limit=7",
}

// cached are paths of timedPaths whose entity tag is the same as long as the data is,
// whatever the clock says and whichever process answers.
var cached = map[string]bool{"/anfr/archives": true, "/anfr/archive/2026-08-06": true, "/anfr/archive/2026-08-13": true,
	"/anfr/archive/2026-08-13?view=full": true,
	"/speedtests/site?enb=1001":          true, "/speedtests/site?enb=1001&bestOnly=true": true}

// A kept is an answer without its request's id, and its entity tag.
type kept struct{ tag, text string }

func (s *server) timed() map[string]kept {
	s.t.Helper()
	s.measured()
	m := map[string]kept{}
	for _, path := range timedPaths {
		o := s.ask(path)
		delete(o, "requestId")
		text, err := json.Marshal(o)
		if err != nil {
			s.t.Fatal(err)
		}
		m[path] = kept{s.tag(path), string(text)}
	}
	return m
}

// unchanged compares the answers of two servers.
func unchanged(t *testing.T, what string, s *server, before map[string]kept) {
	t.Helper()
	for path, now := range s.timed() {
		was := before[path]
		if now.text != was.text {
			t.Errorf("%s, %s: %.300s\nbefore: %.300s", what, path, now.text, was.text)
		}
		if cached[path] && now.tag != was.tag {
			t.Errorf("%s, %s: the tag is %s, and was %s", what, path, now.tag, was.tag)
		}
		if cached[path] && s.status(path, was.tag) != 304 {
			t.Errorf("%s, %s: the answer before is not taken for this one", what, path)
		}
	}
}

// A restart changes no answer, and a tag of before never stands for another one.
func TestRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	letIn(t, dir)
	weeks := publications()
	must := func(args ...string) {
		t.Helper()
		if _, errs, code := relais(t, append(args, "--data", dir)...); code != 0 {
			t.Fatalf("relais %q: exit %d %s", args, code, errs)
		}
	}
	must("archive", "add", weeks[1].write(t), weeks[2].write(t))
	for operator, file := range hsFiles {
		must("outage", "import", "--market", "FR", "--operator", operator, writeFile(t, "hs.csv", file.text))
	}
	fails(t, 1, "web page", "outage", "import", "--data", dir, "--market", "FR", "--operator", "FREE",
		writeFile(t, "hs.csv", "<html>"))
	var one, over outageSaid
	for _, r := range []*outageSaid{&one, &over} {
		command(t, r, "outage", "report", "--data", dir, "--market", "FR", "--operator", "ORANGE", "--lat=45.77",
			"--lon=3.08", "--user", "ann")
	}
	must("outage", "confirm", one.ID, "--user", "bob")
	must("outage", "resolve", over.ID)
	tests := writeFile(t, "s.csv", speedtestsOf(120))
	must("speedtest", "import", "--market", "FR", tests)
	must("coverage", "import", "--market", "FR", writeFile(t, "c.csv", coverageOf(150)))

	restart := func() *server { // at another port, which answers may have in addresses
		return serve(t, nil, "serve", "--data", dir, "--base-url", "http://relais.example")
	}
	s := restart()
	before := s.timed()
	unchanged(t, "asked again", s, before)
	if code := s.stop(); code != 0 {
		t.Errorf("exit = %d, want 0", code)
	}
	s = restart()
	unchanged(t, "after a restart", s, before)
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s = restart()
	unchanged(t, "after a kill", s, before)

	// A file that brings nothing changes nothing; one that does changes what it is about.
	must("speedtest", "import", "--market", "FR", tests)
	unchanged(t, "the same file again", s, before)
	must("speedtest", "import", "--market", "FR", writeFile(t, "s.csv", speedtestsOf(130)))
	must("archive", "add", weeks[3].write(t))
	must("outage", "confirm", one.ID, "--user", "cid")
	for _, path := range []string{"/anfr/archives", "/speedtests/site?enb=1001", "/outages", "/speedtests?days=365"} {
		if got := s.status(path, before[path].tag); got != 200 {
			t.Errorf("%s changed, and the tag of before is answered %d", path, got)
		}
	}
}
