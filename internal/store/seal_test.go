package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// changed is a file with the records k1 to k9, in which a text was changed on the disk.
func changed(t *testing.T, from, to string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	for i := 1; i < 10; i++ {
		put(t, db, fmt.Sprint("k", i), fmt.Appendf(nil, `{"limit":%d000000}`, i))
	}
	must(t, db.Close())
	if _, _, err := compact(path); err != nil { // each record is there once
		t.Fatal(err)
	}
	data := filetest.Read(t, path)
	if n := bytes.Count(data, []byte(from)); n != 1 {
		t.Fatalf("%q stands %d times in the file, want 1", from, n)
	}
	filetest.Write(t, path, bytes.Replace(data, []byte(from), []byte(to), 1))
	return path
}

// A character that changed on the disk is noticed, and only its record
// is lost.
func TestDamagedRecord(t *testing.T) {
	path := changed(t, `{"limit":4000000}`, `{"limit":9000000}`)
	db := opened(t, path)
	wanted := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrDamaged) || !errors.Is(err, ErrRecord) || !strings.HasPrefix(err.Error(), "x.db: ") ||
			!strings.Contains(err.Error(), `"a"`) || strings.Contains(err.Error(), "k4") {
			t.Errorf(`%s: %v, want ErrDamaged, ErrRecord, %q at its start, "a" in it and no k4 in it`, what, err,
				"x.db: ")
		}
	}
	own := errors.New("own")
	wanted("get", db.View(func(tx *Tx) error {
		if v := tx.Bucket([]byte("a")).Get([]byte("k4")); v != nil {
			t.Errorf("it is read: %s, want none", v)
		}
		return own
	}))
	var keys []string
	wanted("each", db.View(func(tx *Tx) error {
		return Each(tx, "a", func(k, _ []byte) error {
			keys = append(keys, string(k))
			return nil
		})
	}))
	if got := strings.Join(keys, " "); got != "k1 k2 k3 k5 k6 k7 k8 k9" {
		t.Errorf("the others: %s, want k1 k2 k3 k5 k6 k7 k8 k9", got)
	}
	before := db.Commits()
	wanted("update", db.Update(func(tx *Tx) error {
		if tx.Bucket([]byte("a")).Get([]byte("k4")) != nil {
			t.Error("it is read")
		}
		return tx.Bucket([]byte("a")).Put([]byte("k5"), []byte("changed"))
	}))
	if got := get(t, db, "k5"); string(got) != `{"limit":5000000}` || db.Commits() != before {
		t.Errorf("the update was done: got %s, %d commits, want limit 5000000 and %d", got, db.Commits(), before)
	}
	wanted("check", db.Check())
	put(t, db, "k4", []byte("new")) // writing the record again mends it
	if err := db.Check(); err != nil {
		t.Error(err)
	}
}

// A transaction can go on without the records that are damaged.
func TestDamagedRecordLeftOut(t *testing.T) {
	db := opened(t, changed(t, "k4", "k0"))
	var left []error
	seen := map[string]bool{}
	err := db.View(func(tx *Tx) error {
		tx.LeaveOut(func(err error) { left = append(left, err) })
		c := tx.Bucket([]byte("a")).Cursor()
		for k, _ := c.Last(); k != nil; k, _ = c.Prev() {
			seen[string(k)] = true
		}
		if k, _ := c.Seek([]byte("k3")); string(k) != "k3" {
			t.Errorf("seek: %q, want k = k3", k)
		}
		if k, _ := c.Next(); string(k) != "k5" {
			t.Errorf("next: %q, want k = k5", k)
		}
		return nil
	})
	if err != nil || len(left) != 2 || len(seen) != 8 {
		t.Errorf("%v; left out %v; seen %v, want no error, len(left) = 2 and len(seen) = 8", err, left, seen)
	}
	// The key of a record is under its sum too; where its neighbours are ordered by it,
	// the pages do not fit either.
	if err := db.Check(); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// A bucket that is listed and not found is damage, and ends nothing.
func TestDamagedBucketName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	fill(t, path, 1)
	data := filetest.Read(t, path)
	// The first of its page.
	filetest.Write(t, path, bytes.ReplaceAll(data, []byte("large"), []byte("\xFFarge")))
	if err := Check(path); !errors.Is(err, ErrDamaged) {
		t.Errorf("check: %v, want ErrDamaged", err)
	}
	use(t, path)
	db, err := Open(path, "a", "b")
	must(t, err)
	err = db.View(func(tx *Tx) error { return describe(&strings.Builder{}, tx.Bucket([]byte("b"))) })
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("view: %v, want ErrDamaged", err)
	}
	must(t, db.Close())
}

// A whole record in the place of another is told from it.
func TestDamagedRecordMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("v"))
	var err error
	raw(t, db, func(tx *boltTx) error {
		v := bytes.Clone(tx.Bucket([]byte("sealed:a")).Get([]byte("k")))
		err = errors.Join(tx.Bucket([]byte("sealed:a")).Put([]byte("l"), v),
			tx.Bucket([]byte("sealed:b")).Put([]byte("k"), v))
		return err
	})
	for _, tt := range []struct{ bucket, key string }{
		{"a", "l"},
		{"b", "k"},
	} {
		t.Run(tt.bucket, func(t *testing.T) {
			err := db.View(func(tx *Tx) error {
				if v := tx.Bucket([]byte(tt.bucket)).Get([]byte(tt.key)); v != nil {
					t.Errorf("%s in %s is read: %q, want none", tt.key, tt.bucket, v)
				}
				return nil
			})
			if !errors.Is(err, ErrRecord) {
				t.Errorf("%s in %s: %v, want ErrRecord", tt.key, tt.bucket, err)
			}
		})
	}
	wantValue(t, db, "k", "v")
}

// raw changes a file that is open as bolt has it.
func raw(t *testing.T, db *DB, f func(tx *boltTx) error) {
	t.Helper()
	must(t, db.current.bolt.Update(f))
}

func TestCommits(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	db := opened(t, path)
	want := func(what string, db *DB, n uint64) {
		t.Helper()
		if got := db.Commits(); got != n {
			t.Errorf("%s: %d commits, want %d", what, got, n)
		}
	}
	want("new", db, 0)
	put(t, db, "k", []byte("v"))
	put(t, db, "k", []byte("w"))
	want("two", db, 2)
	before := filetest.Read(t, path)
	for _, f := range []func(tx *Tx) error{
		func(*Tx) error { return nil },
		func(tx *Tx) error { return tx.Bucket([]byte("a")).Delete([]byte("none")) },
		func(tx *Tx) error { _, err := tx.CreateBucketIfNotExists([]byte("a")); return err },
	} {
		if err := db.Update(f); err != nil {
			t.Error(err)
		}
	}
	no := errors.New("no")
	if err := db.Update(func(tx *Tx) error { return errors.Join(tx.Bucket([]byte("a")).Delete([]byte("k")), no) }); err == nil {
		t.Error("an update that fails does not")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("what changes nothing writes: got %d bytes, %v, want the %d before", len(after), err, len(before))
	}
	want("no change", db, 2)
	var copied bytes.Buffer
	if _, err := backup(db, &copied); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Compact(); err != nil {
		t.Fatal(err)
	}
	want("compacted", db, 2)
	put(t, db, "k", []byte("x"))
	must(t, db.Close())
	want("opened again", opened(t, path), 3)
	restored := filepath.Join(dir, "restored.db")
	filetest.Write(t, restored, copied.Bytes())
	read, err := OpenReadOnly(restored)
	must(t, err)
	defer read.Close()
	want("restored", read, 2)
}
