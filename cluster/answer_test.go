//go:build linux

package cluster

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/auth/access"
	"relais/internal/killtest"
	"relais/internal/store"
	"relais/internal/tier"
)

// A child is a node that claims a request, says so, and hangs.
func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error {
		e, err := Connect(context.Background(), args[0], "child", slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		_, _, err = e.Answers().Once(context.Background(), "client", "killed", func() ([]byte, bool) {
			time.Sleep(time.Hour)
			return nil, true
		})
		return err
	})
}

// connected returns a node without stores.
func connected(t testing.TB, url, name string) *Engine {
	t.Helper()
	e, err := Connect(t.Context(), url, name, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(e.Close)
	return e
}

// says returns what a request answers that runs.
func says(text string, keep bool) func() ([]byte, bool) {
	return func() ([]byte, bool) { return []byte(text), keep }
}

// A signed request is done once, whichever nodes get it.
func TestAnswers(t *testing.T) {
	tier.Slow(t)
	url := newCluster(t).URL("postgres")
	one, two := connected(t, url, "one").Answers(), connected(t, url, "two").Answers()
	for i, c := range []struct {
		at                *Answers
		client, signature string
		says              string
		keep              bool
		want              string
		first             bool
	}{
		{one, "c1", "s1", "failed", false, "failed", true},
		{two, "c1", "s1", "first", true, "first", true},
		{one, "c1", "s1", "again", true, "first", false},
		{two, "c1", "s1", "again", true, "first", false},
		{one, "c2", "s1", "other client", true, "other client", true},
		{one, "c1", "s2", "", true, "", true},
		{two, "c1", "s2", "again", true, "", false},
	} {
		answer, first, err := c.at.Once(t.Context(), c.client, c.signature, says(c.says, c.keep))
		if string(answer) != c.want || first != c.first || err != nil {
			t.Errorf("%d: %q, first %t, %v; want %q, %t and no error", i, answer, first, err, c.want, c.first)
		}
	}
	must(t, one.ForgetAnswers("ther cl"))
	must(t, two.Forget("c1"))
	for _, c := range []struct{ client, signature string }{{"c2", "s1"}, {"c1", "s1"}, {"c1", "s2"}} {
		if _, first, err := one.Once(t.Context(), c.client, c.signature, says("x", true)); !first || err != nil {
			t.Errorf("%s %s after it was forgotten: first %t, %v; want true", c.client, c.signature, first, err)
		}
	}
	if _, first, err := one.Once(t.Context(), "c1", "large", says(strings.Repeat("x", access.MaxAnswerBytes+1),
		true)); !first || !errors.Is(err, access.ErrAnswerSize) {
		t.Errorf("a large answer: first %t, %v; want true and %v", first, err, access.ErrAnswerSize)
	}
	func() {
		defer func() { _ = recover() }()
		_, _, _ = one.Once(t.Context(), "c1", "panics", func() ([]byte, bool) { panic("x") })
	}()
	if _, first, err := two.Once(t.Context(), "c1", "panics", says("x", true)); !first || err != nil {
		t.Errorf("after a panic: first %t, %v; want true", first, err)
	}
}

// Of many requests with a signature at once one runs, and the others get its answer.
func TestAnswersAtOnce(t *testing.T) {
	tier.Slow(t)
	url := newCluster(t).URL("postgres")
	nodes := []*Answers{connected(t, url, "one").Answers(), connected(t, url, "two").Answers()}
	var ran, firsts atomic.Int64
	started, goOn := make(chan struct{}), make(chan struct{})
	var asking sync.WaitGroup
	for i := range 12 {
		asking.Go(func() {
			answer, first, err := nodes[i%2].Once(t.Context(), "c", "s", func() ([]byte, bool) {
				ran.Add(1)
				close(started)
				<-goOn
				return []byte("the answer"), true
			})
			if string(answer) != "the answer" || err != nil {
				t.Errorf("got %q, %v, want the answer", answer, err)
			}
			if first {
				firsts.Add(1)
			}
		})
	}
	<-started
	impatient, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	if _, _, err := nodes[0].Once(impatient, "c", "s", says("second", true)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who does not wait: %v, want %v", err, context.DeadlineExceeded)
	}
	close(goOn)
	asking.Wait()
	if ran.Load() != 1 || firsts.Load() != 1 {
		t.Errorf("%d ran, %d were first, want 1 and 1", ran.Load(), firsts.Load())
	}
}

// A request whose node was killed may be done again, and not while the node lives.
func TestAnswersOfKilledNode(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	two := connected(t, url, "two").Answers()
	child, _ := killtest.Start(t, url)
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	claims := func(where string) string {
		return server.Query("postgres", "SELECT count(*) FROM relais.answer "+where)
	}
	for end := time.Now().Add(time.Minute); claims("") != "1"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the child claimed nothing")
		}
	}
	waiting, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	if _, first, err := two.Once(waiting, "client", "killed", says("too early", true)); first || err == nil {
		t.Errorf("while the node lives: first %t, %v; want it to wait", first, err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	server.Query("postgres", "UPDATE relais.answer SET until = clock_timestamp() - interval '1 s'") // as time goes by
	answer, first, err := two.Once(t.Context(), "client", "killed", says("done", true))
	if string(answer) != "done" || !first || err != nil {
		t.Errorf("after the node was killed: %q, first %t, %v; want it done", answer, first, err)
	}
}

// A request that takes long stays claimed, and an answer that comes after the claim is not kept.
func TestLongRequest(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	one, two := connected(t, url, "one").Answers(), connected(t, url, "two").Answers()
	one.renew = 50 * time.Millisecond
	begun := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		_, first, err := one.Once(t.Context(), "c", "long", func() ([]byte, bool) {
			until := func() string { return server.Query("postgres", "SELECT until FROM relais.answer") }
			close(begun)
			for before, end := until(), time.Now().Add(time.Minute); until() == before; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Error("the claim is not renewed")
					break
				}
			}
			return []byte("one"), true
		})
		if !first || err != nil {
			t.Errorf("first %t, %v; want it done", first, err)
		}
	})
	<-begun
	if answer, first, err := two.Once(t.Context(), "c", "long", says("two", true)); string(answer) != "one" || first ||
		err != nil {
		t.Errorf("another node: %q, first %t, %v; want the first answer", answer, first, err)
	}
	asking.Wait()
	one.renew = time.Hour
	_, first, err := one.Once(t.Context(), "c", "late", func() ([]byte, bool) {
		server.Query("postgres", "UPDATE relais.answer SET until = 'epoch' WHERE signature = 'late'")
		if _, first, err := two.Once(t.Context(), "c", "late", says("two", true)); !first || err != nil {
			t.Errorf("after the claim ended: first %t, %v; want it done", first, err)
		}
		return []byte("one"), true
	})
	if !first || !errors.Is(err, errClaim) {
		t.Errorf("the late answer: first %t, %v; want %v", first, err, errClaim)
	}
	if answer, _, _ := one.Once(t.Context(), "c", "late", nil); string(answer) != "two" {
		t.Errorf("kept is %q, want that of two", answer)
	}
}

// Without the engine nothing is run, and what ran is kept when it is there again.
func TestAnswersAway(t *testing.T) {
	server := newCluster(t)
	a := connected(t, server.URL("postgres"), "one").Answers()
	answer, first, err := a.Once(t.Context(), "c", "s", func() ([]byte, bool) {
		server.Kill()
		server.Restart()
		return []byte("done"), true
	})
	if string(answer) != "done" || !first || err != nil {
		t.Errorf("got %q, first %t, %v; want it done and kept", answer, first, err)
	}
	if answer, first, err := a.Once(t.Context(), "c", "s", nil); string(answer) != "done" || first || err != nil {
		t.Errorf("again: %q, first %t, %v; want the first answer", answer, first, err)
	}
	server.Stop()
	ran := false
	_, _, err = a.Once(t.Context(), "c", "other", func() ([]byte, bool) { ran = true; return nil, true })
	if !errors.Is(err, store.ErrAway) || ran {
		t.Errorf("away: %v, ran %t; want %v and false", err, ran, store.ErrAway)
	}
	if err := errors.Join(a.Forget("c"), a.ForgetAnswers("x")); !errors.Is(err, store.ErrAway) {
		t.Errorf("forgetting while away: %v, want %v", err, store.ErrAway)
	}
}
