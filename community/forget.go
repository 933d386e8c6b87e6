package community

import (
	"bytes"
	"errors"
	"slices"

	"relais/internal/store"
)

// Forget removes a user from all reports and validations, and returns their number. The records and
// their counts stay. Compacting the file removes the last traces of the user. Error: errReadOnly.
func (s *Store) Forget(user string) (n int, err error) {
	if err := checkIDs(user, ""); err != nil {
		return 0, err
	}
	err = s.update(func(tx *store.Tx) error {
		var reports []*reportRecord
		var validations []*validationRecord
		if err := errors.Join(store.Each(tx, reportsBucket, func(k, v []byte) error {
			r, err := parseReport(k, v)
			if err == nil && r.knows(user) {
				reports = append(reports, r)
			}
			return err
		}), store.Each(tx, validationsBucket, func(k, v []byte) error {
			r, err := parseValidation(k, v)
			if err == nil && indexOf(r.Users, r.hash(user)) >= 0 {
				validations = append(validations, r)
			}
			return err
		})); err != nil {
			return err
		}
		if n = len(reports) + len(validations); n == 0 {
			return nil
		}
		for _, r := range reports {
			if err := r.forget(tx, user); err != nil {
				return err
			}
		}
		for _, r := range validations {
			i := indexOf(r.Users, r.hash(user))
			r.Users = slices.Delete(r.Users, i, i+1)
			if err := store.PutJSON(tx, validationsBucket, []byte(r.ID), r); err != nil {
				return err
			}
		}
		return store.MarkDeleted(tx)
	})
	return n, err
}

func (r *reportRecord) knows(user string) bool {
	h := r.hash(user)
	return bytes.Equal(r.Reporter, h) || indexOf(r.Confirmers, h) >= 0
}

func (r *reportRecord) forget(tx *store.Tx, user string) error {
	h := r.hash(user)
	if bytes.Equal(r.Reporter, h) {
		if r.Token != nil {
			if err := tx.Bucket([]byte(tokensBucket)).Delete(r.Token); err != nil {
				return err
			}
		}
		r.Reporter, r.Token = nil, nil
	}
	if i := indexOf(r.Confirmers, h); i >= 0 {
		r.Confirmers = slices.Delete(r.Confirmers, i, i+1)
	}
	return r.put(tx)
}
