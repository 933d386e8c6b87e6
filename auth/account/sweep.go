package account

import (
	"errors"

	"relais/internal/store"
)

// Sweep removes expired records: unused codes, tokens, sessions, idle programs, and first answers. The next
// store.DB.Compact removes the last traces from the file. Sweep does nothing in a read-only folder.
func (s *Store) Sweep() error {
	if s.readOnly() {
		return nil
	}
	return s.change(func(c *change) error {
		now := s.now()
		for _, g := range c.grants.All() {
			if !now.Before(g.Ends) { // access tokens end before
				c.dropGrant(g)
			}
		}
		for key, v := range c.sessions.All() {
			if !now.Before(v.Ends) {
				c.dropSession(key)
			}
		}
		for _, client := range c.idle() {
			if client.forgotten(now) {
				c.dropClient(client)
			}
		}
		return s.sweepAnswers(c.tx)
	})
}

// sweepAnswers removes expired answers.
func (s *Store) sweepAnswers(tx *store.Tx) error {
	return eachKind(tx, func(_ string, kind Kind, b *store.Bucket) error {
		if kind != answers {
			return nil
		}
		var over [][]byte
		err := b.ForEach(func(k, v []byte) error {
			f, err := parseFact(kind, k, v)
			if err == nil && !s.now().Before(f.Time.Add(answerLife)) {
				over = append(over, []byte(f.Ref))
			}
			return err
		})
		if err != nil || len(over) == 0 {
			return err
		}
		for _, ref := range over {
			err = errors.Join(err, b.Delete(ref))
		}
		return errors.Join(err, b.SetSequence(b.Sequence()-uint64(len(over))), store.MarkDeleted(tx))
	})
}

// eachKind calls f for each person and kind with facts.
func eachKind(tx *store.Tx, f func(person string, kind Kind, b *store.Bucket) error) error {
	all := tx.Bucket([]byte(factsBucket))
	if all == nil {
		return nil
	}
	return all.ForEachBucket(func(person []byte) error {
		of := all.Bucket(person)
		return of.ForEachBucket(func(kind []byte) error { return f(string(person), Kind(kind), of.Bucket(kind)) })
	})
}
