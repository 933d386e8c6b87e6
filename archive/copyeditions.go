package archive

import (
	"context"

	"relais/archive/change"
	"relais/internal/store"
	"relais/market"
)

// CopyEditions copies the noted editions of a market that wanted chooses, each with the sites that keep
// chooses, into another file, archives.db of a folder without editions of the market. It goes from the newest
// edition to the oldest, and asks keep about each site of each. keep must choose a site in all editions or in
// none. It returns how many it copied. Errors: errDamaged, those of ctx and of writing.
func (s *Store) CopyEditions(ctx context.Context, db *store.DB, code market.Code, wanted func(*Edition) bool,
	keep func(id string, at change.Place) bool) (n int, err error) {
	err = s.view(func(tx *store.Tx) error {
		all, err := noted(tx, code)
		if err != nil || len(all) == 0 {
			return err
		}
		return db.Update(func(to *store.Tx) error {
			c := editionCopy{code: code, from: tx, to: to, keep: keep}
			n, err = c.run(ctx, all, wanted)
			return err
		})
	})
	return n, err
}

// An editionCopy is one CopyEditions.
type editionCopy struct {
	code     market.Code
	from, to *store.Tx
	keep     func(id string, at change.Place) bool
	later    Edition // that was copied last
	state    *change.State
}

func (c *editionCopy) run(ctx context.Context, all []Edition, wanted func(*Edition) bool) (n int, err error) {
	last := len(all) - 1
	whole, err := stateOf(c.from, c.code, all[last])
	for i := last; err == nil; i-- {
		if wanted(&all[i]) {
			n++
			err = c.put(all[i], whole)
		}
		if err == nil {
			err = ctx.Err()
		}
		if i == 0 || err != nil {
			break
		}
		whole, err = undo(c.from, c.code, all[i-1], all[i], whole)
	}
	return n, err
}

// put writes the edition before those that were copied.
func (c *editionCopy) put(e Edition, whole *change.State) error {
	state, err := whole.Select(c.keep)
	if err != nil {
		return err
	}
	if e.Sites = state.Len(); c.state == nil {
		err = putState(c.to, c.code, e, state)
	} else {
		var l *change.List
		if l, err = change.Compare(state, c.state); err == nil {
			err = putDifference(c.to, c.code, e, c.later, l)
		}
	}
	if err != nil {
		return err
	}
	c.later, c.state = e, state
	key := marketKey(c.code, e.Date)
	var r notedRecord
	if err := readJSON(editionsBucket, key, c.from.Bucket([]byte(editionsBucket)).Get(key), &r); err != nil {
		return err
	}
	r.Sites, r.Corrected = e.Sites, 0
	return putJSON(c.to, editionsBucket, key, r)
}
