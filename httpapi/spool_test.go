package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"relais/archive"
)

// makeBytes makes an answer of n bytes.
func makeBytes(n int) maker {
	return func(w io.Writer) (packed, string, error) {
		_, err := w.Write(bytes.Repeat([]byte("x"), n))
		return packed{}, "text/plain", err
	}
}

func keyOf(question string) cacheKey { return cacheKey{answerKey{"1", question}, identity} }

// The spool keeps what was asked for last, and never drops what is being sent.
func TestSpoolIsBounded(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := newSpool(dir)
	s.most = 100
	get := func(question string, n int) (e *spooled, made bool, err error) {
		e, err = s.get(ctx, keyOf(question), "client", func(w io.Writer) (packed, string, error) {
			made = true
			return makeBytes(n)(w)
		})
		return e, made, err
	}
	for _, question := range []string{"a", "b", "a"} { // "b" is now the oldest
		e, _, err := get(question, 40)
		if err != nil || e.size != 40 {
			t.Fatal(e, err)
		}
		s.release(e)
	}
	c, made, err := get("c", 50)
	if err != nil || !made || s.bytes != 90 {
		t.Fatalf("%v, %d bytes", err, s.bytes)
	}
	a, made, err := get("a", 40)
	if err != nil || made {
		t.Errorf("what was asked for last is gone: %v", err)
	}
	if _, _, err := get("b", 40); !errors.Is(err, errNoSpool) || s.bytes != 90 {
		t.Errorf("while both are sent: %v, %d bytes", err, s.bytes)
	}
	text, err := io.ReadAll(io.NewSectionReader(c.file, 0, c.size))
	if err != nil || len(text) != 50 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	s.release(a)
	s.release(c)
	if e, made, err := get("b", 100); err != nil || !made || s.bytes != 100 || len(s.entries) != 1 {
		t.Errorf("%v %v, %d bytes of %d entries", e, err, s.bytes, len(s.entries))
	} else {
		s.release(e)
	}
	if _, _, err := get("too large", 101); !errors.Is(err, errNoSpool) || s.bytes > 100 {
		t.Errorf("%v, %d bytes", err, s.bytes)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("files have names: %v %v", names, err)
	}
}

// Where nothing can be kept, that is said, and nothing is left over.
func TestSpoolWithoutADisk(t *testing.T) {
	full := func(string) (int64, error) { return spoolReserve - 1, nil }
	for name, tt := range map[string]struct {
		dir  string
		free func(string) (int64, error)
	}{"no folder": {"", freeBytes}, "a folder that is missing": {filepath.Join(t.TempDir(), "x"), freeBytes}, "a full disk": {t.TempDir(), full}} {
		s := newSpool(tt.dir)
		s.free = tt.free
		if _, err := s.get(context.Background(), keyOf("a"), "client", makeBytes(9)); !errors.Is(err, errNoSpool) {
			t.Errorf("%s: %v", name, err)
		}
		if len(s.entries) != 0 || s.bytes != 0 {
			t.Errorf("%s: %d entries, %d bytes", name, len(s.entries), s.bytes)
		}
	}
}

// Of many who ask at once one makes the answer; where that one goes away, the next does.
// An answer that fails is not kept.
func TestSpoolIsShared(t *testing.T) {
	s := newSpool(t.TempDir())
	s.free = func(string) (int64, error) { return 2 * spoolReserve, nil }
	synctest.Test(t, func(t *testing.T) {
		var makers, answered atomic.Int64
		var first sync.Once
		leaving, leave := context.WithCancel(t.Context())
		ask := func(ctx context.Context) error {
			e, err := s.get(ctx, keyOf("a"), "client", func(w io.Writer) (packed, string, error) {
				makers.Add(1)
				gone := false
				first.Do(func() { gone = true })
				if gone {
					<-ctx.Done()
					return packed{}, "", ctx.Err()
				}
				return makeBytes(10)(w)
			})
			if err == nil {
				answered.Add(1)
				s.release(e)
			}
			return err
		}
		failed := make(chan error, 1)
		go func() { failed <- ask(leaving) }()
		synctest.Wait()
		for range 10 {
			go func() {
				if err := ask(context.Background()); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		if err := <-failed; !errors.Is(err, context.Canceled) || makers.Load() != 2 || answered.Load() != 10 {
			t.Errorf("%v, made %d times for %d", err, makers.Load(), answered.Load())
		}
	})
	broken := errors.New("broken")
	_, err := s.get(context.Background(), keyOf("b"), "another", func(io.Writer) (packed, string, error) { return packed{}, "", broken })
	if !errors.Is(err, broken) || len(s.entries) != 1 {
		t.Errorf("%v, %d entries", err, len(s.entries))
	}
}

// Archives are made once for each coding, and are the same as those that are made for each
// client, also after they were replaced.
func TestKeptArchives(t *testing.T) {
	s := newServer(t)
	alone := newServer(t)
	alone.Archives = s.Archives
	s.spool = newSpool(t.TempDir())
	s.spool.free = func(string) (int64, error) { return 2 * spoolReserve, nil }
	for range 2 {
		before := len(s.spool.entries)
		for _, target := range []string{"/anfr/archive/2026-08-27", "/anfr/archive/2026-08-27?view=full"} {
			for _, coding := range []string{"identity", "gzip", "zstd"} {
				headers := []string{"Accept-Encoding", coding, "X-Request-Id", "same"}
				want := unpack(t, get(t, alone, target, headers...))
				for range 3 {
					w := get(t, s, target, headers...)
					if got := unpack(t, w); w.Code != 200 || got != want || !strings.Contains(got, `"requestId":"same"}`) {
						t.Errorf("%s %s: %d, %.200q, want %.200q", target, coding, w.Code, got, want)
					}
					if w.Header().Get("Content-Length") == "" || w.Header().Get("Content-Type") == "" || w.Header().Get("Etag") == "" {
						t.Errorf("%s %s: %v", target, coding, w.Header())
					}
				}
			}
			if w := get(t, s, target, "If-None-Match", "*"); w.Code != 304 {
				t.Errorf("%s: %d for any tag", target, w.Code)
			}
		}
		if n := len(s.spool.entries) - before; n != 6 {
			t.Errorf("%d answers were made, want 6", n)
		}
		addArchive(t, s.Archives, "2026-08-27", archiveRows["2026-08-27"][:2], archive.Options{Force: true})
	}
	wantError(t, get(t, s, "/anfr/archive/2026-08-26"), 404, "ARCHIVE_NOT_FOUND")
	wantNothingUnderway(t, s)
}
