package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// freshEvery is the shortest time between two questions of Fresh to the Log, however many callers ask for unknown
// keys. A caller waits for an answer no longer than freshTime.
const (
	freshEvery = 50 * time.Millisecond
	freshTime  = 3 * time.Second
)

// Fresh brings a replica to a state that has everything that any replica acknowledged before the
// call. Calls at the same time share one question to the Log. Without a Log it returns nil at
// once. It must not be called from an Update. Errors: ErrAway, that of ctx.
func (db *DB) Fresh(ctx context.Context) error {
	if db == nil || db.log == nil {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, freshTime)
	defer cancel()
	// The question has the life of the file: it must not end with the caller that happened to begin it.
	err := db.rounds.join(waiting, db.life, db.Pull)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return fmt.Errorf("%w: no answer in %s", ErrAway, freshTime)
	}
	return err
}

// Rounds answer many callers with few calls: a caller gets the result of a call that began after
// it had come. A call that is under way may have read the Log before, so its result is not for a new caller.
type rounds struct {
	mu      sync.Mutex
	next    *round // for callers that wait; it has not begun
	running bool
	began   time.Time // the last round
}

type round struct {
	done chan struct{}
	err  error
}

// join waits for the result of the next call of do, and begins to call it with life if nobody does.
func (r *rounds) join(ctx, life context.Context, do func(context.Context) error) error {
	r.mu.Lock()
	if r.next == nil {
		r.next = &round{done: make(chan struct{})}
	}
	own := r.next
	if !r.running {
		r.running = true
		go r.run(life, do)
	}
	r.mu.Unlock()
	select {
	case <-own.done:
		return own.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run calls do with life until nobody waits.
func (r *rounds) run(life context.Context, do func(context.Context) error) {
	for {
		r.mu.Lock()
		wait := time.Until(r.began.Add(freshEvery))
		r.mu.Unlock()
		time.Sleep(wait)
		r.mu.Lock()
		current := r.next
		r.next, r.began = nil, time.Now()
		if current == nil {
			r.running = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		current.err = do(life)
		close(current.done)
	}
}
