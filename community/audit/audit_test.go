package audit

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, name string) *store.DB {
	t.Helper()
	db := storetest.Open(t, filepath.Join(t.TempDir(), name), Bucket, "things")
	return db
}

func note(t *testing.T, db *store.DB, d Decision, at time.Time, e Entry) {
	t.Helper()
	must(t, db.Update(func(tx *store.Tx) error { return d.Note(tx, at, e) }))
}

// subjects lists what the entries are about.
func subjects(t *testing.T, l *Log, f Filter, limit, offset int) (list []string, total int) {
	t.Helper()
	entries, total, err := l.List(f, limit, offset)
	must(t, err)
	for _, e := range entries {
		list = append(list, e.By+" "+e.Act+" "+e.Subject)
	}
	return list, total
}

// Entries of other stores come into the log once, however often they are moved.
func TestCollect(t *testing.T) {
	home, photos := open(t, "community.db"), open(t, "photos.db")
	l := Open(home, photos, nil)
	note(t, photos, Decision{By: "alice", Why: "a face"}, noon, Entry{Act: "photo.hide", Subject: "p1", Before: "shown"})
	note(t, home, Decision{}, noon.Add(time.Minute), Entry{Act: "bug.close", Subject: "b1"})
	note(t, photos, Decision{By: "bob"}, noon.Add(time.Hour), Entry{Act: "report.accept", Subject: "r1", Photo: "p1"})
	if got, total := subjects(t, l, Filter{}, 10, 0); !slices.Equal(got, []string{"shell bug.close b1"}) || total != 1 {
		t.Errorf("before it is collected: %q of %d", got, total)
	}
	for range 2 {
		must(t, l.Collect())
		want := []string{"bob report.accept r1", "shell bug.close b1", "alice photo.hide p1"}
		if got, total := subjects(t, l, Filter{}, 10, 0); !slices.Equal(got, want) || total != 3 {
			t.Errorf("got %q of %d, want %q of 3", got, total, want)
		}
	}
	if n := len(keys(t, photos)); n != 0 {
		t.Errorf("%d entries stay in photos.db, want 0", n)
	}
}

// A move that was cut off after its first half is done again, and nothing is twice.
func TestCollectIsCutOff(t *testing.T) {
	home, photos := open(t, "community.db"), open(t, "photos.db")
	l := Open(home, photos)
	note(t, photos, Decision{By: "alice"}, noon, Entry{Act: "photo.hide", Subject: "p1"})
	if err := home.Update(func(tx *store.Tx) error { // what the first half does
		return photos.View(func(from *store.Tx) error {
			return store.Each(from, Bucket, tx.Bucket([]byte(Bucket)).Put)
		})
	}); err != nil {
		t.Fatal(err)
	}
	must(t, l.Collect())
	if got, total := subjects(t, l, Filter{}, 10, 0); total != 1 || len(keys(t, photos)) != 0 {
		t.Errorf("got %q of %d, and %d stay; want 1 and 0", got, total, len(keys(t, photos)))
	}
}

// keys lists the keys of entries in a store.
func keys(t *testing.T, db *store.DB) (list []string) {
	t.Helper()
	must(t, db.View(func(tx *store.Tx) error {
		return store.EachKey(tx, Bucket, func(k []byte) error {
			list = append(list, string(k))
			return nil
		})
	}))
	return list
}

// A decision that fails leaves no entry, since both are in one commit.
func TestOneCommit(t *testing.T) {
	db := open(t, "community.db")
	failed := errors.New("the disk is full")
	if err := db.Update(func(tx *store.Tx) error {
		if err := (Decision{By: "alice"}).Note(tx, noon, Entry{Act: "photo.hide", Subject: "p1"}); err != nil {
			return err
		}
		return failed
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if n := len(keys(t, db)); n != 0 {
		t.Errorf("%d entries, want 0", n)
	}
}

func TestFilters(t *testing.T) {
	db := open(t, "community.db")
	l := Open(db)
	note(t, db, Decision{By: "alice"}, noon, Entry{Act: "photo.hide", Subject: "p1"})
	note(t, db, Decision{By: "bob"}, noon, Entry{Act: "report.dismiss", Subject: "r1", Photo: "p1"})
	note(t, db, Decision{}, noon, Entry{Act: "photo.show", Subject: "p2"})
	note(t, db, Decision{By: Shell}, noon, Entry{Act: "bug.close", Subject: "b1"}) // somebody of that name
	for _, tt := range []struct {
		name  string
		f     Filter
		limit int
		from  int
		want  []string
		total int
	}{
		{"by somebody", Filter{By: "bob"}, 10, 0, []string{"bob report.dismiss r1"}, 1},
		{"about a photo", Filter{Subject: "p1"}, 10, 0, []string{"bob report.dismiss r1", "alice photo.hide p1"}, 2},
		{"about the photo itself", Filter{Subject: "p1", Own: true}, 10, 0, []string{"alice photo.hide p1"}, 1},
		{"of a kind", Filter{Kind: "photo"}, 10, 0, []string{"shell photo.show p2", "alice photo.hide p1"}, 2},
		{"a page", Filter{}, 2, 1, []string{"shell photo.show p2", "bob report.dismiss r1"}, 4},
		{"none", Filter{By: "eve"}, 10, 0, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, total := subjects(t, l, tt.f, tt.limit, tt.from); !slices.Equal(got, tt.want) || total != tt.total {
				t.Errorf("got %q of %d, want %q of %d", got, total, tt.want, tt.total)
			}
		})
	}
	entries, _, _ := l.List(Filter{}, 10, 0)
	for _, e := range entries {
		if want := e.Subject == "p2"; e.Shell != want {
			t.Errorf("%s: shell = %v, want %v", e.Subject, e.Shell, want)
		}
	}
}

func TestRemove(t *testing.T) {
	db := open(t, "community.db")
	for i := range 5 {
		note(t, db, Decision{}, noon.Add(time.Duration(i)*time.Hour), Entry{Act: "bug.close", Subject: string(rune('a' + i))})
	}
	must(t, db.Update(func(tx *store.Tx) error {
		n, err := Remove(tx, noon.Add(3*time.Hour), 2)
		if n != 2 {
			t.Errorf("removed %d, want 2", n)
		}
		return err
	}))
	want := []string{"shell bug.close e", "shell bug.close d", "shell bug.close c"}
	if got, _ := subjects(t, Open(db), Filter{}, 10, 0); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
