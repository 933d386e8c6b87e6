package account

import "relais/store"

// Sweep removes what is over: codes that nobody used, tokens, programs that nobody lets
// in, first answers. What the file still has of them goes with the next store.DB.Compact.
// It does nothing in a read-only folder.
func (s *Store) Sweep() error {
	if s.readOnly() {
		return nil
	}
	return s.change(func(c *change) error {
		now := s.now()
		for _, g := range c.grants {
			if !now.Before(g.Ends) { // access tokens end before
				c.dropGrant(g)
			}
		}
		for _, client := range c.idle() {
			if client.forgotten(now) {
				c.dropClient(client.ID)
			}
		}
		return s.sweepAnswers(c)
	})
}

// sweepAnswers looks for answers that are over before it makes the file be written.
func (s *Store) sweepAnswers(c *change) error {
	over := map[string][]string{} // by person
	err := s.db.View(func(tx *store.Tx) error {
		return eachKind(tx, func(person string, kind Kind, b *store.Bucket) error {
			if kind != answers {
				return nil
			}
			return b.ForEach(func(k, v []byte) error {
				f, err := parseFact(kind, k, v)
				if err == nil && !s.now().Before(f.Time.Add(answerLife)) {
					over[person] = append(over[person], f.Ref)
				}
				return err
			})
		})
	})
	for person, refs := range over {
		c.deleted = true
		c.writes = append(c.writes, func(tx *store.Tx) error {
			b := tx.Bucket([]byte(factsBucket)).Bucket([]byte(person)).Bucket([]byte(answers))
			for _, ref := range refs {
				if err := b.Delete([]byte(ref)); err != nil {
					return err
				}
			}
			return b.SetSequence(b.Sequence() - uint64(len(refs)))
		})
	}
	return err
}

// eachKind calls f for each person and kind that there are facts of.
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
