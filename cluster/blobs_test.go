//go:build linux

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"relais/cluster/pgtest"
	"relais/internal/store"
	"relais/internal/tier"
)

// newBlobs makes an empty cluster and opens its blobs.
func newBlobs(t testing.TB, where string) (*pgtest.Server, *blobs) {
	t.Helper()
	s := pgtest.Start(t)
	err := Make(t.Context(), s.URL("postgres"), testKey, where, slog.New(slog.DiscardHandler),
		func(*Import) error { return nil })
	must(t, err)
	return s, openedBlobs(t, s)
}

func openedBlobs(t testing.TB, s *pgtest.Server) *blobs {
	t.Helper()
	e, err := Connect(t.Context(), s.URL("postgres"), "one", slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(e.Close)
	b, err := e.OpenBlobs(t.Context(), "")
	must(t, err)
	return b.(*blobs)
}

// newFakeS3 starts a store with the bucket "bucket" and returns the place of blobs in it.
func newFakeS3(t testing.TB) (where string, objects gofakes3.Backend) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "someone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	objects = s3mem.New()
	must(t, objects.CreateBucket("bucket"))
	server := httptest.NewServer(gofakes3.New(objects).Server())
	t.Cleanup(server.Close)
	return "s3://bucket/some/prefix?endpoint=" + server.URL + "&region=us-east-1", objects
}

// both runs a test with the blobs in the database and in a store of S3.
func both(t *testing.T, test func(t *testing.T, s *pgtest.Server, b *blobs)) {
	t.Run("pg", func(t *testing.T) {
		s, b := newBlobs(t, "pg")
		test(t, s, b)
	})
	t.Run("s3", func(t *testing.T) {
		where, _ := newFakeS3(t)
		s, b := newBlobs(t, where)
		test(t, s, b)
	})
}

// A seekable body is read once, from its start.
type seekable struct{ io.Reader }

func (seekable) Seek(int64, int) (int64, error) { return 0, nil }

func random(size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(size)}).Read(b)
	return b
}

func mustPut(t testing.TB, b Blobs, name string, body []byte) {
	t.Helper()
	must(t, b.Put(t.Context(), name, bytes.NewReader(body), int64(len(body))))
}

func get(ctx context.Context, b Blobs, name string) ([]byte, error) {
	r, err := b.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// mustHave fails unless a blob has some bytes, or is missing with nil.
func mustHave(t testing.TB, b Blobs, name string, want []byte) {
	t.Helper()
	got, err := get(t.Context(), b, name)
	switch {
	case want == nil && !errors.Is(err, fs.ErrNotExist):
		t.Errorf("%s: got %d bytes and %v, want fs.ErrNotExist", name, len(got), err)
	case want != nil && (err != nil || !bytes.Equal(got, want)):
		t.Errorf("%s: got %d bytes and %v, want %d", name, len(got), err, len(want))
	}
}

func TestBlobs(t *testing.T) {
	tier.Slow(t)
	both(t, func(t *testing.T, _ *pgtest.Server, b *blobs) {
		for _, size := range []int{0, 1, partSize - 1, partSize, partSize + 1, 2*partSize + 7} {
			name, body := fmt.Sprintf("photo/a-b_c.d/%d", size), random(size)
			mustHave(t, b, name, nil)
			mustPut(t, b, name, body)
			mustHave(t, b, name, body)
			mustPut(t, b, name, body)
			r := bytes.NewReader(append([]byte("before"), body...)) // a body that has been read before
			r.Seek(6, io.SeekStart)
			if err := b.Put(t.Context(), name+"x", r, int64(size)); err != nil {
				t.Error(err)
			}
			mustHave(t, b, name+"x", body)
			if err := b.Delete(t.Context(), name, name+"x"); err != nil {
				t.Error(err)
			}
			mustHave(t, b, name, nil)
		}
		if err := b.Delete(t.Context()); err != nil {
			t.Error(err)
		}
		if err := b.Delete(t.Context(), "missing"); err != nil {
			t.Error(err)
		}
	})
}

func TestBadBlobs(t *testing.T) {
	broken := errors.New("broken")
	both(t, func(t *testing.T, _ *pgtest.Server, b *blobs) {
		for _, tt := range []struct {
			name string
			body io.ReadSeeker
			size int64
		}{
			{"short", strings.NewReader("abc"), 4},
			{"long", strings.NewReader("abc"), 2},
			{"negative", strings.NewReader(""), -1},
			{"huge", strings.NewReader("abc"), 1 << 60},
			{"broken", seekable{io.MultiReader(bytes.NewReader(random(100)), iotest.ErrReader(broken))}, 200},
			{"broken-later", seekable{io.MultiReader(bytes.NewReader(random(2*partSize)), iotest.ErrReader(broken))}, 3 * partSize},
		} {
			t.Run(tt.name, func(t *testing.T) {
				err := b.Put(t.Context(), tt.name, tt.body, tt.size)
				if err == nil || strings.HasPrefix(tt.name, "broken") != errors.Is(err, broken) || errors.Is(err, store.ErrAway) {
					t.Errorf("got %v, want an error of the body", err)
				}
				mustHave(t, b, tt.name, nil)
			})
		}
		for _, name := range []string{"", ".", "..", "/", "a/../b", "../a", "a//b", "/a", "a/", "a\\b", "a\x00", "é", "a b",
			"%2e", "a?b", "a#b", strings.Repeat("a", 600)} {
			t.Run(fmt.Sprintf("name %.10q", name), func(t *testing.T) {
				mustHave(t, b, name, nil)
				for i, err := range []error{b.Put(t.Context(), name, strings.NewReader("a"), 1), b.Delete(t.Context(), name),
					b.Pend(t.Context(), name), b.Keep(t.Context(), name)} {
					if !errors.Is(err, fs.ErrInvalid) {
						t.Errorf("call %d: got %v, want fs.ErrInvalid", i, err)
					}
				}
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Put(ctx, "late", strings.NewReader("a"), 1); !errors.Is(err, context.Canceled) {
			t.Errorf("Put: got %v, want context.Canceled", err)
		}
		if _, err := b.Get(ctx, "late"); !errors.Is(err, context.Canceled) {
			t.Errorf("Get: got %v, want context.Canceled", err)
		}
	})
}

// What no record refers to goes after its time, and nothing else.
func TestSweep(t *testing.T) {
	tier.Slow(t)
	both(t, func(t *testing.T, s *pgtest.Server, b *blobs) {
		for _, name := range []string{"kept", "referred", "lost", "young", "leaving", "left", "returned"} {
			mustPut(t, b, name, []byte(name))
		}
		for _, err := range []error{
			b.Keep(t.Context(), "kept", "leaving", "left", "returned"),
			b.Pend(t.Context(), "leaving", "left", "returned"),
			b.Keep(t.Context(), "leaving", "left"), // by a node that did not see that the record goes
		} {
			must(t, err)
		}
		mustPut(t, b, "returned", []byte("returned"))
		s.Query("postgres", `UPDATE relais.pending SET at = at - interval '2 d' WHERE name NOT IN ('young', 'returned')`)
		var asked []string
		refers := func(_ context.Context, name string) (bool, error) {
			asked = append(asked, name)
			return name == "referred" || name == "leaving", nil
		}
		failed := errors.New("failed")
		_, err := b.Sweep(t.Context(), 24*time.Hour, func(context.Context, string) (bool, error) { return false, failed })
		if !errors.Is(err, failed) {
			t.Errorf("got %v, want the error of refers", err)
		}
		removed, err := b.Sweep(t.Context(), 24*time.Hour, refers)
		slices.Sort(asked)
		if want := []string{"leaving", "left", "lost", "referred"}; err != nil || removed != 2 || !cmp.Equal(asked, want) {
			t.Errorf("got %d removed, %q asked, %v, want 2 and %q", removed, asked, err, want)
		}
		for _, name := range []string{"kept", "referred", "young", "leaving", "returned"} {
			mustHave(t, b, name, []byte(name))
		}
		mustHave(t, b, "lost", nil)
		mustHave(t, b, "left", nil)
		got := s.Query("postgres", `SELECT name FROM relais.pending ORDER BY name`)
		if want := "returned\nyoung"; got != want {
			t.Errorf("pending are %q, want %q", got, want)
		}
	})
}

// More names than are read at once, and one that somebody holds.
func TestSweepMany(t *testing.T) {
	tier.Slow(t)
	s, b := newBlobs(t, "pg")
	s.Query("postgres", fmt.Sprintf(`INSERT INTO relais.pending SELECT 'n/' || i, now() - interval '2 d', false
		FROM generate_series(1, %d) AS i`, 2*sweepAtOnce+5))
	tx, err := b.pool.Begin(t.Context())
	must(t, err)
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), `SELECT FROM relais.pending WHERE name = 'n/1' FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	removed, err := b.Sweep(t.Context(), time.Hour, func(context.Context, string) (bool, error) { return false, nil })
	if err != nil || removed != 2*sweepAtOnce+4 {
		t.Errorf("got %d removed, %v, want %d", removed, err, 2*sweepAtOnce+4)
	}
}

// Bytes that are put while a sweep or a delete is about to remove the same name stay.
func TestPutWhileSwept(t *testing.T) {
	tier.Slow(t)
	both(t, func(t *testing.T, s *pgtest.Server, b *blobs) {
		mustPut(t, b, "file/x", []byte("content"))
		s.Query("postgres", `UPDATE relais.pending SET at = at - interval '2 d'`)
		var running sync.WaitGroup
		removed, err := b.Sweep(t.Context(), 24*time.Hour, func(context.Context, string) (bool, error) {
			running.Go(func() {
				if err := b.Put(t.Context(), "file/x", strings.NewReader("content"), 7); err != nil {
					t.Error(err)
				}
			})
			waiting := `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
			for s.Query("postgres", waiting) != "1" {
				time.Sleep(10 * time.Millisecond)
			}
			return false, nil
		})
		running.Wait()
		if err != nil || removed != 1 {
			t.Errorf("got %d removed, %v, want 1", removed, err)
		}
		mustHave(t, b, "file/x", []byte("content"))
		if got := s.Query("postgres", `SELECT name FROM relais.pending`); got != "file/x" {
			t.Errorf("pending are %q, want file/x", got)
		}
	})
}

// Two that put the same name end equal.
func TestPutTwice(t *testing.T) {
	tier.Slow(t)
	both(t, func(t *testing.T, _ *pgtest.Server, b *blobs) {
		body := random(partSize + 9)
		var running sync.WaitGroup
		for range 6 {
			running.Go(func() { mustPut(t, b, "segment/x", body) })
		}
		running.Wait()
		mustHave(t, b, "segment/x", body)
	})
}

// A cluster's blobs are in one place.
func TestOpenBlobs(t *testing.T) {
	where, objects := newFakeS3(t)
	s := pgtest.Start(t)
	err := Make(t.Context(), s.URL("postgres"), testKey, where, slog.New(slog.DiscardHandler), func(i *Import) error {
		return i.Blob("photo/1", strings.NewReader("one"), 3)
	})
	must(t, err)
	b := openedBlobs(t, s)
	mustHave(t, b, "photo/1", []byte("one"))
	if _, err := objects.HeadObject("bucket", "some/prefix/photo/1"); err != nil {
		t.Error(err)
	}
	if got := s.Query("postgres", `SELECT count(*) FROM relais.pending`); got != "0" {
		t.Errorf("got %s pending, want none", got)
	}
	for _, tt := range []struct {
		where string
		want  bool
	}{
		{where, true},
		{strings.Replace(where, "prefix?", "prefix/?", 1), true},
		{"pg", false},
		{strings.Replace(where, "bucket", "other", 1), false},
		{"s3://", false},
	} {
		if _, err := b.OpenBlobs(t.Context(), tt.where); (err == nil) != tt.want {
			t.Errorf("%s: got %v, want %t", tt.where, err, tt.want)
		}
	}
}

func TestImportBlob(t *testing.T) {
	s := pgtest.Start(t)
	body := random(partSize + 1)
	err := Make(t.Context(), s.URL("postgres"), testKey, "pg", slog.New(slog.DiscardHandler), func(i *Import) error {
		if err := i.Blob("../x", strings.NewReader("one"), 3); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("got %v, want fs.ErrInvalid", err)
		}
		return i.Blob("photo/1", bytes.NewReader(body), int64(len(body)))
	})
	must(t, err)
	mustHave(t, openedBlobs(t, s), "photo/1", body)
}
