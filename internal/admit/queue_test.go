package admit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// newWaiter puts a job of a client into the queue.
func (q *Queue) newWaiter(client string, most int) *waiter {
	w := &waiter{holders: []Holder{{client, Cost{Places: most}}}, turn: make(chan bool, 1)}
	q.add(w)
	return w
}

// state returns whether a job runs, waits or was refused.
func (w *waiter) state() string {
	select {
	case ok := <-w.turn:
		if !ok {
			return "refused"
		}
		return "runs"
	default:
		return "waits"
	}
}

// Clients take turns, whatever the order in which their jobs came.
func TestQueueTakesTurns(t *testing.T) {
	q, jobs := NewQueue(1, 20), map[string]*waiter{}
	names := []string{"a1", "a2", "a3", "a4", "b1", "b2", "c1"}
	for _, name := range names {
		jobs[name] = q.newWaiter(name[:1], 0)
	}
	var order []string
	for range names {
		for _, name := range names {
			if job := jobs[name]; !slices.Contains(order, name) && job.state() == "runs" {
				order = append(order, name)
				q.end(job)
				break
			}
		}
	}
	if got := strings.Join(order, " "); got != "a1 b1 c1 a2 b2 a3 a4" {
		t.Errorf("order = %s, want a1 b1 c1 a2 b2 a3 a4", got)
	}
	if running, waiting, _ := q.Held(); running != 0 || waiting != 0 || len(q.members) != 0 {
		t.Errorf("%d run, %d wait, %v, want nothing", running, waiting, q.members)
	}
}

// One client can take neither the last place nor all that may wait.
func TestQueueLeavesRoom(t *testing.T) {
	q := NewQueue(3, 4)
	var states []string
	for range 7 {
		states = append(states, q.newWaiter("a", 2).state())
	}
	if got := strings.Join(states, " "); got != "runs runs waits waits waits waits refused" {
		t.Errorf("7 jobs of one client = %s, want 2 running, 4 waiting, 1 refused", got)
	}
	if got := q.newWaiter("b", 2).state(); got != "runs" {
		t.Errorf("a job of another client %s, want it running", got)
	}
	if got := q.newWaiter("b", 2).state(); got != "waits" { // in place of one of a's
		t.Errorf("the second job of another client %s, want it waiting", got)
	}
	if _, waiting, refused := q.Held(); waiting != 4 || refused != 2 || q.members["a"].waiting != 3 {
		t.Errorf("%d wait, %d of them a's, %d refused, want 4, 3 and 2", waiting, q.members["a"].waiting, refused)
	}
}

// A flood from one provider, whatever its networks, delays itself: somebody from elsewhere has the next turn, and
// so has somebody of a network of the provider that does not flood. Others come back without an advantage.
func TestQueueInAFlood(t *testing.T) {
	q := NewQueue(2, 32)
	job := func(provider, network string) *waiter {
		w := &waiter{holders: []Holder{{Name: provider}, {Name: network}}, turn: make(chan bool, 1)}
		q.add(w)
		return w
	}
	var flood []*waiter
	for i := range 200 {
		flood = append(flood, job("flood", fmt.Sprint("network ", i%3)))
	}
	neighbour, other := job("flood", "quiet network"), job("other", "network")
	if refused := q.refused; refused != 200-34+2 {
		t.Errorf("%d are refused, want %d of the flood", refused, 200-34+2)
	}
	q.end(flood[0])
	if got := other.state(); got != "runs" {
		t.Errorf("somebody from elsewhere %s after one of the flood, want it running", got)
	}
	q.end(flood[1])
	q.end(other)
	if got := neighbour.state(); got != "runs" {
		t.Errorf("somebody of a quiet network of the provider %s after two of the flood, want it running", got)
	}
}

// In every random sequence the limits hold, no place is free while a job may run, and nobody waits while
// another gets several turns.
func TestQueueAtRandom(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		places, room := 1+r.IntN(4), 1+r.IntN(12)
		most := max(1, places-1)
		q := NewQueue(places, room)
		var waiting, running []*waiter
		passed := map[string]int{} // "ab": so often did b begin while a could have
		count := func(all []*waiter, who string) (n int) {
			for _, w := range all {
				if w.holders[0].Name == who {
					n++
				}
			}
			return n
		}
		mayRun := func(w *waiter) bool { return count(running, w.holders[0].Name) < most }
		for step := range 400 {
			switch n := r.IntN(10); {
			case n < 5:
				waiting = append(waiting, q.newWaiter(string(rune('a'+r.IntN(4))), most))
			case n < 6 && len(waiting) > 0: // gives up
				i := r.IntN(len(waiting))
				q.leave(waiting[i])
				waiting = slices.Delete(waiting, i, i+1)
			case len(running) > 0:
				i := r.IntN(len(running))
				q.end(running[i])
				running = slices.Delete(running, i, i+1)
			}
			var begin []*waiter
			waiting = slices.DeleteFunc(waiting, func(w *waiter) bool {
				state := w.state()
				if state == "runs" {
					begin = append(begin, w)
				}
				return state != "waits"
			})
			for _, who := range []string{"a", "b", "c", "d"} {
				could := slices.ContainsFunc(waiting, func(w *waiter) bool { return w.holders[0].Name == who && mayRun(w) })
				for _, other := range []string{"a", "b", "c", "d"} {
					if !could || count(begin, who) > 0 {
						passed[who+other] = 0
					} else if passed[who+other] += count(begin, other); passed[who+other] > 2 {
						t.Fatalf("seed %d, step %d: %s began %d times while %s waited, want at most 2", seed, step,
							other, passed[who+other], who)
					}
				}
			}
			running = append(running, begin...)
			if len(running) > places || len(waiting) > room {
				t.Fatalf("seed %d, step %d: %d run in %d places, %d wait, want at most %d", seed, step, len(running),
					places, len(waiting), room)
			}
			if i := slices.IndexFunc(waiting, mayRun); i >= 0 && len(running) < places {
				t.Fatalf("seed %d, step %d: a place is free while a job of %s waits", seed, step, waiting[i].holders[0].Name)
			}
		}
	}
}

// A job that waits too long, or whose caller goes away, leaves the queue and gets no turn later.
func TestQueueThatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, late := NewQueue(1, 2), errors.New("late")
		end, err := q.Begin(t.Context(), Holder{Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, late)
		defer cancel()
		start := time.Now()
		if _, err := q.Begin(ctx, Holder{Name: "b"}); err != late || time.Since(start) != time.Second {
			t.Errorf("got %v after %s, want the cause after a second", err, time.Since(start))
		}
		end()
		if end, err = q.Begin(t.Context(), Holder{Name: "c"}); err != nil {
			t.Errorf("after that: %v", err)
		}
		end()
		if running, waiting, refused := q.Held(); running != 0 || waiting != 0 || refused != 0 {
			t.Errorf("%d run, %d wait, %d refused, want none", running, waiting, refused)
		}
	})
}
