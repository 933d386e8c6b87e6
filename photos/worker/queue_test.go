package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

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
			held := make([]*heldInput, 4)
			var results []<-chan error
			for i := range held {
				held[i] = hold()
				results = append(results, do("a", held[i]))
				if i == 0 {
					<-held[0].begun
				}
				for ; ctx.Err() == nil; time.Sleep(time.Millisecond) { // until it waits
					if _, n, _ := p.queue.Held(); n >= i {
						break
					}
				}
			}
			b := do("b", strings.NewReader("xx"))
			if workers == 1 { // which runs the first of a
				close(held[0].released)
			}
			if err := <-b; err != nil {
				t.Errorf("the other client: %v", err)
			}
			for _, h := range held[2-workers:] {
				close(h.released)
			}
			for _, r := range results {
				if err := <-r; err != nil {
					t.Error(err)
				}
			}
		})
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
