package hook

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"relais/internal/store"
)

// A Cause is an entry of a source's journal.
type Cause struct {
	Source string
	store.Entry
}

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

func (s *Store) any() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.hooks.All()) > 0
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

// entriesAtOnce is how many entries of a journal are read in one go.
const entriesAtOnce = 200

// read queues what the journals have, and reports whether there may be more.
func (s *Store) read(ctx context.Context, o *Options) (more bool, err error) {
	var causes []Cause
	upTo := map[string][2]uint64{} // by source: where the cursor was, and where it is to be
	for _, source := range s.sources {
		at, err := s.cursor(source.Name)
		if err != nil {
			return false, err
		}
		list, end, err := source.after(at, o.Log)
		if err != nil {
			return false, err
		}
		for _, e := range list {
			causes = append(causes, Cause{source.Name, e})
		}
		if end != at {
			upTo[source.Name] = [2]uint64{at, end}
			more = more || len(list) == entriesAtOnce
		}
	}
	if len(upTo) == 0 {
		return false, nil
	}
	// Of one site, what happened first comes first, also when it was in another store.
	slices.SortStableFunc(causes, func(a, b Cause) int { return a.At.Compare(b.At) })
	var list []letter
	for _, c := range causes {
		some, err := s.say(ctx, o, c)
		if err != nil {
			return false, err
		}
		list = append(list, some...)
	}
	return more, s.update(func(tx *store.Tx) error {
		for source, n := range upTo {
			if cursor(tx, source) != n[0] {
				return nil // another process of the cluster has done it; before anything is put, which would stay
			}
		}
		for source, n := range upTo {
			if err := putCursor(tx, source, n[1]); err != nil {
				return err
			}
		}
		return s.enqueue(tx, list)
	})
}

// after returns the next entries of a source's journal after a position, and the position after them.
func (source Source) after(at uint64, log *slog.Logger) ([]store.Entry, uint64, error) {
	from := at
	switch end, err := source.DB.JournalEnd(); {
	case err != nil:
		return nil, at, err
	case at > end && source.DB.Shared(): // this replica does not have yet what another process has read
		return nil, at, nil
	case at > end: // the file was restored
		from = 0
	}
	list, err := source.DB.JournalAfter(from, entriesAtOnce)
	if err != nil || len(list) == 0 {
		return nil, from, err
	}
	if missing := list[0].Number - from - 1; from > 0 && missing > 0 {
		log.Warn("events are left out: too many waited in the journal, or their records are damaged", "store",
			source.Name, "events", missing)
	}
	return list, list[len(list)-1].Number, nil
}

func (s *Store) cursor(source string) (n uint64, err error) {
	s.mu.RLock()
	db := s.db
	s.mu.RUnlock()
	err = db.View(func(tx *store.Tx) error {
		n = cursor(tx, source)
		return nil
	})
	return n, err
}

// say returns the messages about a cause. A cause that cannot be read is left out, so that it does
// not hold up the others; what cannot be read at the moment is an error.
func (s *Store) say(ctx context.Context, o *Options, c Cause) ([]letter, error) {
	events, err := o.Events(ctx, c)
	var list []letter
	for i := 0; i < len(events) && err == nil; i++ {
		var some []letter
		some, err = s.letters(events[i])
		list = append(list, some...)
	}
	switch {
	case err == nil:
		return list, nil
	case ctx.Err() != nil, passing(err):
		return nil, err
	}
	o.Log.Error("an event is left out, because its record cannot be read", "store", c.Source, "event", c.Text, "error", err)
	return nil, nil
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

// Tested is how the test of a hook ended.
type Tested struct {
	Hook   string `json:"hook"`
	OK     bool   `json:"ok"`
	Status int    `json:"status"`          // of HTTP; 0: no answer
	Error  string `json:"error,omitempty"` // why it failed
	Millis int64  `json:"milliseconds"`
}

// Test sends a message of the type test to a hook at once, past its queue. A success enables a
// disabled hook, and ends its pause. Error: ErrNoHook, those of the store.
func (s *Store) Test(ctx context.Context, id string, o Options) (*Tested, error) {
	h, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	r := s.hooks.Get(id)
	s.mu.RUnlock()
	found, err := s.open(r)
	if err != nil {
		return nil, err
	}
	began := s.now()
	e := &Event{Type: "test", At: began, Data: func(string) (any, error) { return testData{h.ID}, nil }}
	body, err := e.bodyOf("")
	if err != nil {
		return nil, err
	}
	to := o.sender(s.now)
	result := to.send(ctx, found, MessageID("test", id, fmt.Sprint(began.UnixNano())), body)
	t := &Tested{Hook: id, OK: result.why == "", Status: result.status, Error: result.why,
		Millis: s.now().Sub(began).Milliseconds()}
	if !t.OK || h.Enabled() && h.Failures == 0 {
		return t, nil
	}
	return t, s.update(func(tx *store.Tx) error {
		if r := s.hooks.Get(id); r != nil {
			enabled := *r
			enabled.DisabledAt = nil
			enabled.succeed(s.second())
			return s.hooks.Put(tx, id, enabled)
		}
		return ErrNoHook
	})
}

// testData is the data of a test.
type testData struct {
	Hook string `json:"hook"`
}
