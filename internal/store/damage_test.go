package store

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolterrors "go.etcd.io/bbolt/errors"

	"relais/internal/filetest"
	"relais/internal/tier"
)

// use does all that can be done with a file, which must not panic.
func use(t testing.TB, path string) {
	t.Helper()
	if err := Check(path); err != nil && !errors.Is(err, ErrDamaged) {
		t.Errorf("check: got %v, want ErrDamaged or none", err)
	}
	if db, err := OpenReadOnly(path); err == nil {
		read(t, db)
		db.Close()
	}
	db, err := Open(path, "a", "b", "new")
	if err != nil {
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, bolterrors.ErrIncompatibleValue) {
			t.Errorf("open: got %v, want ErrDamaged", err)
		}
		return
	}
	defer db.Close()
	read(t, db)
	for range 2 {
		err := db.Update(func(tx *Tx) error {
			if b := tx.Bucket([]byte("a")); b != nil {
				return errors.Join(b.Put([]byte("key-00500"), make([]byte, 500)), b.Delete([]byte("key-00010")))
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("update: got %v, want ErrDamaged or none", err)
		}
	}
}

func read(t testing.TB, db *DB) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		for _, name := range []string{"a", "b"} {
			if b := tx.Bucket([]byte(name)); b != nil {
				if err := describe(&strings.Builder{}, b); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrDamaged) {
		t.Errorf("view: got %v, want ErrDamaged or none", err)
	}
}

// sealMeta gives the meta pages of a file of 4096-byte pages their checksums, so
// that what was broken in them is believed.
func sealMeta(data []byte) {
	for _, at := range []int{0, 4096} {
		if len(data) >= at+80 {
			sum := fnv.New64a()
			sum.Write(data[at+16 : at+72])
			order.PutUint64(data[at+72:], sum.Sum64())
		}
	}
}

// sound is a good file and its bytes.
func sound(t testing.TB, keys int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound.db")
	fill(t, path, keys)
	if _, _, err := compact(path); err != nil { // the size is the least
		t.Fatal(err)
	}
	db := opened(t, path)
	put(t, db, "key-00020", nil) // a list of free pages
	must(t, db.Close())
	data := filetest.Read(t, path)
	return data[:lastPage(data)]
}

func lastPage(data []byte) int {
	return 4096 * int(max(order.Uint64(data[16+40:]), order.Uint64(data[4096+16+40:])))
}

func TestDamaged(t *testing.T) {
	tier.Slow(t)
	data := sound(t, 400)
	t.Logf("%d bytes", len(data))
	path := filepath.Join(t.TempDir(), "x.db")
	try := func(what string, data []byte) {
		t.Helper()
		filetest.Write(t, path, data)
		use(t, path)
		if t.Failed() {
			t.Fatalf("failed with %s", what)
		}
	}
	every := 1 // of the samples
	if !tier.Full() {
		every = 10
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n := 0; n <= len(data); n += 997 * every {
		try(fmt.Sprintf("cut to %d", n), data[:n])
	}
	for i := range 900 / every {
		at := random.IntN(len(data))
		if i%2 == 0 { // the heads of pages, where the numbers are
			at = at/4096*4096 + random.IntN(200)
		}
		bad := bytes.Clone(data)
		bad[at] ^= 1 << random.IntN(8)
		if i%3 == 0 {
			copy(bad[at:], []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})
		}
		if i%5 != 0 {
			sealMeta(bad)
		}
		try(fmt.Sprintf("byte %d, %d", at, i), bad)
	}
	for i := 0; i < len(data)/4096; i += every {
		for _, from := range []int{0, 2, 3, len(data)/4096 - 1} {
			bad := bytes.Clone(data)
			copy(bad[4096*i:], data[4096*from:4096*(from+1)])
			try(fmt.Sprintf("page %d over page %d", from, i), bad)
		}
		try("zeros", append(append(bytes.Clone(data[:4096*i]), make([]byte, 4096)...), data[4096*(i+1):]...))
	}
	for _, n := range []int{1, 80, 4096, 8192, 100000} {
		garbage := make([]byte, n)
		try("zeros", garbage)
		for i := range garbage {
			garbage[i] = byte(random.Uint32())
		}
		try("garbage", garbage)
	}
}

func TestDamagedSaysSo(t *testing.T) {
	data := sound(t, 400)
	root := order.Uint64(data[16+16:]) * 4096
	if order.Uint64(data[4096+16+48:]) > order.Uint64(data[16+48:]) {
		root = order.Uint64(data[4096+16+16:]) * 4096
	}
	broken := func(f func(data []byte)) []byte {
		bad := bytes.Clone(data)
		f(bad)
		sealMeta(bad)
		return bad
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "it is empty"},
		{"text", bytes.Repeat([]byte("hello "), 2000), "no valid meta page"},
		{"cut", data[:len(data)-1], "it is cut off"},
		{"no root", broken(func(b []byte) { clear(b[root : root+4096]) }), "has the id 0"},
		{"no list of free pages", broken(func(b []byte) {
			for _, at := range []int{0, 4096} {
				order.PutUint64(b[at+16+32:], ^uint64(0))
			}
		}), "list of free pages"},
		{"a value outside its page", broken(func(b []byte) { b[root+16+14] = 0xFF }), "lies outside it"},
	} {
		path := filetest.New(t, "x.db", c.data)
		_, err := Open(path, "a")
		if !errors.Is(err, ErrDamaged) || !strings.HasPrefix(err.Error(), "x.db: ") ||
			!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("%s: %v, want ErrDamaged, %q at its start, %q in it and backup in it", c.name, err, "x.db: ",
				c.want)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, c.data) {
			t.Errorf("%s: the file has changed: got %d bytes, %v, want the %d before", c.name, len(now), err,
				len(c.data))
		}
	}
}

// What happens to a file that is open: another program writes over it, or the
// disk no longer gives it back.
func TestDamagedWhileOpen(t *testing.T) {
	for _, c := range []struct {
		name string
		size int64
	}{{"all but the meta pages is gone", 8192}, {"all is gone", 0}} {
		path := filepath.Join(t.TempDir(), "x.db")
		fill(t, path, 400)
		db, err := Open(path, "a")
		must(t, err)
		must(t, os.Truncate(path, c.size))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range 3 {
				do := func(tx *Tx) error {
					tx.Bucket([]byte("a")).Get([]byte("key-00300"))
					return nil
				}
				for _, err := range []error{db.Update(do), db.View(do)} {
					if !errors.Is(err, ErrDamaged) {
						t.Errorf("%s: %v, want ErrDamaged", c.name, err)
					}
				}
			}
			db.Close()
		}()
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatalf("%s: a lock is kept", c.name)
		}
		if _, err := Open(path); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: open after close: %v, want ErrDamaged", c.name, err)
		}
	}
}

func TestCheckTellsTheFirstProblems(t *testing.T) {
	data := sound(t, 400)
	bad := bytes.ReplaceAll(data, []byte("key-"), []byte("yek-"))
	for i := 1; i < 10; i++ { // out of order, in a way that follows the format
		bad = bytes.ReplaceAll(bad, fmt.Appendf(nil, "yek-00%d", i), fmt.Appendf(nil, "yek-99%d", 9-i))
	}
	path := filetest.New(t, "x.db", bad)
	err := Check(path)
	if !errors.Is(err, ErrDamaged) || strings.Count(err.Error(), "\n") > maxProblems ||
		strings.Contains(err.Error(), fmt.Sprintf("%x", "yek-99")) {
		t.Errorf("got %v, want ErrDamaged with at most %d problems and no keys", err, maxProblems)
	}
	use(t, path)
}

func FuzzOpen(f *testing.F) {
	data := sound(f, 60)
	f.Add(data, false)
	f.Add(data, true)
	f.Add(data[:len(data)/2], true)
	f.Add([]byte{}, false)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			sealMeta(data)
		}
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		filetest.Write(t, path, data)
		use(t, path)
	})
}
