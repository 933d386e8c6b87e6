package httpapi

import (
	"context"
	"io"
	"runtime"
	"sync"
	"time"

	"relais/api/endpoint"
)

// Large answers are computed in turns: few at a time, so that other requests find a free
// processor. After a burst, a client gets a fifth of the processors' time.
const (
	turnShare = 1.0 / 5
	turnBurst = 3 * time.Second
	turnBytes = 1 << 20               // bytes that are computed in one turn
	turnLook  = 50 * time.Millisecond // between two checks which clients wait for the answer
)

// turns limits how many large answers are computed at a time, and how much of the
// processors each client uses.
type turns struct {
	places chan struct{} // full when no other answer may be computed
	rate   float64       // seconds of computing that a client gets each second
	mu     sync.Mutex
	left   map[string]*allowance // by client
}

// An allowance is the time that a client may compute without waiting.
type allowance struct {
	left time.Duration // below 0 when more was used
	at   time.Time
}

func newTurns(processors int) *turns {
	return &turns{places: make(chan struct{}, max(1, processors/2)), rate: turnShare * float64(processors),
		left: map[string]*allowance{}}
}

// processors returns how many processors Go may use.
func processors() int { return min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }

// charge charges a client for what it has computed, and returns how long it has to wait
// before it may go on.
func (t *turns) charge(client string, took time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	a := t.left[client]
	if a == nil {
		a = &allowance{turnBurst, now}
		t.left[client] = a
	}
	a.left = min(turnBurst, a.left+time.Duration(t.rate*float64(now.Sub(a.at)))) - took
	a.at = now
	if a.left > 0 {
		return 0
	}
	return time.Duration(float64(time.Millisecond-a.left) / t.rate)
}

// A turn is the computing of one answer. A nil turn may be used: it neither waits nor
// counts.
type turn struct {
	turns   *turns
	ctx     context.Context
	clients func() []string // that wait for the answer: the first with time left is charged
	client  string          // that is charged now
	running bool
	since   time.Time
}

// begin waits until one of the clients may compute. The clients may change meanwhile. Its
// error is the context's.
func (t *turns) begin(ctx context.Context, who func() []string) (*turn, error) {
	u := &turn{turns: t, ctx: ctx, clients: who}
	return u, u.resume()
}

// resume waits until one of the clients may compute again. Its error is the context's.
func (u *turn) resume() error {
	if u == nil || u.running {
		return nil
	}
	for wait := u.chooseClient(); wait > 0; wait = u.chooseClient() {
		timer := time.NewTimer(min(wait, turnLook))
		select {
		case <-timer.C:
		case <-u.ctx.Done():
			timer.Stop()
			return u.ctx.Err()
		}
	}
	if err := u.ctx.Err(); err != nil {
		return err
	}
	select {
	case u.turns.places <- struct{}{}:
		u.running, u.since = true, time.Now()
		return nil
	case <-u.ctx.Done():
		return u.ctx.Err()
	}
}

// chooseClient chooses the first client that has time left. If none has, it returns how
// long to wait.
func (u *turn) chooseClient() (wait time.Duration) {
	for _, client := range u.clients() {
		again := u.turns.charge(client, 0)
		if again == 0 {
			u.client = client
			return 0
		}
		if wait == 0 || again < wait {
			wait = again
		}
	}
	return wait
}

// pause lets others compute, while the answer is sent or when it is done.
func (u *turn) pause() {
	if u == nil || !u.running {
		return
	}
	u.running = false
	u.turns.charge(u.client, time.Since(u.since))
	<-u.turns.places
}

// A computed is a stream that is computed in turns.
type computed struct {
	endpoint.Stream
	turn *turn
}

// WriteTo implements endpoint.Stream.
func (c computed) WriteTo(w io.Writer) (int64, error) {
	since := 0
	return c.Stream.WriteTo(writerFunc(func(p []byte) (int, error) {
		if since += len(p); since >= turnBytes {
			since = 0
			c.turn.pause()
			if err := c.turn.resume(); err != nil {
				return 0, err
			}
		}
		return w.Write(p)
	}))
}

type writerFunc func(p []byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
