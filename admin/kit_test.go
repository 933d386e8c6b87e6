package admin

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"relais/internal/folder"
)

// open opens a folder until the test ends, and returns what it logs.
func open(t *testing.T, dir folder.Dir) (s *Stores, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	s, err := Open(dir, "test", slog.New(slog.NewTextHandler(log, nil)))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s, log
}

// copyOf returns a folder that was restored from a backup of dir.
func copyOf(t *testing.T, dir folder.Dir) (restored folder.Dir) {
	t.Helper()
	copied, restored := filepath.Join(t.TempDir(), "backup"), folder.Dir(filepath.Join(t.TempDir(), "restored"))
	must(t, Backup(t.Context(), dir, copied, true, quiet))
	must(t, Restore(t.Context(), copied, restored))
	return restored
}

// keep runs the jobs of a server until stop is called.
func keep(t *testing.T, s *Stores) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { NewJobs(s, quiet).Keep(ctx) })
	return func() { cancel(); running.Wait() }
}

// holdings returns what a check says that the files of a folder hold, or what is wrong with them.
func holdings(t *testing.T, dir folder.Dir) map[string]string {
	t.Helper()
	files, err := checkStores(t.Context(), dir)
	must(t, err)
	m := map[string]string{}
	for _, f := range append(files, checkOthers(dir)...) {
		m[f.Path] = f.Detail + f.Problem
	}
	return m
}
