//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/demo"
)

// A server of an empty folder says what to do next, and shows the map as soon as that was done.
func TestFirstRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ana's data")
	must(t, os.MkdirAll(dir, 0o700))
	letIn(t, dir)
	s := start(t, nil, "serve", "--data", dir)
	s.waitUntil("the folder is read", func() bool {
		a, err := s.try("/")
		return err == nil && strings.Contains(string(a.body), "relais update")
	})
	page := s.get("/")
	quoted := strings.ReplaceAll("'"+strings.ReplaceAll(dir, "'", `'\''`)+"'", "'", "&#39;")
	if page.status != 503 || page.header.Get("Retry-After") == "" || page.header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(string(page.body), "relais update --data "+quoted) {
		t.Errorf("the page: got %d, %v, want 503, Retry-After, no-store and the folder:\n%s", page.status, page.header,
			page.body)
	}
	for _, headers := range [][]string{{"X-Forwarded-For", "203.0.113.7"}, {"Forwarded", "for=203.0.113.7"},
		{"Via", "1.1 proxy"}} {
		if a := s.get("/", headers...); strings.Contains(string(a.body), filepath.Dir(dir)) ||
			!strings.Contains(string(a.body), "--data DIR<") {
			t.Errorf("with %q: got the folder, want DIR:\n%s", headers, a.body)
		}
	}
	if a := s.get("/?lang=fr"); !strings.Contains(string(a.body), `<html lang="fr">`) {
		t.Errorf("in French: got %s", a)
	}
	a := s.get("/external/v1/antennas?north=49&south=48&east=3&west=2")
	if a.status != 503 || a.code() != "NOT_READY" || !strings.Contains(string(a.body), "relais ingest --data DIR FR") {
		t.Errorf("the API: got %s, want NOT_READY with the command", a)
	}
	files, err := demo.Write(filepath.Join(t.TempDir(), "files"), 50)
	must(t, err)
	out := run(t, append([]string{"ingest", "--data", dir, "FR,DROM"}, files...)...)
	if !strings.Contains(out, "next: nothing, the server of this folder loads it by itself\n") {
		t.Errorf("ingest while a server runs: got %s", out)
	}
	s.waitUntil("the map is there", func() bool { return s.get("/").status == 200 })
}
