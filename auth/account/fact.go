package account

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"relais/internal/store"
)

// A Kind says what sort of thing a person submitted.
type Kind string

// The kinds. Callers may have others, of 1 to 50 bytes.
const (
	Outage     Kind = "outage"
	Speedtest  Kind = "speedtest"
	Validation Kind = "validation"
	Bug        Kind = "bug"
)

// answers is the kind of the first answers of writes, whose refs are hashes.
const answers Kind = "\x00answers"

// A Fact says that a person submitted something. Its dataset defines the content.
type Fact struct {
	Kind Kind
	Ref  string    // its id there
	Time time.Time // UTC, to the second; zero: now
	Data []byte    // what the caller wants to have with it; may be nil
}

// Bounds of facts.
const (
	maxKind    = 50  // bytes
	maxRef     = 200 // bytes
	maxData    = 256 << 10
	maxFacts   = 50_000 // of a person and kind
	maxAnswers = 1000   // of a person
	answerLife = 24 * time.Hour
	timeBytes  = 8 // before the data
)

func (f *Fact) check() error {
	if f.Kind == "" || len(f.Kind) > maxKind || f.Kind[0] == 0 || f.Ref == "" || len(f.Ref) > maxRef ||
		len(f.Data) > maxData {
		return fmt.Errorf("a fact of the kind %.50q has %d bytes of ref and %d of data, of at most %d and %d", f.Kind,
			len(f.Ref), len(f.Data), maxRef, maxData)
	}
	return nil
}

// note stores facts, and an answer among them unless another server has stored the first one
// meanwhile: then that is returned.
func (s *Store) note(person string, facts []Fact) (first []byte, repeated bool, err error) {
	err = s.change(func(c *change) error {
		if c.accounts.Get(person) == nil {
			return ErrNoAccount
		}
		for _, f := range facts {
			if f.Time.IsZero() {
				f.Time = s.now()
			}
			if f.Kind == answers {
				if first, repeated, err = s.answerIn(kindIn(c.tx, person, answers), f.Ref); repeated || err != nil {
					return err
				}
			}
			if err := f.put(c.tx, person); err != nil {
				return err
			}
		}
		return nil
	})
	return first, repeated && err == nil, err
}

func (f *Fact) put(tx *store.Tx, person string) error {
	all, err := tx.Bucket([]byte(factsBucket)).CreateBucketIfNotExists([]byte(person))
	if err != nil {
		return err
	}
	b, err := all.CreateBucketIfNotExists([]byte(f.Kind))
	if err != nil {
		return err
	}
	if b.Get([]byte(f.Ref)) != nil {
		if f.Kind != answers { // an answer that is over is replaced
			return nil
		}
	} else if b.Sequence() >= f.limit() {
		return ErrFull
	} else if _, err := b.NextSequence(); err != nil { // the sequence is the number of facts
		return err
	}
	return b.Put([]byte(f.Ref), append(binary.BigEndian.AppendUint64(nil, uint64(f.Time.Unix())), f.Data...))
}

// limit is the number of facts of a kind that a person may have.
func (f *Fact) limit() uint64 {
	if f.Kind == answers {
		return maxAnswers
	}
	return maxFacts
}

// parseFact parses a stored fact. It copies the data.
func parseFact(kind Kind, k, v []byte) (Fact, error) {
	if len(v) < timeBytes {
		return Fact{}, fmt.Errorf("a fact of the kind %.50q: it is damaged", kind)
	}
	at := time.Unix(int64(binary.BigEndian.Uint64(v)), 0).UTC()
	return Fact{kind, string(k), at, slices.Clone(v[timeBytes:])}, nil
}

// Facts returns what a person submitted of a kind, the newest first, at most 50,000. For an unknown
// person the list is empty.
func (s *Store) Facts(person string, kind Kind) (list []Fact, err error) {
	list = []Fact{}
	err = s.kind(person, kind, func(b *store.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			f, err := parseFact(kind, k, v)
			list = append(list, f)
			return err
		})
	})
	slices.SortStableFunc(list, func(a, b Fact) int {
		if c := b.Time.Compare(a.Time); c != 0 {
			return c
		}
		return strings.Compare(b.Ref, a.Ref)
	})
	return list, err
}

// Count returns the number of facts of a kind that a person has.
func (s *Store) Count(person string, kind Kind) (n int, err error) {
	err = s.kind(person, kind, func(b *store.Bucket) error {
		n = int(b.Sequence())
		return nil
	})
	return n, err
}

// kind calls f with the bucket of a person's facts, if there is one.
func (s *Store) kind(person string, kind Kind, f func(*store.Bucket) error) error {
	if s.db == nil || person == "" || kind == "" {
		return nil
	}
	return s.db.View(func(tx *store.Tx) error {
		if b := kindIn(tx, person, kind); b != nil {
			return f(b)
		}
		return nil
	})
}

// kindIn returns the bucket of a person's facts of a kind, or nil.
func kindIn(tx *store.Tx, person string, kind Kind) *store.Bucket {
	b := tx.Bucket([]byte(factsBucket))
	if b != nil {
		b = b.Bucket([]byte(person))
	}
	if b != nil {
		b = b.Bucket([]byte(kind))
	}
	return b
}

const maxToken = 200 // bytes

// Once runs do once for each token of a person, where do writes something and returns facts of a
// kind. A second call with the token within a day returns the first answer; it waits for the first
// call if that still runs. With "" as token, do always runs. The token must be unique among all
// writes of the person; only its hash is stored. The answer, of at most 256 KiB, and the facts are
// stored together, and only if do succeeds. If the process dies between do and storing, the next
// call runs do again, and two servers may run it at the same time: so do should recognize the token
// in what it writes. do must not call Once.
// The first fact of a kind and ref stays. Errors: do's as it is, ErrNoAccount, ErrDisabled,
// ErrFull, ErrReadOnly, store.ErrAway, and one for values out of bounds.
func (s *Store) Once(person, token string, kind Kind,
	do func() (answer []byte, facts []Fact, err error)) (answer []byte, repeated bool, err error) {
	if len(token) > maxToken {
		return nil, false, fmt.Errorf("a token of %d bytes, of at most %d", len(token), maxToken)
	}
	sum := sumOf(person + "\x00" + token)
	if err := s.Fresh(context.Background()); err != nil {
		return nil, false, err
	}
	if token != "" {
		lock := &s.answering[int(sum[0])%len(s.answering)]
		lock.Lock()
		defer lock.Unlock()
		if answer, repeated, err = s.answered(person, sum); repeated || err != nil {
			return answer, repeated, err
		}
	}
	if err := s.canNote(person, kind); err != nil {
		return nil, false, err
	}
	answer, facts, err := do()
	if err != nil {
		return nil, false, err
	}
	for i := range facts {
		err = cmp.Or(err, facts[i].check())
	}
	if token != "" {
		if len(answer) > maxData {
			err = cmp.Or(err, fmt.Errorf("an answer of %d bytes, of at most %d", len(answer), maxData))
		}
		facts = append(slices.Clone(facts), Fact{Kind: answers, Ref: string(sum[:]), Data: answer})
	}
	if err != nil {
		return answer, false, err
	}
	first, repeated, err := s.note(person, facts)
	if repeated {
		answer = first
	}
	return answer, repeated, err
}

// canNote fails if the facts of a write could not be stored.
func (s *Store) canNote(person string, kind Kind) error {
	s.mu.RLock()
	r := s.state.accounts.Get(person)
	s.mu.RUnlock() // before a transaction
	facts, err1 := s.Count(person, kind)
	n, err2 := s.Count(person, answers)
	switch {
	case s.readOnly():
		return ErrReadOnly
	case r == nil:
		return ErrNoAccount
	case r.Disabled:
		return ErrDisabled
	case n >= maxAnswers || facts >= maxFacts:
		return ErrFull
	default:
		return errors.Join(err1, err2)
	}
}

// answered returns the first answer of a write.
func (s *Store) answered(person string, token sum) (answer []byte, known bool, err error) {
	err = s.kind(person, answers, func(b *store.Bucket) error {
		answer, known, err = s.answerIn(b, string(token[:]))
		return err
	})
	return answer, known, err
}

// answerIn returns the answer with a ref in a bucket, which may be nil.
func (s *Store) answerIn(b *store.Bucket, ref string) (answer []byte, known bool, err error) {
	if b == nil {
		return nil, false, nil
	}
	v := b.Get([]byte(ref))
	if v == nil {
		return nil, false, nil
	}
	f, err := parseFact(answers, []byte(ref), v)
	return f.Data, err == nil && s.now().Before(f.Time.Add(answerLife)), err
}
