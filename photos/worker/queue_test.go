package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// state returns whether a job runs, waits or was refused.
func (t *turn) state() string {
	select {
	case err := <-t.told:
		if err != nil {
			return "refused"
		}
		return "runs"
	default:
		return "waits"
	}
}

// Clients take turns, whatever the order in which their jobs came.
func TestTurns(t *testing.T) {
	q := newQueue(1, 20)
	turns := map[string]*turn{}
	names := []string{"a1", "a2", "a3", "a4", "b1", "b2", "c1"}
	for _, name := range names {
		turns[name] = q.add(name[:1], false)
	}
	var order []string
	for range names {
		for _, name := range names {
			if turn := turns[name]; !slices.Contains(order, name) && turn.state() == "runs" {
				order = append(order, name)
				q.remove(turn)
				break
			}
		}
	}
	if got := strings.Join(order, " "); got != "a1 a2 b1 c1 a3 b2 a4" { // a2 stood first when a1 began
		t.Errorf("order = %s, want a1 a2 b1 c1 a3 b2 a4", got)
	}
	if len(q.lines) != 0 || q.busy != 0 || len(q.running) != 0 {
		t.Errorf("queue has %d lines, %d jobs, %v; want it empty", len(q.lines), q.busy, q.running)
	}
}

// One client can take neither the last worker nor the last place.
func TestShares(t *testing.T) {
	q := newQueue(3, 4)
	var states []string
	for range 7 {
		states = append(states, q.add("a", false).state())
	}
	if got := strings.Join(states, " "); got != "runs runs waits waits waits waits refused" {
		t.Errorf("7 jobs of one client = %s, want 2 running, 4 waiting, 1 refused", got)
	}
	if got := q.add("b", false).state(); got != "runs" {
		t.Errorf("job of another client = %s, want runs", got)
	}
	if got := q.add("b", false).state(); got != "waits" { // in place of one of a's
		t.Errorf("second job of another client = %s, want waits", got)
	}
	if len(q.lines) != 2 || len(q.lines[0].turns) != 3 || len(q.lines[1].turns) != 1 {
		t.Errorf("waiting jobs = %d and %d, len(q.lines) %v, want 3, 1 and len(q.lines) = 2", len(q.lines[0].turns),
			len(q.lines[1].turns), len(q.lines))
	}
}

// A heldInput gives its job to a worker, but the last byte only when it is released.
type heldInput struct {
	begun    chan struct{}
	released chan struct{}
	sent     int
}

func hold() *heldInput { return &heldInput{begun: make(chan struct{}), released: make(chan struct{})} }

func (h *heldInput) Read(b []byte) (int, error) {
	switch h.sent++; h.sent {
	case 1:
		close(h.begun)
	case 2:
		<-h.released
	default:
		return 0, io.EOF
	}
	b[0] = 'x'
	return 1, nil
}

// holdAll starts n jobs that do not end before release is called.
func holdAll(p *Pool, n int, job task) (release func(), results <-chan error) {
	var held []*heldInput
	errs := make(chan error, n)
	for range n {
		input := hold()
		held = append(held, input)
		go func() {
			job := job
			job.input, job.size = input, 2
			_, err := p.do(context.Background(), job, &answer{})
			errs <- err
		}()
	}
	return func() {
		for _, h := range held {
			close(h.released)
		}
	}, errs
}

// Waiting jobs of one client do not delay a job of another.
func TestOneClientHoldsNobody(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			p := newPool(t, Options{Workers: workers, Patience: time.Minute, Deadline: time.Minute})
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			do := func(who string, input io.Reader) <-chan error {
				done := make(chan error, 1)
				go func() {
					_, err := p.do(ctx, task{sender: who, payload: order{What: "hash"}, input: input, size: 2}, &answer{})
					done <- err
				}()
				return done
			}
			first := hold()
			results := []<-chan error{do("a", first)}
			<-first.begun
			others := make([]*heldInput, 3)
			for i := range others {
				others[i] = hold()
				results = append(results, do("a", others[i]))
				for q := p.queue; ; time.Sleep(time.Millisecond) { // until it waits
					q.mu.Lock()
					n := q.waiting(false)
					q.mu.Unlock()
					if n > i || ctx.Err() != nil {
						break
					}
				}
			}
			b := do("b", strings.NewReader("xx"))
			if workers == 1 { // it comes after the one that stood first when the first began
				close(first.released)
				<-others[0].begun
				close(others[0].released)
			}
			if err := <-b; err != nil {
				t.Errorf("the other client: %v", err)
			}
			if workers == 1 {
				close(others[1].released)
			} else {
				close(first.released)
				close(others[0].released)
				close(others[1].released)
			}
			close(others[2].released)
			for _, r := range results {
				if err := <-r; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// In every random sequence the limits hold, no worker is idle while a job may run, and nobody
// waits while another gets several turns.
func TestQueueAtRandom(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		workers, places := 1+r.IntN(4), 1+r.IntN(12)
		q := newQueue(workers, places)
		var waiting, running []*turn
		passed := map[string]int{} // "ab": so often did b begin while a could have
		count := func(all []*turn, who string, alone bool) (n int) {
			for _, j := range all {
				if (who == "" || j.who == who) && (!alone || j.alone) {
					n++
				}
			}
			return n
		}
		mayRun := func(j *turn) bool {
			return count(running, j.who, false) < max(1, workers-1) && !(j.alone && count(running, "", true) > 0)
		}
		for step := range 400 {
			switch n := r.IntN(10); {
			case n < 5:
				waiting = append(waiting, q.add(string(rune('a'+r.IntN(4))), r.IntN(4) == 0))
			case n < 6 && len(waiting) > 0: // gives up
				i := r.IntN(len(waiting))
				q.remove(waiting[i])
				waiting = slices.Delete(waiting, i, i+1)
			case len(running) > 0:
				i := r.IntN(len(running))
				q.remove(running[i])
				running = slices.Delete(running, i, i+1)
			}
			var begin []*turn
			waiting = slices.DeleteFunc(waiting, func(j *turn) bool {
				state := j.state()
				if state == "runs" {
					begin = append(begin, j)
				}
				return state != "waits"
			})
			for _, who := range []string{"a", "b", "c", "d"} {
				could := slices.ContainsFunc(waiting, func(j *turn) bool { return j.who == who && mayRun(j) })
				for _, other := range []string{"a", "b", "c", "d"} {
					if !could || slices.ContainsFunc(begin, func(j *turn) bool { return j.who == who }) {
						passed[who+other] = 0
					} else if passed[who+other] += count(begin, other, false); passed[who+other] > 2 {
						t.Fatalf("seed %d, step %d: %s began %d times while %s waited, want at most 2", seed, step,
							other, passed[who+other], who)
					}
				}
			}
			running = append(running, begin...)
			if len(running) > workers || len(waiting) > places || count(running, "", true) > 1 {
				t.Fatalf("seed %d, step %d: %d run on %d workers, %d of them alone; %d wait in %d places, want at "+
					"most %d, at most 1 and at most %d", seed, step, len(running), workers, count(running, "", true),
					len(waiting), places, workers, places)
			}
			if i := slices.IndexFunc(waiting, mayRun); i >= 0 && len(running) < workers {
				t.Fatalf("seed %d, step %d: a worker is idle while a job of %s waits", seed, step, waiting[i].who)
			}
		}
	}
}

// A pool that is closing refuses jobs.
func TestClosing(t *testing.T) {
	p := New(Options{Program: []string{"/bin/false"}, Workers: 1})
	p.Close()
	if _, err := p.do(context.Background(), task{}, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("error = %v, want ErrBusy", err)
	}
}
