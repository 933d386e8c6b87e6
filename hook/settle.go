package hook

import (
	"slices"
	"time"

	"relais/internal/store"
)

// An outcome is how an attempt to deliver ended.
type outcome struct {
	status int    // of HTTP; 0: no answer
	why    string // it failed; "": delivered
	gone   bool   // the receiver answered 410
	// damaged says that nothing was sent, because the message cannot be read.
	damaged bool
}

// KeepTrying is how long a message is tried after its first failure, and leastTries how often at least:
// the clock may jump.
const (
	KeepTrying = 24 * time.Hour
	leastTries = 5
)

// downAfter is how many failures in a row make a hook pause. Before that only the message that failed waits: a
// receiver that fails now and then gets the others meanwhile.
const downAfter = 4

// pauses are the waits after the first failures of a message, and of a hook from downAfter on. The last one
// goes on, short enough that a receiver that is back gets soon what it missed.
var pauses = []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute,
	longestPause}

const longestPause = 5 * time.Minute

func pause(failures int) time.Duration { return pauses[min(max(failures, 1), len(pauses))-1] }

// settle notes how an attempt ended.
func (s *Store) settle(id string, w *waiting, o *outcome) error {
	return s.update(func(tx *store.Tx) error {
		known := s.hooks.Get(id)
		if known == nil {
			return nil // it was deleted meanwhile
		}
		r, now := *known, s.second()
		var err error
		switch {
		case o.why == "":
			r.succeed(now)
			r.Done++
			err = s.queue.Delete(tx, w.key)
		case o.damaged:
			r.drop(1, now, o.why)
			err = s.queue.Delete(tx, w.key)
		default:
			r.fail(now, o)
			err = s.failed(tx, &r, w, o, now)
		}
		if err != nil {
			return err
		}
		return s.hooks.Put(tx, id, r)
	})
}

// failed notes a failed attempt in the queue, and drops what was tried long enough.
func (s *Store) failed(tx *store.Tx, r *record, w *waiting, o *outcome, now time.Time) error {
	line := s.lines[r.ID]
	if o.gone {
		r.drop(len(line), now, "the receiver answered 410")
		return s.remove(tx, line)
	}
	old := now.Add(-KeepTrying)
	m, damage := readMessage(tx, w.key)
	switch {
	case damage != nil:
		r.drop(1, now, damagedRecord)
		return s.queue.Delete(tx, w.key)
	case m == nil:
		return nil // it was dropped meanwhile
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
