package audit

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"relais/internal/store"
)

// A Log is all entries of a data folder.
type Log struct {
	db      *store.DB   // nil for a read-only folder without the file
	sources []*store.DB // other stores with decisions; some may be nil
	// moving is held by Collect and Forget: an entry that is on its way has a name that Forget does not find.
	moving sync.Mutex
}

// Open returns the log in community.db. sources are the other stores with a Bucket.
func Open(db *store.DB, sources ...*store.DB) *Log { return &Log{db: db, sources: sources} }

// A Filter selects entries. Its zero value selects all.
type Filter struct {
	By      string `json:"by,omitempty"`
	Subject string `json:"subject,omitempty"` // id, also that of the photo of a report; or name
	Kind    string `json:"kind,omitempty"`    // what acts begin with: photo, report, outage, bug, user
	Own     bool   `json:"own,omitempty"`     // leaves out reports about the photo
}

func (f Filter) wants(e *Entry) bool {
	kind, _, _ := strings.Cut(e.Act, ".")
	return (f.By == "" || f.By == e.By) && (f.Subject == "" || f.Subject == e.Subject || !f.Own && f.Subject == e.Photo) &&
		(f.Kind == "" || f.Kind == kind)
}

// List returns a page of the entries that f selects, the newest first, and their number. Unusable
// entries are left out.
func (l *Log) List(f Filter, limit, offset int) (list []Entry, total int, err error) {
	list = []Entry{}
	err = l.backwards(func(e *Entry) bool {
		if f.wants(e) {
			if total++; total > offset && len(list) < limit {
				list = append(list, *e)
			}
		}
		return true
	})
	return list, total, err
}

// Last returns the newest entry that f selects, nil without one.
func (l *Log) Last(f Filter) (last *Entry, err error) {
	err = l.backwards(func(e *Entry) bool {
		if f.wants(e) {
			last = e
		}
		return last == nil
	})
	return last, err
}

// backwards calls f for the entries, the newest first, until it returns false.
func (l *Log) backwards(f func(*Entry) bool) error {
	if l.db == nil {
		return nil
	}
	return l.db.View(func(tx *store.Tx) error {
		tx.LeaveOut(func(error) {})
		b := tx.Bucket([]byte(Bucket))
		if b == nil {
			return nil
		}
		c := b.Cursor()
		for k, v := c.Last(); k != nil; k, v = c.Prev() {
			if e, err := parse(k, v); err == nil && !f(&e) {
				return nil
			}
		}
		return nil
	})
}

// collected is how many entries are moved at once.
const collected = 1000

// Collect moves the entries of the other stores to the log. If it is cut off, the next call goes on:
// an entry that was not removed replaces itself. Errors: those of the stores.
func (l *Log) Collect() error {
	l.moving.Lock()
	defer l.moving.Unlock()
	var errs []error
	for _, source := range l.sources {
		for more := true; more; {
			n, err := l.collect(source)
			if err != nil {
				errs = append(errs, err)
			}
			more = n == collected && err == nil
		}
	}
	return errors.Join(errs...)
}

// collect moves some entries of a store, and returns their number.
func (l *Log) collect(from *store.DB) (int, error) {
	if l.db == nil || from == nil || l.db.ReadOnly() || from.ReadOnly() {
		return 0, nil
	}
	var keys, values [][]byte
	err := from.View(func(tx *store.Tx) error {
		tx.LeaveOut(func(error) {})
		b := tx.Bucket([]byte(Bucket))
		if b == nil {
			return nil
		}
		c := b.Cursor()
		for k, v := c.First(); k != nil && len(keys) < collected; k, v = c.Next() {
			keys, values = append(keys, bytes.Clone(k)), append(values, bytes.Clone(v))
		}
		return nil
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if err := l.db.Update(func(tx *store.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte(Bucket))
		for i := 0; i < len(keys) && err == nil; i++ {
			err = b.Put(keys[i], values[i])
		}
		return err
	}); err != nil {
		return 0, err
	}
	return len(keys), from.Update(func(tx *store.Tx) error {
		b := tx.Bucket([]byte(Bucket))
		for _, k := range keys {
			if err := b.Delete(k); err != nil {
				return err
			}
		}
		return nil
	})
}

// Gone stands for the name of an account that was deleted.
const Gone = "(deleted)"

// Forget removes the name of an account from the entries about it. What the person decided as a
// moderator stays, with the name.
func (l *Log) Forget(name string) error {
	if l.db == nil || name == "" || name == Gone {
		return nil
	}
	l.moving.Lock()
	defer l.moving.Unlock()
	about, _, err := l.List(Filter{Subject: name, Kind: "user"}, math.MaxInt, 0)
	if err != nil || len(about) == 0 {
		return err
	}
	return l.db.Update(func(tx *store.Tx) error {
		for _, e := range about {
			id, err := uuid.Parse(e.ID)
			if err != nil {
				return err
			}
			e.Subject = Gone
			if err := store.PutJSON(tx, Bucket, id[:], e); err != nil {
				return err
			}
		}
		return store.MarkDeleted(tx)
	})
}

// Remove removes entries from before a time, at most most, and returns their number.
func Remove(tx *store.Tx, before time.Time, most int) (int, error) {
	var old [][]byte
	_ = store.Each(tx, Bucket, func(k, v []byte) error {
		if e, err := parse(k, v); err == nil && e.At.Before(before) && len(old) < most {
			old = append(old, bytes.Clone(k))
		}
		return nil
	})
	for _, k := range old {
		if err := tx.Bucket([]byte(Bucket)).Delete(k); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

// Check reads every entry of a store and returns their number. The errors are those of unusable ones.
func Check(tx *store.Tx) (n int, problems []error) {
	_ = store.Each(tx, Bucket, func(k, v []byte) error {
		n++
		if _, err := parse(k, v); err != nil {
			problems = append(problems, err)
		}
		return nil
	})
	return n, slices.Clip(problems)
}
