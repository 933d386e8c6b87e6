package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/tier"
)

// looping returns a function that does something again and again on a goroutine of its own, and the end of all.
func looping(t *testing.T) (work func(f func(i int) error), end func()) {
	t.Helper()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	work = func(f func(i int) error) {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := f(i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return work, func() { close(stop); wg.Wait() }
}

// deletedAndCompacted deletes the secret and compacts the file: it reports whether bytes were left before.
func deletedAndCompacted(t *testing.T, db *DB, path string, secret []byte, i int) (left bool) {
	t.Helper()
	put(t, db, "gone", bytes.Repeat(secret, 400))
	if has, err := db.HasDeleted(); has || err != nil {
		t.Fatalf("marked before a deletion: %v, %v, want false and no error", has, err)
	}
	err := db.Update(func(tx *Tx) error {
		return errors.Join(tx.Bucket([]byte("a")).Delete([]byte("gone")), MarkDeleted(tx))
	})
	must(t, err)
	if has, err := db.HasDeleted(); !has || err != nil {
		t.Fatalf("not marked: %v, %v, want true and no error", has, err)
	}
	if text, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	} else if bytes.Contains(text, secret) { // else the writer has used its pages already
		left = true
	}
	_, after, err := db.Compact()
	must(t, err)
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, secret) || int64(len(text)) < after {
		t.Fatalf("round %d: got %d bytes, %v, want at least %d without the secret", i, len(text), err, after)
	}
	if err := db.Check(); err != nil {
		t.Error(err)
	}
	return left
}

// Readers and writers of an open file do not notice that it is compacted, and
// deleted records leave the file.
func TestCompactWhileOpen(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	db := opened(t, path)
	secret := []byte("the name of somebody")
	put(t, db, "kept", []byte("kept"))
	var wrote, seen atomic.Int64
	work, end := looping(t)
	work(func(i int) error {
		defer wrote.Store(int64(i + 1))
		return db.Update(func(tx *Tx) error {
			return tx.Bucket([]byte("a")).Put(fmt.Append(nil, "n", i), make([]byte, 2000))
		})
	})
	for range 2 {
		work(func(i int) error {
			n := wrote.Load()
			return db.View(func(tx *Tx) error {
				seen.Add(1)
				b := tx.Bucket([]byte("a"))
				if string(b.Get([]byte("kept"))) != "kept" || n > 0 && b.Get(fmt.Append(nil, "n", n-1)) == nil {
					return fmt.Errorf("what was written is lost: %d", n)
				}
				return nil
			})
		})
	}
	left := 0
	for i := range 20 {
		before := wrote.Load()
		if deletedAndCompacted(t, db, path, secret, i) {
			left++
		}
		for wrote.Load() == before && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
	}
	end()
	if left == 0 {
		t.Error("no deletion left a byte in the file: this proves nothing")
	}
	must(t, db.Close())
	if _, _, err := db.Compact(); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("compact after close: got %v, want an error that is not ErrDamaged", err)
	}
	if err := db.Check(); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("check after close: got %v, want an error that is not ErrDamaged", err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left over: %v, want len(names) = 1", names)
	}
	again := opened(t, path)
	for i := range wrote.Load() {
		if get(t, again, "n"+strconv.Itoa(int(i))) == nil {
			t.Fatalf("write %d of %d is lost", i, wrote.Load())
		}
	}
	t.Logf("%d writes, %d reads", wrote.Load(), seen.Load())
}

func TestCompactReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	fill(t, path, 10)
	db, err := OpenReadOnly(path)
	must(t, err)
	defer db.Close()
	if _, _, err := db.Compact(); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want fs.ErrPermission", err)
	}
}

// A file that is damaged while it is open is told of by Check and not compacted
// over, and the process goes on.
func TestCheckAndCompactDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	fill(t, path, 400)
	db := opened(t, path)
	must(t, db.Check())
	data := filetest.Read(t, path)
	found := 0
	for at := 8192; at < lastPage(data); at += 4096 {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		if _, err := f.WriteAt([]byte{0xFF}, int64(at)+10); err != nil { // the number of elements of a page
			t.Fatal(err)
		}
		bad := db.Check()
		if bad != nil && !errors.Is(bad, ErrDamaged) {
			t.Errorf("page %d: got %v, want ErrDamaged or none", at/4096, bad)
		}
		if bad != nil && !errors.Is(bad, ErrRecord) { // else Compact copies it with its sum
			found++
			if _, _, err := db.Compact(); !errors.Is(err, ErrDamaged) {
				t.Errorf("page %d is compacted: %v, want ErrDamaged", at/4096, err)
			}
		}
		if _, err := f.WriteAt(data[at:at+4096], int64(at)); err != nil {
			t.Fatal(err)
		}
		must(t, f.Close())
	}
	if found < 5 {
		t.Errorf("%d damaged pages are found, want at least 5", found)
	}
	if err := db.Check(); err != nil {
		t.Errorf("as it was: %v", err)
	}
}

// compact is Compact of a file that nobody has open.
func compact(path string) (before, after int64, err error) {
	db, err := open(path, os.O_RDWR, math.MaxInt64)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Compact()
}

func TestCompact(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	fill(t, path, 3000)
	db := opened(t, path)
	for i := range 8 {
		put(t, db, fmt.Sprint("large", i), make([]byte, 1<<20))
	}
	for i := range 8 {
		must(t, db.Update(func(
			tx *Tx) error {
			return tx.Bucket([]byte("a")).Delete(fmt.Append(nil, "large", i))
		}))
	}
	must(t, db.Close())
	keptOwner := giveAway(t, path)
	a, b := content(t, path, "a"), content(t, path, "b")
	before, after, err := compact(path)
	if err != nil || after >= before/2 {
		t.Fatalf("%d to %d bytes, %v, want less than %d and no error", before, after, err, before/2)
	}
	if content(t, path, "a") != a || content(t, path, "b") != b {
		t.Error("the content has changed")
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != after {
		t.Errorf("got %v, %v, want no error, Size = %v", info, err, after)
	}
	keptOwner(info)
	if err := Check(path); err != nil {
		t.Error(err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left over: %v, want len(names) = 1", names)
	}
}

// Compact makes no file larger, and says so when there is nothing to gain.
func TestCompactWithoutGain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(path)
		must(t, err)
		return info.Size()
	}
	for i := range 60 { // values of over a page, as archives have: what bolt allocates must not show
		put(t, db, fmt.Sprint("kept", i), bytes.Repeat([]byte{byte(i)}, 100_000))
	}
	_, _, err := db.Compact()
	must(t, err)
	settled := size()
	if settled > 8_000_000 { // 8 MiB is what bolt allocates by itself
		t.Errorf("6 MB of values take %d bytes after Compact", settled)
	}
	before, after, err := db.Compact()
	if err != nil || before != settled || after != settled || size() != settled {
		t.Errorf("again: %d to %d, %v, the file has %d; want %d everywhere", before, after, err, size(), settled)
	}
	err = db.Update(func(tx *Tx) error {
		return errors.Join(tx.Bucket([]byte("a")).Delete([]byte("kept7")), MarkDeleted(tx))
	})
	must(t, err)
	if before, after, err = db.Compact(); err != nil || after >= before || size() != after {
		t.Errorf("after a deletion: %d to %d, %v, the file has %d; want less", before, after, err, size())
	}
	if has, err := db.HasDeleted(); has || err != nil {
		t.Errorf("marked after Compact: %v, %v, want false", has, err)
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left over: %v, want one file", names)
	}
}
