package photos

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/store"
)

// A deleted photo cannot be read at once. Its bytes leave the disk when the files are
// compacted; the files report that they need it.
func TestDelete(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, _ := opened(t, dir, (&clock{at: noon}).now)
	n := newOf("fr-1", "", 1)
	n.Caption, n.Images[Main] = "a caption that must go", []byte("an image that must go")
	gone, stays := add(t, s, n), add(t, s, newOf("fr-1", "", 2))
	report(t, s, gone.ID, "a", "spam", "a description that must go")
	month, err := s.Month("2026-11")
	must(t, err)
	marked := func(want bool) {
		t.Helper()
		for _, db := range []*store.DB{s.db, month} {
			if has, err := db.HasDeleted(); has != want || err != nil {
				t.Errorf("marked = %v, %v; want false", has, err)
			}
		}
	}
	marked(false)
	if _, err := s.Delete(gone.ID, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	marked(true)
	for _, err := range []error{errorOf(s.get(gone.ID)), errorOf(s.Image(gone.ID, Main)), errorOf(s.Delete(gone.ID, audit.Decision{})),
		errorOf(s.Hide(gone.ID, audit.Decision{})), errorOf(s.Show(gone.ID, audit.Decision{}))} {
		if !errors.Is(err, ErrNoPhoto) {
			t.Errorf("read after deletion: error = %v, want ErrNoPhoto", err)
		}
	}
	traces := func() (n int) {
		for _, name := range []string{"photos.db", FileOf("2026-11")} {
			text := filetest.Read(t, filepath.Join(string(dir), name))
			n += bytes.Count(text, []byte("must go"))
		}
		return n
	}
	if traces() == 0 {
		t.Error("the files had no traces before compaction: the test shows nothing")
	}
	for _, db := range []*store.DB{s.db, month} {
		if _, _, err := db.Compact(); err != nil {
			t.Error(err)
		}
	}
	marked(false)
	if n := traces(); n > 0 {
		t.Errorf("%d traces are left, want none", n)
	}
	wantImage(t, s, stays.ID, Main, imagesOf(2))
	mustBeWhole(t, s, 1)
}

// A crash leaves marked images: those without a record are swept, by the
// next addition as well, and the others stay.
func TestSweep(t *testing.T) {
	for _, by := range []string{"sweep", "addition"} {
		dir := folder.Dir(t.TempDir())
		s, stop := opened(t, dir, (&clock{at: noon}).now)
		p := add(t, s, newOf("fr-1", "", 1))
		deleted := add(t, s, newOf("fr-1", "", 2))
		m, err := s.month("2026-11", false)
		must(t, err)
		orphan := key("01a1fdfe-1f74-743c-b84c-9104dadcbed7")
		must(t, errors.Join(
			s.updateMonth(m, func(tx *store.Tx) error { return putImages(tx, orphan, imagesOf(3)) }),
			s.updateMonth(m, func(tx *store.Tx) error {
				return errors.Join(markOpen(tx, key(p.ID)), markOpen(tx, key(deleted.ID)))
			}),
			s.update(func(tx *store.Tx) error {
				return removePhoto(tx, deleted, func(*store.Tx, *Photo) error { return nil })
			}),
		))
		if _, err := s.CheckMonth("2026-11"); err != nil {
			t.Errorf("before the sweep: %v", err)
		}
		stop()
		s, _ = opened(t, dir, (&clock{at: noon}).now)
		want := 1
		if by == "sweep" {
			err = s.Sweep()
		} else {
			add(t, s, newOf("fr-1", "", 4))
			want++
		}
		if n := images(t, s, "2026-11"); n != want || err != nil {
			t.Errorf("%s: %d photos have images, %v, want %d and no error", by, n, err, want)
		}
		db, err := s.Month("2026-11")
		must(t, err)
		if has, err := db.HasDeleted(); !has || err != nil {
			t.Errorf("%s: marked: %v, %v, want true and no error", by, has, err)
		}
		mustBeWhole(t, s, want)
	}
}

func damage(bucket string, f func(b *store.Bucket, key []byte) error) func(s *Store, key []byte) error {
	return func(s *Store, key []byte) error {
		m, err := s.month("2026-11", false)
		if err != nil {
			return err
		}
		db := s.db
		if bucket == imagesBucket {
			db = m.db
		}
		return db.Update(func(tx *store.Tx) error { return f(tx.Bucket([]byte(bucket)), key) })
	}
}

func remove(b *store.Bucket, key []byte) error { return b.Delete(key) }

var damages = []struct {
	name string
	do   func(s *Store, key []byte) error
}{
	{"a record that is gone", damage(photosBucket, remove)},
	{"a record that is other",
		damage(photosBucket, func(b *store.Bucket, key []byte) error { return b.Put(key, []byte(`{"id":"x"}`)) })},
	{"a damaged record",
		damage(photosBucket, func(b *store.Bucket, key []byte) error { return b.Put(key, []byte(`{`)) })},
	{"no site", damage(sitesBucket,
		func(b *store.Bucket, key []byte) error { return b.Delete(append(sitePrefix("fr-1"), key...)) })},
	{"another site", damage(sitesBucket,
		func(b *store.Bucket, key []byte) error { return b.Put(append(sitePrefix("fr-2"), key...), []byte("v")) })},
	{"hidden and shown", damage(hiddenBucket,
		func(b *store.Bucket, key []byte) error { return b.Put(key, []byte{}) })},
	{"a short key", damage(hiddenBucket,
		func(b *store.Bucket, key []byte) error { return b.Put([]byte("x"), []byte{}) })},
	{"a queue of nobody", damage(pendingBucket,
		func(b *store.Bucket, key []byte) error { return b.Put([]byte("x"), []byte{}) })},
	{"a report of nobody",
		damage(reportsBucket, func(b *store.Bucket, key []byte) error { return b.Put([]byte("x"), []byte("{}")) })},
	{"a report not found",
		damage(reportIDsBucket,
			func(b *store.Bucket, key []byte) error {
				k, _ := b.Cursor().First()
				return b.Delete(k)
			})},
	{"images that are gone",
		damage(imagesBucket, func(b *store.Bucket, key []byte) error { return b.DeleteBucket(key) })},
	{"an image that is gone",
		damage(imagesBucket, func(b *store.Bucket, key []byte) error { return b.Bucket(key).Delete([]byte(OG)) })},
	{"an image that is other", damage(imagesBucket, func(b *store.Bucket, key []byte) error {
		return b.Bucket(key).Put([]byte(OG), bytes.ToUpper(imagesOf(1)[OG]))
	})},
	{"images of nobody", damage(imagesBucket, func(b *store.Bucket, key []byte) error {
		_, err := b.CreateBucket([]byte("0123456789abcdef"))
		return err
	})},
}

// A check names images that are lost, changed, or without a record.
func TestCheckFinds(t *testing.T) {
	for _, tt := range damages {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := fresh(t)
			p := add(t, s, newOf("fr-1", "", 1))
			report(t, s, p.ID, "a", "spam", "")
			must(t, tt.do(s, key(p.ID)))
			_, _, err1 := s.CheckRecords()
			_, err2 := s.CheckMonth("2026-11")
			if errors.Join(err1, err2) == nil {
				t.Errorf("%s: the check found nothing, want an error", tt.name)
			}
		})
	}
}

func TestLostMonth(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, stop := opened(t, dir, (&clock{at: noon}).now)
	p := add(t, s, newOf("fr-1", "", 1))
	stop()
	path := filepath.Join(string(dir), FileOf("2026-11"))
	must(t, os.Remove(path))
	s, _ = opened(t, dir, time.Now)
	if _, err := s.Image(p.ID, Main); !errors.Is(err, errLost) {
		t.Error(err)
	}
	if _, _, err := s.CheckRecords(); !errors.Is(err, errLost) {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading created a file")
	}
	if _, err := s.Delete(p.ID, audit.Decision{}); err != nil {
		t.Error(err)
	}
	mustBeWhole(t, s, 0)
}

// Several processes may read a folder read-only; writing fails then.
func TestReadOnly(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, stop := opened(t, dir, (&clock{at: noon}).now)
	p := add(t, s, newOf("fr-1", "", 1))
	r := report(t, s, p.ID, "a", "spam", "x")
	stop()
	none := Open(nil, folder.Dir(t.TempDir()), time.Now)
	if l, total, err := none.List("fr-1", nil, 10, 0); len(l) != 0 || total != 0 || err != nil || l == nil {
		t.Errorf("List = %v, %d, %v, want none, a value, 0 and no error", l, total, err)
	}
	if _, err := none.Image(p.ID, Main); !errors.Is(err, ErrNoPhoto) {
		t.Error(err)
	}
	stores := []*Store{none}
	for range 2 {
		db, err := store.OpenReadOnly(filepath.Join(string(dir), "photos.db"))
		must(t, err)
		s := Open(db, dir, time.Now)
		defer func() {
			if err := errors.Join(s.Close(), db.Close()); err != nil {
				t.Error(err)
			}
		}()
		mustBeWhole(t, s, 1)
		wantImage(t, s, p.ID, Thumb, imagesOf(1))
		if _, total := queue(t, s, true, 10, 0); total != 1 {
			t.Errorf("wrong total %d, want 1", total)
		}
		stores = append(stores, s)
	}
	for _, s := range stores {
		for i, err := range []error{
			errorOf(s.Add(context.Background(), newOf("fr-1", "", 1))), errorOf(s.Hide(p.ID, audit.Decision{})),
			errorOf(s.Show(p.ID, audit.Decision{})), errorOf(s.Delete(p.ID, audit.Decision{})),
			errorOf(s.Report(NewReport{p.ID, "a", "A", "spam", nil})), errorOf(s.Accept(r.ID, audit.Decision{})),
			errorOf(s.Dismiss(r.ID, audit.Decision{})),
		} {
			if !errors.Is(err, ErrReadOnly) || !folder.ReadOnly(err) {
				t.Errorf("change %d: error = %v, want ErrReadOnly", i, err)
			}
		}
		if err := s.Sweep(); err != nil {
			t.Error(err)
		}
	}
}

// All changes run at the same time, over two months, while files are compacted and checked.
func TestConcurrently(t *testing.T) {
	s, c := fresh(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	kept := 0
	for w := range 4 {
		wg.Go(func() {
			for i := range 12 {
				if i == 6 {
					c.set(noon.AddDate(0, 1, 0))
				}
				p, err := s.Add(context.Background(), newOf("fr-1", "", 100*w+i))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Report(NewReport{p.ID, "a", "A", "spam", nil}); err != nil {
					t.Error(err)
				}
				wantImage(t, s, p.ID, Main, imagesOf(100*w+i))
				if i%3 == 0 {
					if _, err := s.Delete(p.ID, audit.Decision{}); err != nil {
						t.Error(err)
					}
					continue
				}
				mu.Lock()
				kept++
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(5 * time.Millisecond):
		}
		s.Pause()()
		months, err := Months(s.dir)
		for _, m := range months {
			_, err1 := s.CheckMonth(m)
			db, err2 := s.Month(m)
			if err2 == nil {
				_, _, err2 = db.Compact()
			}
			err = errors.Join(err, err1, err2)
		}
		_, _, err1 := s.CheckRecords()
		_, _, err2 := s.List("fr-1", nil, 100, 0)
		if err := errors.Join(err, err1, err2, s.Sweep()); err != nil {
			t.Error(err)
			break
		}
	}
	<-done
	if err := s.Sweep(); err != nil {
		t.Error(err)
	}
	mustBeWhole(t, s, kept)
}

// images counts the photos that have images.
func images(t *testing.T, s *Store, month string) (n int) {
	t.Helper()
	db, err := s.Month(month)
	if err == nil {
		err = eachKey(db, imagesBucket, func([]byte) { n++ })
	}
	must(t, err)
	return n
}
