package archive

import (
	"context"
	"errors"

	"relais/internal/store"
)

// Complete stores the differences between publications that an older version of relais added, which
// takes a second for each at national size. It returns how many it stored. Errors: errReadOnly,
// errDamaged, those of ctx and of writing.
func (s *Store) Complete(ctx context.Context) (n int, err error) {
	if s.readOnly() {
		return 0, errReadOnly
	}
	for {
		from, to, err := s.incomplete(ctx)
		if err != nil || to.Date == 0 {
			return n, err
		}
		d, err := s.compute(ctx, from, to)
		if err == nil {
			err = s.db.Update(func(tx *store.Tx) error {
				before, p, err := s.pair(tx, from, to)
				if err != nil {
					return err
				}
				return d.put(tx, before, p)
			})
		}
		switch {
		case errors.Is(err, errReplaced): // look again
		case err != nil:
			return n, err
		default:
			n++
		}
	}
}

// incomplete returns the newest two publications whose differences are not stored, or nothing.
func (s *Store) incomplete(ctx context.Context) (from, to Edition, err error) {
	err = s.view(func(tx *store.Tx) error {
		all, err := s.editionsIn(tx, Markets[0])
		for i := len(all) - 1; err == nil && i > 0; i-- {
			for _, code := range Markets {
				l, err := s.stored(ctx, tx, code, all[i-1], all[i])
				if err != nil {
					return err
				}
				if l == nil {
					from, to = all[i-1], all[i]
					return nil
				}
			}
		}
		return err
	})
	return from, to, err
}
