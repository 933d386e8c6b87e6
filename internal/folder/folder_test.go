package folder

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/errtest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

func TestReplaceKeepsTheOldFileOnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "file")
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			io.WriteString(w, s)
			return err
		}
	}
	must(t, Replace(path, text("one", nil)))
	full := errors.New("disk full")
	if err := Replace(path, text("tw", full)); !errors.Is(err, full) || !strings.Contains(err.Error(), path) {
		t.Errorf("error = %v, want disk full with the path", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "one" {
		t.Errorf("after a failed write: got file %q, want one", got)
	}
	must(t, Replace(path, text("three", nil)))
	if got, _ := os.ReadFile(path); string(got) != "three" {
		t.Errorf("got file %q, want three", got)
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
		t.Errorf("files of the folder = %v, want one", names)
	}
}

func TestLockNamesItsHolder(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "data"))
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	h, err := d.Lock("serve", "relais serve on 127.0.0.1:8080", now)
	must(t, err)
	_, err = d.Lock("serve", "second", now)
	var held *HeldError
	if !errors.As(err, &held) || held.Holder.PID != os.Getpid() ||
		!strings.Contains(err.Error(), "relais serve on 127.0.0.1:8080") ||
		!strings.Contains(err.Error(), "2026-11-21T08:00:00Z") {
		t.Errorf("second lock: error = %v, want the first holder", err)
	}
	if other, err := d.Lock("ingest", "x", now); err != nil {
		t.Errorf("another name: %v", err)
	} else {
		other.Unlock()
	}
	must(t, h.Unlock())
	if h, err = d.Lock("serve", "third", now); err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	h.Unlock()
}

// Who opened the file of a lock before it was removed does not hold the lock of the new file.
func TestLockRemoved(t *testing.T) {
	d := Dir(t.TempDir())
	first, err := d.Lock("ingest", "first", time.Now())
	must(t, err)
	must(t, errors.Join(first.Remove(), first.Unlock()))
	if names, err := os.ReadDir(string(d)); len(names) != 0 || err != nil {
		t.Errorf("the folder has %v, %v; want nothing", names, err)
	}
	held := make(chan struct{}, 1) // how many hold the lock
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500 {
				h, err := d.Lock("ingest", "x", time.Now())
				if _, busy := errors.AsType[*HeldError](err); busy {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				select {
				case held <- struct{}{}:
					<-held
				default:
					t.Error("two hold the lock")
				}
				if err := errors.Join(h.Remove(), h.Unlock()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestUnused(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "data"))
	is := func(want bool, what string) {
		t.Helper()
		if unused, err := d.Unused(); unused != want || err != nil {
			t.Errorf("%s: unused = %v, %v; want %v", what, unused, err, want)
		}
	}
	put := func(name string) {
		t.Helper()
		path := filepath.Join(string(d), name)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
	}
	is(true, "a missing folder")
	must(t, os.Mkdir(string(d), 0o755))
	is(true, "a new folder")
	put("ingest.lock")
	put("serve.lock")
	put("snapshots/.FR.snap.tmp-1")
	put("sources/FR/20260101T000000Z-1/observatoire.csv.zst")
	is(true, "an ingest that was ended early")
	for _, name := range []string{"x", "snapshots/FR.snap", "sources/FR/manifest.json", "photos/x.jpg", ".tmp-1"} {
		put(name)
		is(false, name)
		must(t, os.Remove(filepath.Join(string(d), name)))
		os.Remove(filepath.Join(string(d), "photos"))
	}
	is(true, "all of it removed")
	if unused, err := Dir(filepath.Join(string(d), "serve.lock")).Unused(); unused && err == nil {
		t.Error("a file counts as an unused folder, want an error or false")
	}
}
