package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"relais/internal/filetest"
)

type boltTx = bolt.Tx

// withFormat returns the path of a file that states another format.
func withFormat(t *testing.T, n uint64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("v"))
	raw(t, db, func(tx *boltTx) error { return putNumber(tx.Bucket([]byte(infoBucket)), formatKey, n) })
	must(t, db.Close())
	return path
}

// withoutFormat returns the path of a file as d4fd069 made it: records as they are, and no format.
func withoutFormat(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	err = db.Update(func(tx *boltTx) error {
		b, err := tx.CreateBucket([]byte("a"))
		if err != nil {
			return err
		}
		return b.Put([]byte("k"), []byte("v"))
	})
	must(t, errors.Join(err, db.Close()))
	return path
}

// A file of another format is refused with what to do, and stays as it is.
func TestOtherFormat(t *testing.T) {
	const newer, older = "x.db: it was written by a newer relais", "x.db: it is of a format from before the first release"
	for _, tt := range []struct {
		what, path string
		want       error
		says       string
	}{
		{"higher", withFormat(t, format+1), errNewer, newer},
		{"lower", withFormat(t, format-1), errOlder, older},
		{"none", withoutFormat(t), errOlder, older},
	} {
		before := filetest.Read(t, tt.path)
		for _, use := range []struct {
			what string
			open func() error
		}{
			{"open", func() error { _, err := Open(tt.path, "a", "new"); return err }},
			{"read only", func() error { _, err := OpenReadOnly(tt.path); return err }},
			{"check", func() error { return Check(tt.path) }},
			{"compact", func() error { _, _, err := compact(tt.path); return err }},
		} {
			t.Run(tt.what+"/"+use.what, func(t *testing.T) {
				err := use.open()
				if !errors.Is(err, tt.want) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("got %v, want %q, and not ErrDamaged", err, tt.says)
				}
			})
		}
		if now, err := os.ReadFile(tt.path); err != nil || !bytes.Equal(now, before) {
			t.Errorf("%s: the file has changed: got %d bytes, %v, want the %d before", tt.what, len(now), err, len(before))
		}
	}
}
