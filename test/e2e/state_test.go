package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A damaged store disables its own routes, not those of antennas; without the clients
// every key is answered 503.
func TestFailedStores(t *testing.T) {
	c := makeCountry(t, 60)
	s := serve(t, nil, "serve", "--data", c.dir)
	if code := s.stop(); code != 0 {
		t.Fatalf("exit %d: %s", code, s.log)
	}
	routes := map[string]string{
		"/external/v1/antennas?limit=1": "clients.db", "/external/v1/outages": "community.db",
		"/external/v1/anfr/archives": "archives.db",
	}
	for _, file := range []string{"community.db", "archives.db", "clients.db"} {
		path := filepath.Join(c.dir, file)
		undo := damage(t, path, func(b []byte) []byte { return b[:5000] })
		s := serve(t, nil, "serve", "--data", c.dir)
		if !waitFor(func() bool { status, _ := s.status503("/readyz"); return status == http.StatusOK }) {
			t.Fatalf("without %s: not ready: %s", file, s.log)
		}
		for route, needs := range routes {
			status, retry := s.status503(route)
			if failed := needs == file || file == "clients.db"; failed != (status == 503) || failed && retry == "" ||
				!failed && status != 200 {
				t.Errorf("without %s: %s answers %d, Retry-After %q", file, route, status, retry)
			}
		}
		if code := s.stop(); code != 0 || !strings.Contains(s.log.String(), file) {
			t.Errorf("exit %d; the log: %s", code, s.log)
		}
		if r := check(t, c.dir); len(r.problems()) != 1 || r.problems()[file] == "" {
			t.Errorf("without %s: %q", file, r.problems())
		}
		undo()
	}
	if r := check(t, c.dir); !r.OK {
		t.Errorf("problems after the damage was undone: %q", r.problems())
	}
}

// status503 asks for a path, and returns the status and Retry-After.
func (s *server) status503(path string) (status int, retry string) {
	a, err := s.fetch(path)
	if err != nil {
		return 0, ""
	}
	a.Body.Close()
	return a.StatusCode, a.Header.Get("Retry-After")
}

// A folder where a file belongs, or the other way round, is named in a report.
func TestCheckOfAFileForAFolder(t *testing.T) {
	c := makeCountry(t, 60)
	if err := os.WriteFile(filepath.Join(c.dir, "photos"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := check(t, c.dir); r.OK || !strings.Contains(r.problems()["photos"], "not a folder") || len(r.Files) < 6 {
		t.Errorf("unexpected report %+v", r)
	}
}

// A lost file is named by check, its routes answer 503, and nothing is
// made in its place until that is accepted.
func TestMissingFiles(t *testing.T) {
	c := makeCountry(t, 60)
	createClient(t, c.dir, "--name", "app", "--mode", "mobile", "--scopes", "all-read") // has a secret to seal
	if r := check(t, c.dir); !r.OK {
		t.Fatalf("before: %q", r.problems())
	}
	for _, name := range []string{"clients.db", "users.db", "community.db", "archives.db", "photos.db", "secret.key",
		"snapshots/FR.snap", "measures.db"} {
		path := filepath.Join(c.dir, filepath.FromSlash(name))
		if err := os.Rename(path, c.dir+".aside"); err != nil {
			t.Fatal(err)
		}
		if r := check(t, c.dir); r.problems()[name] == "" {
			t.Errorf("without %s: %q", name, r.problems())
		}
		if name == "clients.db" {
			s := serve(t, nil, "serve", "--data", c.dir)
			if status, retry := s.status503("/external/v1/antennas?limit=1"); status != 503 || retry == "" {
				t.Errorf("without %s: %d, Retry-After %q", name, status, retry)
			}
			if code := s.stop(); code != 0 || !strings.Contains(s.log.String(), "level=ERROR") {
				t.Errorf("exit %d: %s", code, s.log)
			}
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s was made again", name)
			}
		}
		if err := os.Rename(c.dir+".aside", path); err != nil {
			t.Fatal(err)
		}
	}
	if r := check(t, c.dir); !r.OK {
		t.Errorf("problems after the damage was undone: %q", r.problems())
	}
}

// A store of an earlier day is noticed, and can be accepted.
func TestOlderStore(t *testing.T) {
	c := makeCountry(t, 60)
	path := filepath.Join(c.dir, "clients.db")
	early, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	createClient(t, c.dir, "--name", "late", "--mode", "server", "--cidr", "127.0.0.1/32", "--scopes", "all-read")
	if err := os.WriteFile(path, early, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := check(t, c.dir); !strings.Contains(r.problems()["clients.db"], "older") {
		t.Errorf("check found problems: %q", r.problems())
	}
	if _, errs, code := relais(t, "check", "--data", c.dir, "--accept"); code != 0 ||
		!strings.Contains(errs, "clients.db") {
		t.Errorf("accepted: %d %s", code, errs)
	}
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { status, _ := s.status503("/external/v1/antennas?limit=1"); return status == 200 }) {
		t.Errorf("after it was accepted: %s", s.log)
	}
}
