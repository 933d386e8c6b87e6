//go:build unix

package coverage_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"relais/coverage"
	"relais/internal/folder"
)

// A pipe has no end that an import could wait for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.gpkg")
	must(t, syscall.Mkfifo(path, 0o600))
	_, err := coverage.Import(t.Context(), coverage.Options{Dir: folder.Dir(t.TempDir()), Paths: []string{path}, Now: time.Now()})
	if err == nil || !strings.Contains(err.Error(), "pipe.gpkg: neither a file nor a folder") {
		t.Errorf("error %v, want one that names the pipe", err)
	}
}
