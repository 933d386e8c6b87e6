package admit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func payers(names ...string) func() []Payer { return func() []Payer { return []Payer{names} } }

// compute takes a turn for a time.
func compute(t *testing.T, turns *Turns, took time.Duration, names ...string) {
	t.Helper()
	u, err := turns.Begin(t.Context(), payers(names...))
	if err != nil {
		t.Error(err)
		return
	}
	time.Sleep(took)
	u.Pause()
}

// Visitors in one network have a fifth of the processors together, after a burst; others go on at once.
func TestTurnsOfANetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each = 20 * time.Millisecond
		turns, start, done := NewTurns(2), time.Now(), 0
		for time.Since(start) < time.Minute {
			compute(t, turns, each, fmt.Sprint("visitor ", done%256), "network")
			done++
		}
		// 3 s at once, and 0.4 s each second.
		if used, want := time.Duration(done)*each, 27*time.Second; used < want-time.Second || used > want+time.Second {
			t.Errorf("a network computed for %s of a minute, want %s", used, want)
		}
		asked := time.Now()
		compute(t, turns, each, "another visitor", "another network")
		if took := time.Since(asked); took != each {
			t.Errorf("another one took %s, want %s", took, each)
		}
	})
}

// Who floods does not make others wait longer than its own time lasts.
func TestTurnsAfterAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(2)
		var flood sync.WaitGroup
		for i := range mostWait {
			flood.Go(func() { compute(t, turns, time.Second, fmt.Sprint("visitor ", i), "network") })
		}
		synctest.Wait()
		asked := time.Now()
		compute(t, turns, time.Second, "another visitor", "another network")
		// The flood has 3 s, and 0.4 s for each second that it takes: 5 s in all.
		if took := time.Since(asked); took > 6*time.Second {
			t.Errorf("another one waited %s for a second, want at most 6s", took)
		}
		flood.Wait()
	})
}

// Half of the processors compute, and a holder has a bounded number of turns that wait.
func TestTurnsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(2)
		running, err := turns.Begin(t.Context(), payers("a"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		var busy atomic.Int64
		for range mostWait + 3 {
			go func() {
				u, err := turns.Begin(ctx, payers("b", "network"))
				if errors.Is(err, ErrBusy) {
					busy.Add(1)
				}
				u.Pause()
			}()
			synctest.Wait()
		}
		if n := busy.Load(); n != 3 || turns.Refused() != 3 {
			t.Errorf("%d turns were refused, %d counted, want 3", n, turns.Refused())
		}
		var began time.Time
		go func() {
			compute(t, turns, time.Second, "c")
			began = time.Now().Add(-time.Second)
		}()
		synctest.Wait()
		leave() // b is gone
		time.Sleep(time.Second)
		running.Pause()
		paused := time.Now()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !began.Equal(paused) {
			t.Errorf("c began %s after the place was free, want at once", began.Sub(paused))
		}
		if _, err := turns.Begin(ctx, payers("b")); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v of a caller who is gone, want context.Canceled", err)
		}
	})
}

// Holders that have all their time are forgotten, others are not.
func TestHoldersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(2)
		for i := range 3 * fewHolders {
			compute(t, turns, time.Millisecond, fmt.Sprint("visitor ", i))
		}
		compute(t, turns, 2*burst, "busy")
		time.Sleep(time.Second)
		for i := range 2 * fewHolders {
			turns.charge(Payer{fmt.Sprint("idle ", i)}, 0)
		}
		if n := len(turns.holders); n > 2*fewHolders+1 {
			t.Errorf("%d holders are remembered, want at most %d", n, 2*fewHolders+1)
		}
		if wait := turns.charge(Payer{"busy"}, 0); wait == 0 {
			t.Error("a holder who used its time is forgotten")
		}
	})
}
