package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/killtest"
)

type boltTx = bolt.Tx

// firstFormat makes a file as d4fd069 did: records as they are, in buckets of the file.
func firstFormat(t testing.TB, path string, n int) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		a, err1 := tx.CreateBucket([]byte("a"))
		b, err2 := tx.CreateBucket([]byte("b"))
		_, err3 := tx.CreateBucket([]byte(deletedBucket))
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		for i := range n {
			if err := a.Put(fmt.Appendf(nil, "%06d", i), valueOf(i)); err != nil {
				return err
			}
		}
		small, err := b.CreateBucket([]byte("of somebody"))
		if err != nil {
			return err
		}
		return errors.Join(small.Put([]byte("empty"), nil), small.SetSequence(7), a.SetSequence(3),
			b.Put([]byte("z"), []byte("after")))
	})
	must(t, errors.Join(err, db.Close()))
}

func valueOf(i int) []byte { return bytes.Repeat([]byte{byte(i)}, i*131%3000) }

// wantFirst makes sure that a file holds what firstFormat put.
func wantFirst(t testing.TB, db *DB, n int) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		a, small := tx.Bucket([]byte("a")), tx.Bucket([]byte("b")).Bucket([]byte("of somebody"))
		i := 0
		err := a.ForEach(func(k, v []byte) error {
			if want := fmt.Sprintf("%06d", i); string(k) != want || !bytes.Equal(v, valueOf(i)) {
				return fmt.Errorf("%q has %d bytes, want %s", k, len(v), want)
			}
			i++
			return nil
		})
		if v := small.Get([]byte("empty")); err == nil && (i != n || v == nil || len(v) != 0 || small.Sequence() != 7 ||
			a.Sequence() != 3 ||
			string(tx.Bucket([]byte("b")).Get([]byte("z"))) != "after") {
			err = fmt.Errorf("%d records of %d, %v, sequences %d and %d", i, n, v, small.Sequence(), a.Sequence())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if has, err := db.HasDeleted(); !has || err != nil {
		t.Fatalf("that something was deleted is lost: %v, has %v, want no error and has = true", err, has)
	}
}

func TestFirstFormat(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	firstFormat(t, path, 3000)
	must(t, os.Chmod(path, 0o640))
	before := filetest.Read(t, path)
	read, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	wantFirst(t, read, 3000)
	must(t, errors.Join(read.Check(), read.Close()))
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
		t.Fatalf("reading changes the file: got %d bytes, %v, want the %d before", len(now), err, len(before))
	}
	for range 2 {
		db, err := Open(path, "a", "b", "c")
		if err != nil {
			t.Fatal(err)
		}
		wantFirst(t, db, 3000)
		raw(t, db, func(tx *boltTx) error {
			if tx.Bucket([]byte("sealed:a")) == nil {
				t.Error("it is not sealed")
			}
			return nil
		})
		put(t, db, "000001", valueOf(1))
		must(t, errors.Join(db.Check(), db.Close()))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v, want no error and Perm = 0o640", info.Mode(), err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left over: %v, want len(names) = 1", names)
	}
}

// Without room for the new file the old one is read, nothing is written to it,
// and when there is room it goes on without a restart.
func TestFirstFormatOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	path, filler := filepath.Join(dir, "x.db"), filepath.Join(dir, "filler")
	firstFormat(t, path, 300)
	if err := os.WriteFile(filler, make([]byte, 3<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v, want syscall.ENOSPC", err)
	}
	db := opened(t, path)
	wantFirst(t, db, 300)
	change := func(tx *Tx) error { return tx.Bucket([]byte("a")).Put([]byte("new"), []byte("v")) }
	if err := db.Update(change); !errors.Is(err, syscall.ENOSPC) ||
		!strings.HasPrefix(err.Error(), "bring to the format of this version x.db: ") {
		t.Errorf("update: %v, want syscall.ENOSPC and %q at its start", err,
			"bring to the format of this version x.db: ")
	}
	wantFirst(t, db, 300)
	must(t, os.Remove(filler))
	db.sealing.at = db.sealing.at.Add(-tryAgain)
	if err := db.Update(change); err != nil {
		t.Errorf("there is room: %v", err)
	}
	wantValue(t, db, "new", "v")
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left over: %v, want len(names) = 1", names)
	}
}

func TestNewerFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("v"))
	raw(t, db, func(tx *boltTx) error { return putNumber(tx.Bucket([]byte(infoBucket)), formatKey, format+1) })
	must(t, db.Close())
	before := filetest.Read(t, path)
	for _, tt := range []struct {
		what string
		open func() error
	}{
		{"open", func() error { _, err := Open(path, "a", "new"); return err }},
		{"read only", func() error { _, err := OpenReadOnly(path); return err }},
		{"check", func() error { return Check(path) }},
		{"compact", func() error { _, _, err := compact(path); return err }},
	} {
		t.Run(tt.what, func(t *testing.T) {
			err := tt.open()
			if !errors.Is(err, errNewer) || errors.Is(err, ErrDamaged) ||
				!strings.Contains(err.Error(), "x.db: it was written by a newer relais") {
				t.Errorf("%s: got %v, want ErrNewer, written by a newer relais, and not ErrDamaged", tt.what, err)
			}
		})
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
		t.Errorf("the file has changed: got %d bytes, %v, want the %d before", len(now), err, len(before))
	}
}

// d4fd069 reads a record of every bucket as JSON and shows the key of the first that is
// none; it adds no bucket, which would be a change.
func TestNotice(t *testing.T) {
	dir := t.TempDir()
	made, sealed := filepath.Join(dir, "made.db"), filepath.Join(dir, "sealed.db")
	firstFormat(t, sealed, 10)
	for _, path := range []string{made, sealed} {
		db := opened(t, path)
		put(t, db, "k", []byte("v"))
		must(t, db.Close())
		old, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		err = old.View(func(tx *bolt.Tx) error {
			for _, name := range []string{"a", "b"} {
				b := tx.Bucket([]byte(name))
				if b == nil {
					t.Errorf("%s: there is no %s", path, name)
					continue
				}
				k, v := b.Cursor().First()
				if !strings.Contains(string(k), "this folder was written by a newer relais") || json.Valid(v) ||
					b.Inspect().KeyN != 1 {
					t.Errorf("%s: %s: got %q, %q, want one record that says that a newer relais wrote the folder",
						path, name, k, v)
				}
			}
			return nil
		})
		if err := errors.Join(err, old.Close()); err != nil {
			t.Error(err)
		}
	}
}

// sealForEver brings a copy of a file to the second format, over and over.
func sealForEver(pristine, path string) error {
	for {
		data, err := os.ReadFile(pristine)
		if err != nil {
			return err
		}
		if err := folder.ReplacePrivate(path,
			func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			return err
		}
		db, err := Open(path, "a", "b")
		if err != nil {
			return err
		}
		if !db.current.sealed {
			return fmt.Errorf("it is not sealed: %w", db.sealing.err)
		}
		if err := db.Close(); err != nil {
			return err
		}
		fmt.Println("sealed")
	}
}

func TestSealingIsKilled(t *testing.T) {
	const records = 2000
	dir := t.TempDir()
	pristine, path := filepath.Join(dir, "pristine"), filepath.Join(dir, "x.db")
	firstFormat(t, pristine, records)
	sealed := 0
	for round := range 8 {
		killtest.Run(t, 250*time.Millisecond, func(string) { sealed++ }, "seal", pristine, path)
		if _, err := os.Stat(path); err != nil { // killed before it began
			continue
		}
		db, err := Open(path, "a", "b")
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		wantFirst(t, db, records)
		must(t, errors.Join(db.Check(), db.Close()))
	}
	t.Logf("sealed %d times", sealed)
}
