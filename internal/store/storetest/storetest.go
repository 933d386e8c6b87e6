// Package storetest opens the databases of tests, which end where that fails.
package storetest

import (
	"path/filepath"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
