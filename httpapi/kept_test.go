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
	return func(_ context.Context, _ func() []string, w io.Writer) (*packed, error) {
		_, err := w.Write(bytes.Repeat([]byte("x"), n))
		return &packed{}, err
	}
}

func keyOf(question string) cacheKey { return cacheKey{answerKey{"1", question}, identity} }

// What was asked for last is kept, and what is being sent is never dropped.
func TestKeptFilesAreBounded(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	f := newFiles(dir, 100)
	ask := func(question string, n int) (k *kept, leave func(), made bool, err error) {
		k, leave, err = f.get(ctx, keyOf(question), "client",
			func(ctx context.Context, clients func() []string, w io.Writer) (*packed, error) {
				made = true
				return makeBytes(n)(ctx, clients, w)
			})
		return k, leave, made, err
	}
	for _, step := range []struct {
		question    string
		size        int
		reads, made bool // reads: it is still being read afterwards
		err         error
		held        admit.Cost
	}{
		{"a", 40, false, true, nil, admit.Cost{Places: 1, Bytes: 40}},
		{"b", 40, false, true, nil, admit.Cost{Places: 2, Bytes: 80}},
		{"a", 40, false, false, nil, admit.Cost{Places: 2, Bytes: 80}}, // b is now the oldest
		{"c", 50, true, true, nil, admit.Cost{Places: 2, Bytes: 90}},
		{"a", 40, true, false, nil, admit.Cost{Places: 2, Bytes: 90}},
		{"b", 40, false, true, errNotKept, admit.Cost{Places: 2, Bytes: 90}}, // while both are read
		{"too large", 101, false, true, errNotKept, admit.Cost{Places: 2, Bytes: 90}},
	} {
		k, leave, made, err := ask(step.question, step.size)
		held, _, _ := f.pool.Held()
		if !errors.Is(err, step.err) || made != step.made || held != step.held {
			t.Fatalf("%s: error %v, made %t, %v held, want %v, %t and %v", step.question, err, made, held, step.err,
				step.made, step.held)
		}
		if err != nil {
			continue
		}
		if text, err := io.ReadAll(io.NewSectionReader(k.from, 0, k.size)); err != nil || len(text) != step.size {
			t.Errorf("%s: %d bytes, %v, want %d and no error", step.question, len(text), err, step.size)
		}
		if step.reads {
			defer leave()
		} else {
			leave()
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("files have names: %v %v, want none and no error", names, err)
	}
}

// Where nothing can be kept, that is said, and nothing is left over.
func TestKeptFilesWithoutADisk(t *testing.T) {
	full := func(string) (int64, error) { return diskReserve - 1, nil }
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
			f := newFiles(tt.dir, keptBytes)
			f.free = tt.free
			if _, _, err := f.get(context.Background(), keyOf("a"), "client", makeBytes(9)); !errors.Is(err, errNotKept) {
				t.Errorf("got error %v, want errNotKept", err)
			}
			if held, _, _ := f.pool.Held(); len(f.entries) != 0 || held != (admit.Cost{}) {
				t.Errorf("%d entries, %v held, want none", len(f.entries), held)
			}
		})
	}
}

// roomyFiles keeps files whatever the disk has.
func roomyFiles(t *testing.T) *files {
	f := newFiles(t.TempDir(), keptBytes)
	f.free = func(string) (int64, error) { return 2 * diskReserve, nil }
	return f
}

// Of many who ask at once one makes the answer, and goes on when it is gone itself; when all
// are gone it is not made. An answer that fails is not kept.
func TestKeptFilesAreShared(t *testing.T) {
	f := roomyFiles(t)
	synctest.Test(t, func(t *testing.T) {
		var makers atomic.Int64
		going := make(chan struct{})
		answer := func(ctx context.Context, clients func() []string, w io.Writer) (*packed, error) {
			makers.Add(1)
			select {
			case <-going:
				return makeBytes(10)(ctx, clients, w)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		ask := func(ctx context.Context, question, client string) <-chan error {
			got := make(chan error, 1)
			go func() {
				_, leave, err := f.get(ctx, keyOf(question), client, answer)
				if err == nil {
					leave()
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
		if n := makers.Load(); n != 2 || len(f.entries) != 1 {
			t.Errorf("made %d times, %d entries, want 2 and 1", n, len(f.entries))
		}
		if err := <-ask(t.Context(), "b", "another"); err != nil || makers.Load() != 3 {
			t.Errorf("what was given up: %v, made %d times, want no error and 3", err, makers.Load())
		}
	})
	broken := errors.New("broken")
	fail := func(context.Context, func() []string, io.Writer) (*packed, error) { return nil, broken }
	_, _, err := f.get(context.Background(), keyOf("c"), "third", fail)
	if !errors.Is(err, broken) || len(f.entries) != 2 {
		t.Errorf("%v, %d entries, want broken and 2", err, len(f.entries))
	}
}

// A client that has asked for much holds up nobody who wants the same: they give their own time.
func TestKeptFilesOfABusyClient(t *testing.T) {
	f := roomyFiles(t)
	synctest.Test(t, func(t *testing.T) {
		turns := admit.NewTurns(2)
		ask := func(question, client string) time.Duration {
			start := time.Now()
			_, leave, err := f.get(t.Context(), keyOf(question), client,
				func(ctx context.Context, clients func() []string, w io.Writer) (*packed, error) {
					turn, err := begin(ctx, turns, payersOf(clients))
					if err != nil {
						return nil, err
					}
					defer turn.Pause()
					return &packed{}, inTurns(work(20, 100*time.Millisecond, new(atomic.Int64)), turn).Write(w)
				})
			if err != nil {
				t.Error(err)
				return 0
			}
			leave()
			return time.Since(start)
		}
		used, err := begin(t.Context(), turns, one("busy"))
		must(t, err)
		time.Sleep(time.Minute)
		used.Pause()
		var busy sync.WaitGroup
		for _, question := range []string{"a", "b"} {
			busy.Go(func() {
				if took := ask(question, "busy"); took > 7*time.Second {
					t.Errorf("what the other paid for took the busy client %s for %s, want at most 7s", took, question)
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
	s.files = roomyFiles(t)
	for range 2 {
		before := len(s.files.entries)
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
		if n := len(s.files.entries) - before; n != 6 {
			t.Errorf("%d answers were made, want 6", n)
		}
		addArchive(t, s.Archives, "2026-08-27", archiveRows["2026-08-27"][:2], archive.Options{Force: true})
	}
	wantError(t, get(t, s, "/anfr/archive/2026-08-26"), 404, "ARCHIVE_NOT_FOUND")
	wantNothingUnderway(t, s)
}
