package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Several files are seen as they were while nothing changed, for as long as it takes.
func TestViewAll(t *testing.T) {
	dir := t.TempDir()
	one, two := opened(t, filepath.Join(dir, "1.db")), opened(t, filepath.Join(dir, "2.db"))
	put(t, one, "k", []byte("1"))
	put(t, two, "k", []byte("2"))
	err := ViewAll([]*DB{one, two}, func(txs []*Tx) error {
		put(t, one, "k", []byte("new"))
		if _, _, err := two.Compact(); err != nil {
			return err
		}
		put(t, two, "k", []byte("new"))
		for i, want := range []string{"1", "2"} {
			var copied bytes.Buffer
			if n, err := txs[i].WriteTo(&copied); err != nil || n != txs[i].Size() {
				t.Errorf("%d bytes of %d, %v, want %d and no error", n, txs[i].Size(), err, txs[i].Size())
			}
			path := filepath.Join(dir, want)
			if err := os.WriteFile(path, copied.Bytes(), 0o600); err != nil {
				return err
			}
			if got := string(get(t, opened(t, path), "k")); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	full := errors.New("full")
	if err := ViewAll([]*DB{one, two}, func([]*Tx) error { return full }); err != full {
		t.Error(err)
	}
	if err := ViewAll(nil, func(txs []*Tx) error { return full }); err != full {
		t.Error(err)
	}
}
