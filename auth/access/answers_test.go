package access

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"relais/internal/filetest"
)

func openAnswers(t *testing.T, path string) (*Counts, *fileAnswers) {
	t.Helper()
	c, _, err := OpenCounts(path)
	must(t, err)
	t.Cleanup(func() { c.Close() })
	return c, c.Answers().(*fileAnswers)
}

// A repeated request gets the first answer, also after a restart.
func TestOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quota.db")
	counts, a := openAnswers(t, path)
	ran := 0
	ask := func(client, signature, says string, keep bool) (string, bool) {
		answer, first, err := a.Once(context.Background(), client, signature,
			func() ([]byte, bool) { ran++; return []byte(says), keep })
		must(t, err)
		return string(answer), first
	}
	for i, tt := range []struct {
		client, signature, says string
		keep                    bool
		want                    string
		first                   bool
	}{
		{"c1", "s1", "failed", false, "failed", true},
		{"c1", "s1", "one", true, "one", true},
		{"c1", "s1", "two", true, "one", false},
		{"c2", "s1", "three", true, "three", true},
		{"c1", "s2", "", true, "", true},
		{"c1", "s2", "four", true, "", false},
	} {
		if i == 3 {
			must(t, counts.Close())
			counts, a = openAnswers(t, path)
		}
		if got, first := ask(tt.client, tt.signature, tt.says, tt.keep); got != tt.want || first != tt.first {
			t.Errorf("%d: %q, first %v, want %q and %v", i, got, first, tt.want, tt.first)
		}
	}
	if ran != 4 {
		t.Errorf("ran %d times, want 4", ran)
	}
	// What a deleted client was answered is gone with it, another's stays.
	must(t, counts.Forget("c1"))
	if _, first := ask("c1", "s1", "again", true); !first {
		t.Error("the answer of a deleted client is kept")
	}
	if _, first := ask("c2", "s1", "again", true); first {
		t.Error("the answer of another client is gone")
	}
}

func TestOnceAtTheSameTime(t *testing.T) {
	_, a := openAnswers(t, "")
	var ran, firsts atomic.Int64
	started, goOn := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			answer, first, err := a.Once(context.Background(), "c", "s", func() ([]byte, bool) {
				ran.Add(1)
				close(started)
				<-goOn
				return []byte("done"), true
			})
			if err != nil || string(answer) != "done" {
				t.Errorf("got %q, %v, want no error and answer = done", answer, err)
			}
			if first {
				firsts.Add(1)
			}
		})
	}
	<-started
	impatient, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := a.Once(impatient, "c", "s", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("who does not want to wait: %v", err)
	}
	close(goOn)
	wg.Wait()
	if ran.Load() != 1 || firsts.Load() != 1 {
		t.Errorf("ran %d times, %d were first, want 1 and 1", ran.Load(), firsts.Load())
	}
	// One that panics leaves the way free.
	func() {
		defer func() { recover() }()
		a.Once(context.Background(), "c", "panics", func() ([]byte, bool) { panic("x") })
	}()
	if _, first, err := a.Once(context.Background(), "c", "panics",
		func() ([]byte, bool) { return nil, true }); !first || err != nil {
		t.Errorf("after a panic: %v, %v, want true and no error", first, err)
	}
	if _, first, err := a.Once(context.Background(), "c", "large",
		func() ([]byte, bool) { return []byte(strings.Repeat("x", 1<<20)), true }); !first || err == nil {
		t.Errorf("an answer without bounds is kept: %v, first %v, want an error and first = true", err, first)
	}
}

// A first answer that was put on disk outlives what a power cut leaves of the rest.
func TestAnswersBeforeATornTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quota.db")
	counts, a := openAnswers(t, path)
	once := func(signature string) (answer string, first bool) {
		text, first, err := a.Once(context.Background(), "c", signature,
			func() ([]byte, bool) { return []byte(`{"made":"` + signature + `"}`), true })
		must(t, err)
		return string(text), first
	}
	once("s1")
	once("s2")
	must(t, counts.Close())
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	if _, err := f.WriteString("*5\r\n$3\r\nset\r\n$8\r\nanswe" + strings.Repeat("\x00",
		300) + "\r\nae\r\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	_, a = openAnswers(t, path)
	for _, signature := range []string{"s1", "s2"} {
		if answer, first := once(signature); first || answer != `{"made":"`+signature+`"}` {
			t.Errorf("%s: %q, first: %t, want %q and false", signature, answer, first, `{"made":"`+signature+`"}`)
		}
	}
}

// An answer whose sync failed is written again: the system may have dropped what it could
// not put on disk, and a later sync says nothing of it.
func TestLossOfAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quota.db")
	_, a := openAnswers(t, path)
	failing := errors.New("input/output error")
	fails := 1
	a.sync = func(path string) error {
		if fails--; fails >= 0 { // and what was not put on disk is gone
			return errors.Join(failing, os.Truncate(path, 0))
		}
		return syncFile(path)
	}
	if _, _, err := a.Once(context.Background(), "c", "s",
		func() ([]byte, bool) { return []byte("first"), true }); err != nil {
		t.Fatal(err)
	}
	fails = 2
	if _, _, err := a.Once(context.Background(), "c", "lost",
		func() ([]byte, bool) { return []byte("x"), true }); !errors.Is(err, failing) {
		t.Errorf("two syncs that fail: %v, want %v", err, failing)
	}
	fails = 1
	if _, _, err := a.Once(context.Background(), "c", "last",
		func() ([]byte, bool) { return []byte("kept"), true }); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "quota.db")
	text := filetest.Read(t, path)
	filetest.Write(t, copied, text)
	_, after := openAnswers(t, copied)
	answer, first, err := after.Once(context.Background(), "c", "last",
		func() ([]byte, bool) { return []byte("again"), true })
	if first || string(answer) != "kept" || err != nil {
		t.Errorf("after a power cut: %q, first: %t, %v, want false, no error and answer = kept", answer, first, err)
	}
}
