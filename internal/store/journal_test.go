package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ofA notes the records of the bucket a that are new, or whose value does not begin with a dot.
var ofA = map[string]News{"a": func(key, before, after []byte) []byte {
	if len(after) > 0 && after[0] == '.' {
		return nil
	}
	return fmt.Appendf(nil, "%s: %s to %s", key, before, after)
}}

// journal returns the texts of the entries after a number.
func journal(t *testing.T, db *DB, after uint64) (texts []string, last uint64) {
	t.Helper()
	list, err := db.Journal().After(after, 1000)
	must(t, err)
	for _, e := range list {
		if e.Bucket != "a" || e.At.IsZero() || e.Number <= last {
			t.Errorf("got the entry %+v after %d", e, last)
		}
		texts, last = append(texts, e.Text), e.Number
	}
	return texts, last
}

// The journal has the news of the commits that were done, and of no other.
func TestJournal(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	put(t, db, "early", []byte("v"))
	db.Journal().SetNews(ofA)
	put(t, db, "k", []byte("one"))
	put(t, db, "k", []byte("two"))
	put(t, db, "k", []byte(".quiet"))
	failed := errors.New("no")
	if err := db.Update(func(tx *Tx) error {
		return errors.Join(tx.Bucket([]byte("a")).Put([]byte("lost"), []byte("v")), failed)
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if _, _, err := db.Compact(); err != nil {
		t.Fatal(err)
	}
	put(t, db, "early", []byte("w"))
	want := []string{"k:  to one", "k: one to two", "early: v to w"}
	got, last := journal(t, db, 0)
	if diff := cmp.Diff(want, got); diff != "" || last != 3 {
		t.Errorf("last %d, want 3 (-want +got):\n%s", last, diff)
	}
	if got, _ := journal(t, db, 2); !cmp.Equal(got, want[2:]) {
		t.Errorf("after 2: got %q, want %q", got, want[2:])
	}
	if got, _ := journal(t, db, 99); !cmp.Equal(got, want) {
		t.Errorf("after more than there is, as in a file that was restored: got %q, want %q", got, want)
	}
	db.Journal().SetNews(nil)
	put(t, db, "k", []byte("three"))
	if n, err := db.Journal().End(); n != 3 || err != nil {
		t.Errorf("without a journal: got %d entries, %v, want 3", n, err)
	}
}

// What was read makes room for what comes.
func TestJournalRead(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	db.Journal().SetNews(ofA)
	for i := range 5 {
		put(t, db, "k", fmt.Append(nil, i))
	}
	db.Journal().SetRead(3)
	if got, _ := journal(t, db, 0); len(got) != 5 {
		t.Errorf("got %d entries, want 5: nothing was put since", len(got))
	}
	put(t, db, "k", []byte("5"))
	got, _ := journal(t, db, 0)
	if want := []string{"k: 2 to 3", "k: 3 to 4", "k: 4 to 5"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n, err := db.Journal().End(); n != 6 || err != nil {
		t.Errorf("got the end %d, %v, want 6", n, err)
	}
}

// A position beyond the end is that of a newer file: nothing of a restored one was read.
func TestJournalOfRestoredFile(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	db.Journal().SetNews(ofA)
	db.Journal().SetRead(9)
	for i := range 3 {
		put(t, db, "k", fmt.Append(nil, i))
	}
	if got, _ := journal(t, db, 0); len(got) != 3 {
		t.Errorf("got %q, want three entries", got)
	}
}

// When nobody reads a journal, the newest entries stay.
func TestFullJournal(t *testing.T) {
	most := mostEntries
	mostEntries = 4
	t.Cleanup(func() { mostEntries = most })
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	db.Journal().SetNews(ofA)
	for i := range 10 {
		put(t, db, "k", fmt.Append(nil, i))
	}
	got, last := journal(t, db, 0)
	if want := []string{"k: 5 to 6", "k: 6 to 7", "k: 7 to 8", "k: 8 to 9"}; !cmp.Equal(got, want) || last != 10 {
		t.Errorf("got %q up to %d, want %q up to 10", got, last, want)
	}
	must(t, db.Journal().Empty(9))
	if got, last := journal(t, db, 0); len(got) != 1 || last != 10 {
		t.Errorf("emptied up to 9: got %q up to %d, want the last one", got, last)
	}
}

// A journal of a file that cannot be written, or of none, is empty.
func TestNoJournal(t *testing.T) {
	var db *DB
	db.Journal().SetNews(ofA)
	db.Journal().SetRead(1)
	list, err := db.Journal().After(0, 1)
	n, err2 := db.Journal().End()
	if len(list) > 0 || n > 0 || err != nil || err2 != nil {
		t.Errorf("got %v, %d, %v, %v", list, n, err, err2)
	}
}
