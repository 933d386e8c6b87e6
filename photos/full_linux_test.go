package photos

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"relais/internal/folder"
	"relais/internal/store"
)

// capped limits the size of the files of this process until the test ends, or uncap
// is called.
func capped(t *testing.T, bytes int64) (uncap func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(bytes), Max: old.Max}))
	uncap = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(uncap)
	return uncap
}

// fill adds photos until that fails, and returns their number.
func fill(t *testing.T, s *Store, size int) (n int, err error) {
	t.Helper()
	for ; n < 10_000; n++ {
		more := newOf("fr-1", "", n)
		more.Images[Main] = bytes.Repeat([]byte("x"), size)
		if _, err = s.Add(context.Background(), more); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("no addition failed, want an error at the limit")
	}
	return n, err
}

// stillWorks fails unless exactly n photos exist and can be read.
func stillWorks(t *testing.T, s *Store, n int) {
	t.Helper()
	l, total, err := s.List("fr-1", nil, 10_000, 0)
	if err != nil || total != n || len(l) != n {
		t.Fatalf("listed photos = %d, %v; want %d", total, err, n)
	}
	for _, p := range l {
		if _, err := s.Image(p.ID, Thumb); err != nil {
			t.Fatal(err)
		}
	}
	if records, _, err := s.CheckRecords(); err != nil || records != n {
		t.Errorf("%d records: %v, want %d and no error", records, err, n)
	}
	if _, err := s.CheckMonth("2026-11"); err != nil {
		t.Error(err)
	}
}

// Without room for the images nothing is added.
func TestNoRoomForImages(t *testing.T) {
	s, _ := fresh(t)
	uncap := capped(t, 3<<20)
	n, err := fill(t, s, 200_000)
	if n < 5 || !strings.Contains(err.Error(), "too large") {
		t.Errorf("after %d: %v, want at least 5 and too large in it", n, err)
	}
	stillWorks(t, s, n)
	if _, err := s.Report(NewReport{anyPhoto(t, s).ID, "c", "C", "spam", nil}); err != nil {
		t.Errorf("a small write: %v", err)
	}
	uncap()
	add(t, s, newOf("fr-1", "", n))
	stillWorks(t, s, n+1)
	mustBeWhole(t, s, n+1)
}

func anyPhoto(t *testing.T, s *Store) *Photo {
	t.Helper()
	l, _, err := s.All(Filter{}, 1, 0)
	if err != nil || len(l) != 1 {
		t.Fatalf("got %v, len(l) %v, want no error and len(l) = 1", err, len(l))
	}
	return l[0]
}

// Without room for the record the images are not shown, and are swept.
func TestNoRoomForTheRecord(t *testing.T) {
	s, _ := fresh(t)
	size := 8 << 20
	err := s.update(func(tx *store.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("filler"))
		if err != nil {
			return err
		}
		return b.Put([]byte("k"), make([]byte, size))
	})
	must(t, err)
	uncap := capped(t, int64(size))
	n, err := fill(t, s, 100)
	if !strings.Contains(err.Error(), "too large") {
		t.Error(err)
	}
	stillWorks(t, s, n)
	if months := images(t, s, "2026-11"); months != n+1 {
		t.Errorf("%d photos have images, of %d: the test shows nothing, want %d", months, n, n+1)
	}
	uncap()
	add(t, s, newOf("fr-1", "", n))
	mustBeWhole(t, s, n+1)
}

func writeN(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(make([]byte, n))
		return err
	}
}

// A full disk is an error; additions succeed when it has room again.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("no file system of its own to be had:", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	filler := filepath.Join(dir, "filler")
	must(t, folder.Replace(filler, writeN(1<<20)))
	s, stop := opened(t, folder.Dir(dir), (&clock{at: noon}).now)
	defer stop()
	n, err := fill(t, s, 50_000)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	stillWorks(t, s, n)
	stop()
	s, stop = opened(t, folder.Dir(dir), (&clock{at: noon}).now)
	defer stop()
	stillWorks(t, s, n)
	must(t, syscall.Unlink(filler))
	add(t, s, newOf("fr-1", "", n))
	stillWorks(t, s, n+1)
	if err := s.Sweep(); err != nil {
		t.Error(err)
	}
	mustBeWhole(t, s, n+1)
	stop()
	for _, path := range []string{"photos.db", FileOf("2026-11")} {
		if err := store.Check(filepath.Join(dir, path)); err != nil {
			t.Error(err)
		}
	}
}
