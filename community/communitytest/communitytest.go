// Package communitytest makes the stores of outages that the tests of other packages ask.
package communitytest

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"relais/community"
	"relais/internal/store"
	"relais/outage"
)

// Open opens an empty store of reports and feeds in a new folder.
func Open(t testing.TB, now func() time.Time) *community.Store {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "community.db"), slices.Concat(outage.Buckets, community.Buckets)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	feeds, err := outage.Open(db, now)
	if err != nil {
		t.Fatal(err)
	}
	s, err := community.Open(db, feeds, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
