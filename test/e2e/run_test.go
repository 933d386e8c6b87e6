package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeFile writes a file of its own folder.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// command runs a command that must succeed, and reads what it prints into v.
func command(t *testing.T, v any, args ...string) {
	t.Helper()
	out, errs, code := relais(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("relais %q: exit %d %s", args, code, errs)
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		t.Fatalf("relais %q: %v: %s", args, err, out)
	}
}

// fails runs a command that must fail with this exit code and say why.
func fails(t *testing.T, code int, why string, args ...string) {
	t.Helper()
	if out, errs, got := relais(t, args...); got != code || !strings.Contains(errs, why) {
		t.Errorf("relais %q: exit %d %s%s, want %d and %q", args, got, out, errs, code, why)
	}
}

// tag is the entity tag of an answer.
func (s *server) tag(path string) string {
	s.t.Helper()
	r, err := s.fetch("/external/v1" + path)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Body.Close()
	if tag := r.Header.Get("ETag"); r.StatusCode == http.StatusOK && tag != "" {
		return tag
	}
	s.t.Fatalf("%s: %s without an entity tag", path, r.Status)
	return ""
}

// status asks for an answer that is not the one with the tag.
func (s *server) status(path, tag string) int {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.base+"/external/v1"+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-API-Key", s.key)
	r.Header.Set("If-None-Match", tag)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	a.Body.Close()
	return a.StatusCode
}
