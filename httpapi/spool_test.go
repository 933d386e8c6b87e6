package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"relais/archive"
	"relais/internal/admit"
)

// makeBytes makes an answer of n bytes.
func makeBytes(n int) maker {
	return func(_ context.Context, _ func() []string, w io.Writer) (packed, string, error) {
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
		make := func(ctx context.Context, who func() []string, w io.Writer) (packed, string, error) {
			made = true
			return makeBytes(n)(ctx, who, w)
		}
		e, err = s.get(ctx, keyOf(question), "client", make)
		return e, made, err
	}
	for _, question := range []string{"a", "b", "a"} { // "b" is now the oldest
		e, _, err := get(question, 40)
		if err != nil || e.size != 40 {
			t.Fatalf("got %v, %v, want no error and size = 40", e, err)
		}
		s.release(e)
	}
	c, made, err := get("c", 50)
	if err != nil || !made || s.bytes != 90 {
		t.Fatalf("%v, %d bytes, made %v, want no error, 90 and made = true", err, s.bytes, made)
	}
	a, made, err := get("a", 40)
	if err != nil || made {
		t.Errorf("what was asked for last is gone: %v, made %v, want no error and made = false", err, made)
	}
	if _, _, err := get("b", 40); !errors.Is(err, errNoSpool) || s.bytes != 90 {
		t.Errorf("while both are sent: %v, %d bytes, want errNoSpool and 90", err, s.bytes)
	}
	text, err := io.ReadAll(io.NewSectionReader(c.file, 0, c.size))
	if err != nil || len(text) != 50 {
		t.Errorf("%d bytes, %v, want 50 and no error", len(text), err)
	}
	s.release(a)
	s.release(c)
	if e, made, err := get("b", 100); err != nil || !made || s.bytes != 100 || len(s.entries) != 1 {
		t.Errorf("%v %v, %d bytes of %d entries, made %v, want no error, 100, 1 and made = true", e, err, s.bytes,
			len(s.entries), made)
	} else {
		s.release(e)
	}
	if _, _, err := get("too large", 101); !errors.Is(err, errNoSpool) || s.bytes > 100 {
		t.Errorf("%v, %d bytes, want errNoSpool and at most 100", err, s.bytes)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("files have names: %v %v, want none and no error", names, err)
	}
}

// Where nothing can be kept, that is said, and nothing is left over.
func TestSpoolWithoutADisk(t *testing.T) {
	full := func(string) (int64, error) { return spoolReserve - 1, nil }
	for _, tt := range []struct {
		name string
		dir  string
		free func(string) (int64, error)
	}{
		{"no folder", "", freeBytes},
		{"a folder that is missing", filepath.Join(t.TempDir(), "x"), freeBytes},
		{"a full disk", t.TempDir(), full},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSpool(tt.dir)
			s.free = tt.free
			if _, err := s.get(context.Background(), keyOf("a"), "client", makeBytes(9)); !errors.Is(err, errNoSpool) {
				t.Errorf("%s: got error %v, want errNoSpool", tt.name, err)
			}
			if len(s.entries) != 0 || s.bytes != 0 {
				t.Errorf("%s: %d entries, %d bytes, want none", tt.name, len(s.entries), s.bytes)
			}
		})
	}
}

// Of many who ask at once one makes the answer, and goes on when it is gone itself; when all
// are gone it is not made. An answer that fails is not kept.
func TestSpoolIsShared(t *testing.T) {
	s := newSpool(t.TempDir())
	s.free = func(string) (int64, error) { return 2 * spoolReserve, nil }
	synctest.Test(t, func(t *testing.T) {
		var makers atomic.Int64
		going := make(chan struct{})
		answer := func(ctx context.Context, who func() []string, w io.Writer) (packed, string, error) {
			makers.Add(1)
			select {
			case <-going:
				return makeBytes(10)(ctx, who, w)
			case <-ctx.Done():
				return packed{}, "", ctx.Err()
			}
		}
		ask := func(ctx context.Context, question, client string) <-chan error {
			got := make(chan error, 1)
			go func() {
				e, err := s.get(ctx, keyOf(question), client, answer)
				if err == nil {
					s.release(e)
				}
				got <- err
			}()
			synctest.Wait()
			return got
		}
		leaving, leave := context.WithCancel(t.Context())
		ask(leaving, "a", "client")
		var others []<-chan error
		for i := range 10 {
			others = append(others, ask(t.Context(), "a", strconv.Itoa(i)))
		}
		alone := ask(leaving, "b", "alone")
		leave()
		if err := <-alone; !errors.Is(err, context.Canceled) {
			t.Errorf("what nobody waits for: %v, want context.Canceled", err)
		}
		close(going)
		for i, got := range others {
			if err := <-got; err != nil {
				t.Errorf("client %d: got error %v, want none", i, err)
			}
		}
		if n := makers.Load(); n != 2 || len(s.entries) != 1 {
			t.Errorf("made %d times, %d entries, want 2 and 1", n, len(s.entries))
		}
		if err := <-ask(t.Context(), "b", "another"); err != nil || makers.Load() != 3 {
			t.Errorf("what was given up: %v, made %d times, want no error and 3", err, makers.Load())
		}
	})
	broken := errors.New("broken")
	fail := func(context.Context, func() []string, io.Writer) (packed, string, error) { return packed{}, "", broken }
	_, err := s.get(context.Background(), keyOf("c"), "third", fail)
	if !errors.Is(err, broken) || len(s.entries) != 2 {
		t.Errorf("%v, %d entries, want broken and 2", err, len(s.entries))
	}
}

// A client that has asked for much holds up nobody who wants the same: what it has not begun
// is made by others, and for what it has begun they give their own time.
func TestSpoolOfABusyClient(t *testing.T) {
	s := newSpool(t.TempDir())
	s.free = func(string) (int64, error) { return 2 * spoolReserve, nil }
	synctest.Test(t, func(t *testing.T) {
		turns := admit.NewTurns(2)
		ask := func(question, client string) time.Duration {
			start := time.Now()
			make := func(ctx context.Context, who func() []string, w io.Writer) (packed, string, error) {
				turn, err := turns.Begin(ctx, paid(who))
				if err != nil {
					return packed{}, "", err
				}
				defer turn.Pause()
				var done atomic.Int64
				_, err = computed{work{pieces{n: 20, size: 1 << 20}, 100 * time.Millisecond, &done}, turn}.WriteTo(w)
				return packed{}, "text/plain", err
			}
			e, err := s.get(t.Context(), keyOf(question), client, make)
			if err != nil {
				t.Error(err)
				return 0
			}
			s.release(e)
			return time.Since(start)
		}
		used, err := turns.Begin(t.Context(), paid(func() []string { return []string{"busy"} }))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		used.Pause()
		var busy sync.WaitGroup
		for _, question := range []string{"a", "b"} {
			busy.Go(func() {
				if took := ask(question, "busy"); question == "a" && took > 4*time.Second {
					t.Errorf("what the other paid for took the busy client %s, want at most 4s", took)
				}
			})
			synctest.Wait()
		}
		time.Sleep(time.Second)
		for _, question := range []string{"a", "b"} {
			if took := ask(question, "other"+question); took > 2500*time.Millisecond {
				t.Errorf("another client waited %s for %s, which takes two seconds, want at most %s", took, question,
					2500*time.Millisecond)
			}
		}
		busy.Wait()
	})
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
					if got := unpack(t, w); w.Code != 200 || got != want ||
						!strings.Contains(got, `"requestId":"same"}`) {
						t.Errorf("%s %s: %d, %.200q, want %.200q", target, coding, w.Code, got, want)
					}
					if w.Header().Get("Content-Length") == "" || w.Header().Get("Content-Type") == "" ||
						w.Header().Get("Etag") == "" {
						t.Errorf("%s %s: header %v, want length, type and tag", target, coding, w.Header())
					}
				}
			}
			if w := get(t, s, target, "If-None-Match", "*"); w.Code != 304 {
				t.Errorf("%s: %d for any tag, want 304", target, w.Code)
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
