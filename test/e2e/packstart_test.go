package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/internal/outputtest"
)

// The script of a pack serves it, also from a place where programs cannot run.
func TestStartScript(t *testing.T) {
	c := makeCountry(t, 40)
	dest := filepath.Join(t.TempDir(), "stick")
	run(t, "pack", "--data", c.dir, "--area", "FR", dest)
	for _, runs := range []bool{true, false} {
		if !runs {
			program := filepath.Join(dest, "relais-"+map[string]string{"arm64": "amd64", "amd64": "arm64"}[otherArch()])
			must(t, os.Chmod(program, 0o644))
		}
		s := &server{t: t, cmd: exec.Command("sh", filepath.Join(dest, "start.sh"), "127.0.0.1:0"), log: &outputtest.Buffer{}}
		s.cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool {
			return strings.HasPrefix(e, "DISPLAY=") || strings.HasPrefix(e, "WAYLAND_DISPLAY=")
		})
		temporary := t.TempDir()
		s.cmd.Env = append(s.cmd.Env, "TMPDIR="+temporary)
		s.cmd.Stderr = s.log
		must(t, s.cmd.Start())
		if !waitFor(func() bool {
			if m := listening.FindStringSubmatch(s.log.String()); m != nil {
				s.base = "http://" + m[1]
			}
			return s.base != ""
		}) {
			t.Fatalf("start.sh does not listen: %s", s.log)
		}
		s.waitUntil("FR is loaded", func() bool { return s.version("FR") != "" })
		if n := len(asked(s, "/antennas?market=FR")["data"].([]any)); n == 0 {
			t.Error("the map has no sites")
		}
		s.showsMap()
		s.stop()
		if entries, _ := os.ReadDir(temporary); len(entries) > 0 {
			t.Errorf("programs can run: %t: %v stay in the temporary folder", runs, entries)
		}
	}
	var text object
	if err := json.Unmarshal(filetest.Read(t, filepath.Join(dest, "data", "pack.json")), &text); err != nil {
		t.Error(err)
	}
}

// showsMap checks that the page loads nothing from elsewhere, and that its base map and its tiles are there.
func (s *server) showsMap() {
	s.t.Helper()
	page := s.get("/")
	loads := regexp.MustCompile(`(?:src|rel="stylesheet" href)="([^"]*)"`)
	for _, m := range loads.FindAllStringSubmatch(string(page.body), -1) {
		if !strings.HasPrefix(m[1], "/") || strings.HasPrefix(m[1], "//") {
			s.t.Errorf("the page loads %s, want nothing from elsewhere", m[1])
		}
	}
	base := regexp.MustCompile(`/map/a/[0-9a-f]+/base\.json`).Find(page.body)
	if a := s.get(string(base)); a.status != http.StatusOK || len(a.body) < 100_000 {
		s.t.Errorf("the base map %q: %d, %d bytes, want it", base, a.status, len(a.body))
	}
	if a := s.get("/map/tiles/FR/0/0/0.mvt"); a.status != http.StatusOK || len(a.body) == 0 {
		s.t.Errorf("the tile of the world: %d, %d bytes, want sites", a.status, len(a.body))
	}
}
