package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A View that runs on holds up neither Compact nor an Update for long: the file stays as it is until it has ended.
func TestCompactBesideAView(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("old"))
	err := db.View(func(tx *Tx) error {
		if _, _, err := db.Compact(); !errors.Is(err, errRead) {
			t.Errorf("compact: got %v, want errRead", err)
		}
		put(t, db, "k", []byte("new"))
		if got := tx.Bucket([]byte("a")).Get([]byte("k")); string(got) != "old" {
			t.Errorf("the View sees %q, want old", got)
		}
		return nil
	})
	must(t, err)
	wantValue(t, db, "k", "new")
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left over: %v, want only the file", names)
	}
	if _, _, err := db.Compact(); err != nil {
		t.Errorf("when nobody reads: %v", err)
	}
	if _, err := open(path, os.O_RDWR, 0); !errors.Is(err, ErrHeld) {
		t.Errorf("the new file is not held: %v, want ErrHeld", err)
	}
	wantValue(t, db, "k", "new")
}

// A file that could not be opened again is closed without an error.
func TestCloseAfterAFailedReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("v"))
	db.current.doubtful = true
	real := db.path
	db.path += ".absent"
	if err := db.ViewCertain(func(*Tx) error { return nil }); err == nil {
		t.Error("got nil for a file that cannot be opened again, want an error")
	}
	db.path = real
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
