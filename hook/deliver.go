package hook

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"relais/internal/store"
)

// Options say how to deliver.
type Options struct {
	// Private also sends to addresses that are not public, and without TLS.
	Private bool
	Version string // of the program
	Log     *slog.Logger
	// Events returns what is told about a cause.
	Events func(ctx context.Context, c Cause) ([]*Event, error)
	// Lead, which may be nil, calls do while this process is the one that delivers.
	Lead      func(ctx context.Context, do func(ctx context.Context))
	Transport http.RoundTripper // nil: the network
}

func (o *Options) sender(now func() time.Time) *sender {
	t := o.Transport
	if t == nil {
		t = newTransport(o.Private)
	}
	return &sender{t, o.Private, strings.TrimSuffix("relais/"+o.Version, "/"), now}
}

// Deliver delivers in the background while there are hooks, until ctx ends. Without any, and in a
// folder that cannot be written to, it does nothing. wait returns when everything has ended.
func (s *Store) Deliver(ctx context.Context, o Options) (wait func()) {
	var running sync.WaitGroup
	var mu sync.Mutex
	begun := false
	begin := func() {
		mu.Lock()
		defer mu.Unlock()
		if begun || ctx.Err() != nil {
			return
		}
		begun = true
		running.Go(func() {
			for {
				s.lead(ctx, o)
				mu.Lock()
				if begun = ctx.Err() == nil && s.any(); !begun {
					mu.Unlock()
					return
				}
				mu.Unlock()
			}
		})
	}
	s.mu.Lock()
	s.deliver = begin
	some := len(s.hooks.All()) > 0 && !s.db.ReadOnly()
	s.mu.Unlock()
	if some {
		begin()
	}
	return func() {
		mu.Lock()
		begun = true // nothing begins any more
		mu.Unlock()
		running.Wait()
	}
}

// lead runs while there are hooks.
func (s *Store) lead(ctx context.Context, o Options) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	do := func(ctx context.Context) { s.run(ctx, o) }
	if o.Lead == nil {
		do(ctx)
		return
	}
	go func() { // ends the lead when there is no hook any more
		for changed := s.changes(); s.any(); changed = s.changes() {
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
		}
		cancel()
	}()
	o.Lead(ctx, do)
}

// again is when reading the journals is tried again after an error.
const again = 5 * time.Second

// run reads journals and delivers, until ctx ends or there is no hook any more.
func (s *Store) run(ctx context.Context, o Options) {
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	to := o.sender(s.now)
	working := map[string]context.CancelFunc{}
	for s.any() {
		changed := s.changes()
		wait := time.Duration(0)
		if more, err := s.read(ctx, &o); err != nil && ctx.Err() == nil {
			o.Log.Error("events are not in the queue of the hooks yet; trying again", "error", err)
			wait = again
		} else if more {
			continue
		}
		ids := s.ids()
		for _, id := range ids {
			if working[id] == nil {
				own, stop := context.WithCancel(ctx)
				working[id] = stop
				workers.Go(func() { s.work(own, id, to, o.Log) })
			}
		}
		for id, stop := range working {
			if !slices.Contains(ids, id) {
				stop()
				delete(working, id)
			}
		}
		if !pass(ctx, changed, wait) {
			return
		}
	}
}

// pass waits for a change, or for a time if it is not 0. It returns false when ctx has ended.
func pass(ctx context.Context, changed <-chan struct{}, wait time.Duration) bool {
	var due <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-changed:
	case <-due:
	}
	return true
}

// work delivers to one hook until ctx ends.
func (s *Store) work(ctx context.Context, id string, to *sender, log *slog.Logger) {
	for {
		changed := s.changes()
		w, at := s.next(id)
		if w == nil {
			wait := time.Duration(0)
			if !at.IsZero() {
				wait = max(at.Sub(s.now()), time.Millisecond)
			}
			if !pass(ctx, changed, wait) {
				return
			}
			continue
		}
		o, made := s.attempt(ctx, id, w, to)
		if ctx.Err() != nil {
			return // whether it was delivered is not known: it is sent again
		}
		if !made {
			continue
		}
		s.tell(log, id, w, o)
		for {
			err := s.settle(id, w, o)
			if err == nil {
				break
			}
			log.Error("how a delivery ended could not be noted; trying again", "hook", id, "error", err)
			if !pass(ctx, nil, again) {
				return
			}
		}
	}
}

// attempt sends a message once. made is false when the message is gone.
func (s *Store) attempt(ctx context.Context, id string, w *waiting, to *sender) (o outcome, made bool) {
	s.mu.RLock()
	r, db := s.hooks.Get(id), s.db
	s.mu.RUnlock()
	if r == nil {
		return o, false
	}
	found, err := s.open(r)
	if err != nil {
		return outcome{why: err.Error()}, true
	}
	var m *message
	err = db.View(func(tx *store.Tx) (err error) {
		m, err = readMessage(tx, w.key)
		return err
	})
	switch {
	case err != nil:
		return outcome{why: err.Error()}, true
	case m == nil:
		return o, false
	}
	return to.send(ctx, found, m.ID, m.Body), true
}

// tell logs the first failure in a row, and what a 410 did.
func (s *Store) tell(log *slog.Logger, id string, w *waiting, o outcome) {
	h, err := s.Find(id)
	switch {
	case err != nil || o.why == "" && h.Failures == 0:
	case o.why == "":
		log.Info("a hook is reached again", "hook", id, "url", h.URL, "failures", h.Failures)
	case o.gone:
		log.Warn("a hook is disabled", "hook", id, "url", h.URL, "reason", o.why)
	case h.Failures == 0:
		log.Warn("a hook cannot be reached; trying again", "hook", id, "url", h.URL, "message", w.ID, "error", o.why)
	}
}
