package hook

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
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

// Deliver delivers in the background while there are hooks, until ctx ends; in a folder that cannot be
// written to, it does nothing. wait returns when everything has ended.
func (s *Store) Deliver(ctx context.Context, o Options) (wait func()) {
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			changed := s.changes()
			if s.any() {
				s.lead(ctx, o)
				continue
			}
			pass(ctx, changed, 0)
		}
	})
	return running.Wait
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

// again is when reading or writing hooks.db and the journals is tried again after an error.
const again = 5 * time.Second

// run reads journals and delivers, until ctx ends or there is no hook any more.
func (s *Store) run(ctx context.Context, o Options) {
	ctx, cancel := context.WithCancel(ctx)
	to := o.sender(s.now)
	defer to.close()
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	working := map[string]context.CancelFunc{}
	logged := ""
	for s.any() && ctx.Err() == nil {
		changed := s.changes()
		more, err := s.fill(ctx, &o)
		wait, text := time.Duration(0), ""
		switch {
		case err != nil && ctx.Err() == nil:
			wait, text = again, err.Error()
			if text != logged {
				o.Log.Error("events are not in the queue of the hooks yet; trying again", "error", err)
			}
		case more:
			continue
		}
		logged = text
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
		pass(ctx, changed, wait)
	}
}

// fill queues what the journals have, and drops from the queue what cannot be read. It reports whether the
// journals may have more.
func (s *Store) fill(ctx context.Context, o *Options) (more bool, err error) {
	if err := s.dropDamaged(o.Log); err != nil {
		return false, err
	}
	return s.read(ctx, o)
}

// pass waits for a change, or for a time if it is not 0, or for the end of ctx.
func pass(ctx context.Context, changed <-chan struct{}, wait time.Duration) {
	var due <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
	case <-changed:
	case <-due:
	}
}

// work delivers to one hook until ctx ends.
func (s *Store) work(ctx context.Context, id string, to *sender, log *slog.Logger) {
	for ctx.Err() == nil {
		changed := s.changes()
		w, at := s.next(id)
		if w == nil {
			wait := time.Duration(0)
			if !at.IsZero() {
				wait = max(at.Sub(s.now()), time.Millisecond)
			}
			pass(ctx, changed, wait)
			continue
		}
		var o *outcome
		retry(ctx, log, id, func() (err error) {
			o, err = s.attempt(ctx, id, w, to)
			return err
		})
		if o == nil || ctx.Err() != nil { // whether it was delivered is not known then: it is sent again
			continue
		}
		s.tell(log, id, w, o)
		retry(ctx, log, id, func() error { return s.settle(id, w, o) })
	}
}

// retry calls a function until it succeeds or ctx ends, and logs the first error.
func retry(ctx context.Context, log *slog.Logger, id string, do func() error) {
	for first := true; ctx.Err() == nil; first = false {
		err := do()
		if err == nil {
			return
		}
		if first {
			log.Error("the queue of a hook cannot be read or written; trying again", "hook", id, "error", err)
		}
		pass(ctx, nil, again)
	}
}

// attempt sends a message once. It returns nil when the message is gone. Errors: those of reading hooks.db.
func (s *Store) attempt(ctx context.Context, id string, w *waiting, to *sender) (*outcome, error) {
	s.mu.RLock()
	r, db := s.hooks.Get(id), s.db
	s.mu.RUnlock()
	if r == nil {
		return nil, nil
	}
	found, err := s.open(r)
	if err != nil {
		return &outcome{why: err.Error()}, nil
	}
	var m *message
	var damage error
	if err := db.View(func(tx *store.Tx) error {
		m, damage = readMessage(tx, w.key)
		return nil
	}); err != nil {
		return nil, err
	}
	switch {
	case damage != nil:
		return &outcome{why: damagedRecord, damaged: true}, nil
	case m == nil:
		return nil, nil
	}
	o := to.send(ctx, found, r.Format, m.ID, m.Body)
	return &o, nil
}

// tell logs the first failure in a row, what a 410 did, and a message that is lost.
func (s *Store) tell(log *slog.Logger, id string, w *waiting, o *outcome) {
	h, err := s.Find(id)
	switch {
	case err != nil || o.why == "" && h.Failures == 0:
	case o.why == "":
		log.Info("a hook is reached again", "hook", id, "url", h.URL, "failures", h.Failures)
	case o.damaged:
		log.Error("a message to a hook is dropped", "hook", id, "message", w.ID, "reason", o.why)
	case o.gone:
		log.Warn("a hook is disabled", "hook", id, "url", h.URL, "reason", o.why)
	case h.Failures == 0:
		log.Warn("a hook cannot be reached; trying again", "hook", id, "url", h.URL, "message", w.ID, "error", o.why)
	}
}
