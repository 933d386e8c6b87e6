package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/store"
	"relais/internal/store/logtest"
)

// Every replica has one entry for each record, whichever replica put it, and a follower of the
// journal hears of it.
func TestJournalOfReplicas(t *testing.T) {
	log := logtest.New()
	dbs := []*store.DB{replica(t, log), replica(t, log)}
	heard := make([]int, len(dbs))
	for i, db := range dbs {
		db.Journal().SetNews(map[string]store.News{"a": func(key, _, _ []byte) []byte { return key }})
		must(t, db.Follow(func(*store.Tx) error { return nil }, func([]store.Change) { heard[i]++ },
			store.JournalBucket))
	}
	for i, key := range []string{"x", "y", "z"} {
		must(t, add(dbs[i%2], key))
	}
	dbs = append(dbs, replica(t, log))
	for i, db := range dbs {
		must(t, db.Pull(t.Context()))
		list, err := db.Journal().After(0, 10)
		must(t, err)
		var got []string
		for _, e := range list {
			got = append(got, e.Text)
		}
		if diff := cmp.Diff([]string{"x", "y", "z"}, got); diff != "" {
			t.Errorf("replica %d (-want +got):\n%s", i, diff)
		}
	}
	for i, n := range heard {
		if n < 2 { // commits of others may come together
			t.Errorf("replica %d heard %d times of the journal, want 2 or 3", i, n)
		}
	}
}
