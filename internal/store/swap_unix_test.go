//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"relais/internal/tier"
)

// A View that runs on does not hold up Compact, and sees what it saw.
func TestCompactBesideAView(t *testing.T) {
	tier.Slow(t)
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("old"))
	err := db.View(func(tx *Tx) error {
		if _, _, err := db.Compact(); err != nil {
			return err
		}
		put(t, db, "k", []byte("new"))
		if got := tx.Bucket([]byte("a")).Get([]byte("k")); string(got) != "old" {
			t.Errorf("the View sees %q, want old", got)
		}
		if _, err := open(path, os.O_RDWR, 0); !errors.Is(err, ErrHeld) {
			t.Errorf("the new file is not held: %v, want ErrHeld", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	wantValue(t, db, "k", "new")
}
