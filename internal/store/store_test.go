package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/tier"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

func opened(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(path, "a", "b")
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func put(t testing.TB, db *DB, key string, value []byte) {
	t.Helper()
	must(t, db.Update(func(tx *Tx) error { return tx.Bucket([]byte("a")).Put([]byte(key), value) }))
}

// get answers nil for a key that is missing.
func get(t testing.TB, db *DB, key string) (value []byte) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		value = bytes.Clone(tx.Bucket([]byte("a")).Get([]byte(key)))
		return nil
	})
	must(t, err)
	return value
}

func wantValue(t testing.TB, db *DB, key, want string) {
	t.Helper()
	if got := get(t, db, key); string(got) != want {
		t.Errorf("%s is %q, want %q", key, got, want)
	}
}

func TestOpenCreates(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	// What a killed creation leaves.
	filetest.Write(t, filepath.Join(dir, ".x.db.tmp-1"), "half")
	db := opened(t, path)
	put(t, db, "k", []byte("v"))
	must(t, db.Close())
	must(t, folder.SweepTemporary(dir))
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left over: %v, want len(names) = 1", names)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want no error and Perm = 0o600", info.Mode(), err)
	}
	db, err := Open(path, "a", "c")
	must(t, err)
	defer db.Close()
	wantValue(t, db, "k", "v")
	err = db.View(func(tx *Tx) error {
		if tx.Bucket([]byte("c")) == nil {
			t.Error("the missing bucket was not made")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none", "x.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v, want fs.ErrNotExist", err)
	}
	if _, err := OpenReadOnly(filepath.Join(dir, "x.db")); !errors.Is(err, fs.ErrNotExist) ||
		strings.Contains(err.Error(), dir) {
		t.Errorf("a missing file: %v, want fs.ErrNotExist and no %q in it", err, dir)
	}
	if err := Check(filepath.Join(dir, "x.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, want fs.ErrNotExist", err)
	}
	if _, _, err := compact(filepath.Join(dir, "x.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, want fs.ErrNotExist", err)
	}
	if _, err := Open(filepath.Join(dir, "x.db"), ""); err == nil {
		t.Error("a bucket without a name was made")
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("left over: %v, want none", names)
	}
	for _, open := range []func(string) error{
		func(p string) error { _, err := Open(p); return err },
		func(p string) error { _, err := OpenReadOnly(p); return err }, Check,
	} {
		if err := open(dir); err == nil {
			t.Error("a folder was opened")
		}
	}
}

func TestCreateTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for {
				db, err := Open(path, "a")
				if errors.Is(err, ErrHeld) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				put(t, db, fmt.Sprint(i), []byte("v"))
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				return
			}
		})
	}
	wg.Wait()
	db := opened(t, path)
	for i := range 8 {
		if get(t, db, fmt.Sprint(i)) == nil {
			t.Errorf("what opener %d wrote is lost", i)
		}
	}
}

func TestHeld(t *testing.T) {
	tier.Slow(t)
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	for _, tt := range []struct {
		name string
		f    func() error
	}{
		{"open", func() error { _, err := Open(path); return err }},
		{"read only", func() error { _, err := OpenReadOnly(path); return err }},
		{"check", func() error { return Check(path) }},
		{"compact", func() error { _, _, err := compact(path); return err }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.f(); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), "x.db") {
				t.Errorf("%s: got %v, want that x.db is held", tt.name, err)
			}
		})
	}
	patience = time.Minute
	defer func() { patience = time.Second }()
	time.AfterFunc(300*time.Millisecond, func() { db.Close() })
	second, err := Open(path)
	if err != nil {
		t.Fatalf("the file was free in time: %v", err)
	}
	second.Close()
}

func TestReadOnly(t *testing.T) {
	tier.Slow(t)
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("v"))
	must(t, errors.Join(db.Close(), os.Chmod(path, 0o444)))
	for range 2 { // at once
		db, err := OpenReadOnly(path)
		must(t, err)
		defer db.Close()
		wantValue(t, db, "k", "v")
		if err := db.Update(func(*Tx) error { return nil }); !folder.ReadOnly(err) {
			t.Errorf("update: got %v, want an error of a read-only folder", err)
		}
		if _, err := backup(db, &bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	}
	if err := Check(path); err != nil {
		t.Error(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrHeld) && !folder.ReadOnly(err) {
		t.Errorf("Open while readers have the file = %v, want ErrHeld", err)
	}
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	no := errors.New("no")
	change := func(end func() error) func(*Tx) error {
		return func(tx *Tx) error {
			if err := tx.Bucket([]byte("a")).Put([]byte("k"), []byte("v")); err != nil {
				t.Error(err)
			}
			return end()
		}
	}
	if err := db.Update(change(func() error { return no })); err != no {
		t.Errorf("error %v, want %v", err, no)
	}
	func() {
		defer func() {
			if p := recover(); p != "own" {
				t.Errorf("the caller's panic became %v, want own", p)
			}
		}()
		db.Update(change(func() error { panic("own") }))
	}()
	if got := get(t, db, "k"); got != nil {
		t.Errorf("got %q, want none", got)
	}
	put(t, db, "k", []byte("w")) // nothing is held
	must(t, db.Close())
	if err := db.View(func(*Tx) error { return nil }); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("view after close: got %v, want an error that is not ErrDamaged", err)
	}
}

// A View that lasts (a backup to a slow disk) must not hold up writers.
func TestGrowsBesideAView(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	err := db.View(func(*Tx) error {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 16 {
				put(t, db, fmt.Sprint(i), make([]byte, 1<<20))
			}
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Error("the writer waits for the reader")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// backup copies a file as it is at one moment.
func backup(db *DB, w io.Writer) (n int64, err error) {
	err = ViewAll([]*DB{db}, func(txs []*Tx) error {
		n, err = txs[0].WriteTo(w)
		return err
	})
	return n, err
}

func TestBackupWhileWriting(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, filepath.Join(dir, "x.db"))
	stop, done := make(chan struct{}), make(chan struct{})
	started := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			err := db.Update(func(tx *Tx) error { // both or none
				key, value := fmt.Appendf(nil, "%d", i%500), bytes.Repeat([]byte{byte(i)}, i%5000)
				return errors.Join(tx.Bucket([]byte("a")).Put(key, value), tx.Bucket([]byte("b")).Put(key, value))
			})
			if err != nil {
				t.Error(err)
			}
			if i == 20 {
				close(started)
			}
		}
	}()
	<-started
	for i := range 10 {
		path := filepath.Join(dir, fmt.Sprint(i))
		var copied bytes.Buffer
		n, err := backup(db, &copied)
		if err != nil || n != int64(copied.Len()) {
			t.Fatalf("%d of %d bytes, %v, want %d and no error", n, copied.Len(), err, copied.Len())
		}
		filetest.Write(t, path, copied.Bytes())
		if err := Check(path); err != nil {
			t.Error(err)
		}
		if a, b := content(t, path, "a"), content(t, path, "b"); len(a) < 20 || a != b {
			t.Errorf("the copy is not of one moment: got %d and %d bytes, want the same, at least 20", len(a), len(b))
		}
	}
	close(stop)
	<-done
	full := errors.New("full")
	if _, err := backup(db, writer(func(p []byte) (int, error) { return 0, full })); err == nil ||
		!strings.Contains(err.Error(), "full") {
		t.Errorf("backup to a full disk: %v, want an error with full", err)
	}
	put(t, db, "k", nil)
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// content is all that a bucket holds, as text.
func content(t testing.TB, path, bucket string) string {
	t.Helper()
	db, err := OpenReadOnly(path)
	must(t, err)
	defer db.Close()
	var all strings.Builder
	err = db.View(func(tx *Tx) error { return describe(&all, tx.Bucket([]byte(bucket))) })
	must(t, err)
	return all.String()
}

func describe(all *strings.Builder, b *Bucket) error {
	fmt.Fprintf(all, "sequence %d\n", b.Sequence())
	return b.ForEach(func(k, v []byte) error {
		fmt.Fprintf(all, "%q: %x %v\n", k, v, v == nil)
		if v == nil {
			return describe(all, b.Bucket(k))
		}
		return nil
	})
}

// fill writes small, large, empty and nested things.
func fill(t testing.TB, path string, keys int) {
	t.Helper()
	db := opened(t, path)
	err := db.Update(func(tx *Tx) error {
		a := tx.Bucket([]byte("a"))
		for i := range keys {
			key := fmt.Appendf(nil, "key-%05d", i)
			if err := a.Put(key, bytes.Repeat([]byte{byte(i)}, i*37%300)); err != nil {
				return err
			}
		}
		small, err := tx.Bucket([]byte("b")).CreateBucket([]byte("small")) // in a value
		if err != nil {
			return err
		}
		large, err := tx.Bucket([]byte("b")).CreateBucket([]byte("large"))
		if err != nil {
			return err
		}
		return errors.Join(small.Put([]byte("k"), []byte("v")), small.SetSequence(7),
			large.Put([]byte("k"), make([]byte, 10000)), large.Put([]byte("empty"), nil))
	})
	must(t, err)
	for i := range 3 { // free pages
		must(t, db.Update(func(
			tx *Tx) error {
			return tx.Bucket([]byte("a")).Delete(fmt.Appendf(nil, "key-%05d", i))
		}))
	}
	must(t, db.Close())
}
