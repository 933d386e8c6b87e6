// Package storetest opens the databases of tests, which end where that fails.
package storetest

import (
	"bytes"
	"path/filepath"
	"testing"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/store"
)

// New opens a new database in a folder of the test.
func New(t testing.TB, buckets ...string) *store.DB {
	t.Helper()
	return Open(t, filepath.Join(t.TempDir(), "test.db"), buckets...)
}

// Open opens the database at path until the test ends. A test may close it before.
func Open(t testing.TB, path string, buckets ...string) *store.DB {
	t.Helper()
	db, err := store.Open(path, buckets...)
	errtest.Must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// Set changes a record, as damage would, and returns the value that it had. A value of nil stands for no record.
func Set(t testing.TB, db *store.DB, bucket, key string, value []byte) (before []byte) {
	t.Helper()
	errtest.Must(t, db.Update(func(tx *store.Tx) error {
		b := tx.Bucket([]byte(bucket))
		before = bytes.Clone(b.Get([]byte(key)))
		if value == nil {
			return b.Delete([]byte(key))
		}
		return b.Put([]byte(key), value)
	}))
	return before
}

// Compact compacts the file of db at path, which must say before whether something in it is deleted, and returns
// its content.
func Compact(t testing.TB, db *store.DB, path string, deleted bool) []byte {
	t.Helper()
	if has, err := db.HasDeleted(); has != deleted || err != nil {
		t.Errorf("HasDeleted() = %v, %v, want %v", has, err, deleted)
	}
	_, _, err := db.Compact()
	errtest.Must(t, err)
	return filetest.Read(t, path)
}
