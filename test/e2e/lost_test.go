package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// someMeasures makes a folder with speedtests and coverage points, and a key, and says
// which files of measures it has.
func someMeasures(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	letIn(t, dir)
	for _, tt := range []struct{ kind, text string }{
		{"speedtest", speedtestsOf(40)},
		{"coverage", coverageOf(60)},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.kind+".csv")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, errs, code := relais(t, tt.kind, "import", "--data", dir, "--market", "FR", path); code != 0 {
				t.Fatal(errs)
			}
		})
	}
	return dir, segments(t, dir)
}

// segments are the files of measures of a folder.
func segments(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "measures", "*.seg"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	return names
}

// A missing manifest removes no measurement, is not damage, and is written by the next import.
func TestLostManifest(t *testing.T) {
	dir, files := someMeasures(t)
	manifest := filepath.Join(dir, "measures", "manifest.json")
	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	if r := check(t, dir); !r.OK {
		t.Errorf("check found problems: %+v", r.problems())
	}
	s := serve(t, nil, "serve", "--data", dir)
	s.measured()
	if n := len(s.ask("/speedtests?limit=1000")["data"].([]any)); n != 40 {
		t.Errorf("wrong number of speedtests: %d", n)
	}
	if s.stop() != 0 || !slices.Equal(segments(t, dir), files) {
		t.Errorf("segments = %v, want %v: %s", segments(t, dir), files, s.log)
	}
	path := filepath.Join(t.TempDir(), "more.csv")
	if err := os.WriteFile(path, []byte(speedtestsOf(41)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := relais(t, "speedtest", "import", "--data", dir, "--market", "FR", path); code != 0 {
		t.Error(errs)
	}
	if _, err := os.Stat(manifest); err != nil {
		t.Errorf("versions that know no measures.db would remove the measures: %v", err)
	}
}

// A missing measures.db is damage: the files stay, the check reports it, the routes of measurements
// answer 503 and all others go on, until it is made again from the files.
func TestLostStore(t *testing.T) {
	dir, files := someMeasures(t)
	if err := os.Remove(filepath.Join(dir, "measures.db")); err != nil {
		t.Fatal(err)
	}
	wrong := func() {
		t.Helper()
		out, errs, code := relais(t, "check", "--data", dir)
		if code != 1 || !strings.Contains(out, "measures.db") || !strings.Contains(out, "WRONG") ||
			!strings.Contains(out, "relais check --repair measures") {
			t.Errorf("%d: %s%s", code, out, errs)
		}
	}
	wrong()
	s := serve(t, nil, "serve", "--data", dir)
	for _, path := range []string{"/speedtests", "/coverage/points?north=46&south=45&east=4&west=3",
		"/speedtests/site?enb=1000"} {
		if code, o := s.get("/external/v1" + path); code != 503 {
			t.Errorf("%s: %d %v", path, code, o)
		}
	}
	s.ask("/outages")
	wrong()
	if _, errs, code := relais(t, "check", "--data", dir, "--repair", "measures"); code != 1 ||
		!strings.Contains(errs, "in use by relais serve") {
		t.Errorf("while it is served: %d %s", code, errs)
	}
	if s.stop() != 0 || !slices.Equal(segments(t, dir), files) {
		t.Errorf("segments = %v, want %v: %s", segments(t, dir), files, s.log)
	}
	_, errs, _ := relais(t, "check", "--data", dir, "--repair", "measures")
	if !strings.Contains(errs, fmt.Sprintf("measures.db names %d files with 100 measures", len(files))) ||
		!slices.Equal(segments(t, dir), files) {
		t.Errorf("%s, %v", errs, segments(t, dir))
	}
	if out, _, _ := relais(t, "check", "--data", dir); !strings.Contains(out, "40 speedtests of FR") ||
		!strings.Contains(out, "60 coverage points of FR") {
		t.Error(out)
	}
	s = serve(t, nil, "serve", "--data", dir)
	s.measured()
	if n := len(s.ask("/speedtests?limit=1000")["data"].([]any)); n != 40 {
		t.Errorf("wrong number of speedtests: %d", n)
	}
	if _, _, code := relais(t, "check", "--data", dir, "--repair", "photos"); code != 2 {
		t.Errorf("something else is repaired: %d", code)
	}
}
