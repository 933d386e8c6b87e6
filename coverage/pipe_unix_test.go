//go:build unix

package coverage

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"relais/internal/folder"
)

// A pipe has no end that an import could wait for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.gpkg")
	must(t, syscall.Mkfifo(path, 0o600))
	_, err := Import(t.Context(), Options{Dir: folder.Dir(t.TempDir()), Paths: []string{path}, Metres: 200, Now: time.Now()})
	if err == nil || !strings.Contains(err.Error(), "pipe.gpkg: neither a file nor a folder") {
		t.Errorf("error %v, want one that names the pipe", err)
	}
}
