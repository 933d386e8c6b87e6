package hook

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"relais/internal/store"
)

// MostPending is how many messages wait for one hook. Then each new one takes the place of the oldest:
// what a receiver gets when it is back ends with the present.
const MostPending = 10_000

// KeepTrying is how long a message is tried after its first failure, and leastTries how often at least:
// the clock may jump.
const (
	KeepTrying = 24 * time.Hour
	leastTries = 5
)

// A waiting message is one to deliver, without its body.
type waiting struct {
	ID    string    `json:"id"`    // webhook-id: names the event, the same for every attempt
	Group string    `json:"group"` // messages of one group are delivered in their order
	Since time.Time `json:"since"` // in the queue
	// First is the first failed attempt, and Next when the next one may be made.
	First *time.Time `json:"first,omitempty"`
	Next  *time.Time `json:"next,omitempty"`
	Tries int        `json:"tries,omitempty"` // that failed
	key   string
}

// A message is a record of the queue.
type message struct {
	waiting
	Body string `json:"body"` // JSON
}

func queueKey(hook string, n uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte(hook), n))
}

// hookOf returns the id of the hook in a key of the queue.
func hookOf(key string) string { return key[:max(0, len(key)-8)] }

func parseWaiting(key string, text []byte) (*waiting, error) {
	w := &waiting{}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("message %x: %w", key, err)
	}
	if w.ID == "" || hookOf(key) == "" {
		return nil, fmt.Errorf("message %x: it has no id", key)
	}
	w.key = key
	return w, nil
}

// show keeps lines as the queue is. The caller holds mu.
func (s *Store) show(before, now *waiting) {
	key := ""
	if before != nil {
		key = before.key
	} else {
		key = now.key
	}
	id := hookOf(key)
	line := s.lines[id]
	at, there := slices.BinarySearchFunc(line, key, func(w *waiting, key string) int { return strings.Compare(w.key, key) })
	switch {
	case now == nil && at == 0 && there:
		line = line[1:] // what is delivered is usually the first
	case now == nil && there:
		line = slices.Delete(line, at, at+1)
	case there:
		line[at] = now
	default:
		line = slices.Insert(line, at, now)
	}
	s.lines[id] = line
	if len(line) == 0 {
		delete(s.lines, id)
	}
}

// An Event is what some hooks are to get.
type Event struct {
	Kind  Kind
	Type  string // such as photo.reported
	ID    string // names the event: the same one has the same id
	Group string // such as a site: its messages are delivered in their order
	At    time.Time
	// Data returns what a hook with a filter gets, nil for nothing.
	Data func(filter string) (any, error)
}

// envelope is the body of a message.
type envelope struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// bodyOf returns the body of an event, "" when the filter selects nothing of it.
func (e *Event) bodyOf(filter string) (string, error) {
	data, err := e.Data(filter)
	if err != nil || data == nil {
		return "", err
	}
	text, err := json.Marshal(envelope{e.Type, e.At.UTC().Truncate(time.Second), data})
	return string(text), err
}

// A letter is a message to a hook that is not in the queue yet.
type letter struct {
	hook string
	message
	failed string // why there is no message; else ""
}

// letters returns the messages of an event, one for each hook that wants it. A hook whose message
// cannot be made gets a letter without a body, which says why, so that it does not hold up the
// others. What cannot be read at the moment is an error.
func (s *Store) letters(e *Event) (list []letter, err error) {
	s.mu.RLock()
	var wanting []*record
	for _, r := range s.hooks.All() {
		if r.Wants(e.Kind) {
			wanting = append(wanting, r)
		}
	}
	s.mu.RUnlock()
	for _, r := range wanting {
		body, err := e.bodyOf(r.Filter)
		switch {
		case passing(err):
			return nil, err
		case err != nil:
			list = append(list, letter{hook: r.ID, failed: fmt.Sprintf("the event %s: %v", e.ID, err)})
		case body != "":
			list = append(list, letter{hook: r.ID, message: message{waiting{ID: e.ID, Group: e.Group, Since: s.second()}, body}})
		}
	}
	return list, nil
}

// passing reports whether an error of reading records may end by itself.
func passing(err error) bool {
	for _, e := range []error{store.ErrAway, store.ErrUnreadable, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Add queues an event that has no record of its own. When it returns nil the event is on disk.
func (s *Store) Add(e *Event) error {
	list, err := s.letters(e)
	if err != nil || len(list) == 0 {
		return err
	}
	return s.update(func(tx *store.Tx) error { return s.enqueue(tx, list) })
}

// enqueue adds messages to the queues of their hooks.
func (s *Store) enqueue(tx *store.Tx, list []letter) error {
	added, dropped := map[string]int{}, map[string]int{}
	edited := map[string]*record{}
	edit := func(id string) *record {
		if edited[id] == nil {
			r := *s.hooks.Get(id)
			edited[id] = &r
		}
		return edited[id]
	}
	for _, l := range list {
		r := s.hooks.Get(l.hook)
		if r == nil || !r.Enabled() {
			continue
		}
		if l.failed != "" {
			failed := edit(l.hook)
			failed.LastError = l.failed
			failed.drop(1, s.second(), l.failed)
			continue
		}
		n, err := tx.Bucket([]byte(queueBucket)).NextSequence()
		if err != nil {
			return err
		}
		if err := s.queue.Put(tx, queueKey(l.hook, n), l.message); err != nil {
			return err
		}
		added[l.hook]++
		line := s.lines[l.hook]
		if full := len(line)-dropped[l.hook]+added[l.hook] > MostPending; full && dropped[l.hook] < len(line) {
			if err := s.queue.Delete(tx, line[dropped[l.hook]].key); err != nil {
				return err
			}
			dropped[l.hook]++
		}
	}
	for id, n := range dropped {
		edit(id).drop(n, s.second(), fmt.Sprintf("%d newer messages waited", MostPending))
	}
	for id, r := range edited {
		if err := s.hooks.Put(tx, id, r); err != nil {
			return err
		}
	}
	return nil
}

// drop counts messages that were given up.
func (h *Hook) drop(n int, at time.Time, why string) {
	if n > 0 {
		h.Dropped, h.DroppedAt, h.DroppedWhy = h.Dropped+uint64(n), &at, why
	}
}

// next returns the message to send next to a hook, or nil and when to look again; a zero time means
// when something has changed.
func (s *Store) next(id string) (*waiting, time.Time) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, now := s.hooks.Get(id), s.now()
	switch {
	case r == nil || !r.Enabled() || len(s.lines[id]) == 0:
		return nil, time.Time{}
	case early(r.Next, now):
		return nil, *r.Next
	}
	var best *waiting
	var soonest time.Time
	held := map[string]bool{} // groups with an earlier message
	for _, w := range s.lines[id] {
		switch {
		case held[w.Group]:
			continue
		case early(w.Next, now):
			if soonest.IsZero() || w.Next.Before(soonest) {
				soonest = *w.Next
			}
		case best == nil || w.Tries < best.Tries:
			best = w
			if r.Failures == 0 || w.Tries == 0 {
				return best, time.Time{} // while the receiver fails, one that was not tried shows most
			}
		}
		held[w.Group] = true
	}
	return best, soonest
}

// early reports whether a time is still to come. One that lies further ahead than any pause was set
// before the clock went back.
func early(next *time.Time, now time.Time) bool {
	return next != nil && now.Before(*next) && next.Sub(now) <= longestPause
}

// An outcome is how an attempt to deliver ended.
type outcome struct {
	status int    // of HTTP; 0: no answer
	why    string // it failed; "": delivered
	gone   bool   // the receiver answered 410
}

// pauses are the waits after the first failures in a row; the last one goes on, short enough that a
// receiver that is back gets soon what it missed.
var pauses = []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute,
	longestPause}

const longestPause = 5 * time.Minute

func pause(failures int) time.Duration { return pauses[min(max(failures, 1), len(pauses))-1] }

// settle notes how an attempt ended.
func (s *Store) settle(id string, w *waiting, o outcome) error {
	return s.update(func(tx *store.Tx) error {
		known := s.hooks.Get(id)
		if known == nil {
			return nil // it was deleted meanwhile
		}
		r, now := *known, s.second()
		var err error
		if o.why == "" {
			r.succeed(now)
			r.Done++
			err = s.queue.Delete(tx, w.key)
		} else {
			r.fail(now, o)
			err = s.failed(tx, &r, w, o, now)
		}
		if err != nil {
			return err
		}
		return s.hooks.Put(tx, id, r)
	})
}

func (h *Hook) succeed(now time.Time) {
	h.LastSuccess, h.Failures, h.FailingSince, h.Next = &now, 0, nil, nil
}

func (h *Hook) fail(now time.Time, o outcome) {
	if h.Failures++; h.FailingSince == nil {
		h.FailingSince = &now
	}
	next := now.Add(pause(h.Failures))
	h.LastFailure, h.LastError, h.Next = &now, o.why, &next
	if o.gone {
		h.DisabledAt, h.Next = &now, nil
	}
}

// failed notes a failed attempt in the queue, and drops what was tried long enough.
func (s *Store) failed(tx *store.Tx, r *record, w *waiting, o outcome, now time.Time) error {
	line := s.lines[r.ID]
	if o.gone {
		r.drop(len(line), now, "the receiver answered 410")
		return s.remove(tx, line)
	}
	old := now.Add(-KeepTrying)
	m, err := readMessage(tx, w.key)
	if m == nil || err != nil {
		return err // it was dropped meanwhile
	}
	if m.First == nil {
		m.First = &now
	}
	w = &m.waiting
	over := slices.DeleteFunc(slices.Clone(line), func(x *waiting) bool {
		if r.Failures < leastTries && x.Tries < leastTries {
			return true
		}
		// What waits behind a message that fails may be better than that.
		tried := x.First != nil && !x.First.After(old)
		return !tried && (x.Group == w.Group || x.Since.After(old) || r.FailingSince.After(old))
	})
	r.drop(len(over), now, "24 hours of failures")
	if err := s.remove(tx, over); err != nil {
		return err
	}
	if slices.ContainsFunc(over, func(x *waiting) bool { return x.key == w.key }) {
		return nil
	}
	m.Tries++
	next := now.Add(pause(m.Tries))
	m.Next = &next
	return s.queue.Put(tx, m.key, m)
}

func (s *Store) remove(tx *store.Tx, list []*waiting) error {
	for _, w := range list {
		if err := s.queue.Delete(tx, w.key); err != nil {
			return err
		}
	}
	return nil
}

// readMessage returns a message, nil when it is not in the queue any more.
func readMessage(tx *store.Tx, key string) (*message, error) {
	text := tx.Value(queueBucket, []byte(key))
	if text == nil {
		return nil, nil
	}
	m := &message{}
	err := json.Unmarshal(text, m)
	m.key = key
	return m, err
}
