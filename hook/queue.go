package hook

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"relais/internal/store"
)

// MostPending is how many messages wait for one hook. Then each new one takes the place of the oldest:
// what a receiver gets when it is back ends with the present.
const MostPending = 10_000

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

// dropDamaged removes the messages that could not be read when hooks.db was opened, and counts them.
func (s *Store) dropDamaged(log *slog.Logger) error {
	s.mu.RLock()
	n := len(s.queue.Lost())
	s.mu.RUnlock()
	if n == 0 {
		return nil
	}
	dropped := map[string]int{}
	if err := s.update(func(tx *store.Tx) error {
		for key := range s.queue.Lost() {
			dropped[hookOf(key)]++
			if err := s.queue.Delete(tx, key); err != nil {
				return err
			}
		}
		for id, n := range dropped {
			if known := s.hooks.Get(id); known != nil {
				r := *known
				r.drop(n, s.second(), damagedRecord)
				if err := s.hooks.Put(tx, id, r); err != nil {
					return err
				}
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for id, n := range dropped {
		log.Error("messages to a hook are dropped", "hook", id, "messages", n, "reason", damagedRecord)
	}
	return nil
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

func (s *Store) remove(tx *store.Tx, list []*waiting) error {
	for _, w := range list {
		if err := s.queue.Delete(tx, w.key); err != nil {
			return err
		}
	}
	return nil
}
