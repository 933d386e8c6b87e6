package hook

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"

	"relais/internal/store"
)

// A Cause is an entry of a source's journal.
type Cause struct {
	Source string
	store.Entry
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
	switch end, err := source.DB.Journal().End(); {
	case err != nil:
		return nil, at, err
	case at > end && source.DB.Shared(): // this replica does not have yet what another process has read
		return nil, at, nil
	case at > end: // the file was restored
		from = 0
	}
	list, err := source.DB.Journal().After(from, entriesAtOnce)
	if err != nil || len(list) == 0 {
		return nil, from, err
	}
	if missing := list[0].Number - from - 1; from > 0 && missing > 0 {
		log.Warn("events are left out: too many waited in the journal, or their records are damaged", "store",
			source.Name, "events", missing)
	}
	return list, list[len(list)-1].Number, nil
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

// passing reports whether an error of reading records may end by itself.
func passing(err error) bool {
	for _, e := range []error{store.ErrAway, store.ErrUnreadable, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
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

// cursor returns the position in the journal of a source. Where its record is damaged, what the journal
// still has comes once more.
func cursor(tx *store.Tx, source string) uint64 {
	b := tx.Bucket([]byte(cursorsBucket))
	if b == nil {
		return 0
	}
	if v, err := b.Read([]byte(source)); err == nil && len(v) == 8 {
		return binary.BigEndian.Uint64(v)
	}
	return 0
}

func putCursor(tx *store.Tx, source string, n uint64) error {
	return tx.Bucket([]byte(cursorsBucket)).Put([]byte(source), binary.BigEndian.AppendUint64(nil, n))
}

// skip moves to the end of the journals: what earlier hooks left there is of no concern.
func (s *Store) skip(tx *store.Tx) error {
	for _, source := range s.sources {
		n, err := source.DB.Journal().End()
		if err != nil {
			return err
		}
		if err := putCursor(tx, source.Name, n); err != nil {
			return err
		}
	}
	return nil
}
