package outage

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"relais/market"
	"relais/store"
)

// Keep is how long a report stays after its last news: its end, when it is resolved or
// rejected, else the report itself or its last confirmation. It is as long as measures
// are kept by default.
const Keep = 365 * 24 * time.Hour

// retained is how many reports are removed at a time: other changes wait that long.
const retained = 1000

// Retain removes the reports whose last news is older than keep, with their tokens, and
// returns how many. What the file still has of them goes when it is compacted. What is
// removed before an error stays removed. Errors: ErrReadOnly, those of the store.
func (s *Store) Retain(keep time.Duration) (removed int, err error) {
	if s.db == nil || s.db.ReadOnly() {
		return 0, ErrReadOnly
	}
	before := s.now().Add(-keep)
	old, err := s.old(before)
	if err != nil {
		return 0, err
	}
	for code, ids := range old {
		for len(ids) > 0 {
			some := ids[:min(retained, len(ids))]
			ids = ids[len(some):]
			n, err := s.remove(code, some, before)
			if removed += n; err != nil {
				return removed, err
			}
		}
	}
	return removed, nil
}

// old names the reports without news since a time.
func (s *Store) old(before time.Time) (map[market.Code][]uuid.UUID, error) {
	ids := map[market.Code][]uuid.UUID{}
	err := s.db.View(func(tx *store.Tx) error {
		tx.LeaveOut(func(error) {}) // what cannot be read stays, for its owner to see
		return store.Each(tx, reportsBucket, func(k, v []byte) error {
			r, err := parseRecord(k, v)
			if err == nil && r.last().Before(before) {
				ids[r.Market] = append(ids[r.Market], uuid.UUID(k))
			}
			return err
		})
	})
	return ids, err
}

// last is when there was news of the report last.
func (r *record) last() time.Time {
	if r.ClosedAt != nil && !r.open() {
		return *r.ClosedAt
	}
	return r.NewsAt
}

// remove removes reports of a market, but for those that there was news of meanwhile.
func (s *Store) remove(code market.Code, ids []uuid.UUID, before time.Time) (int, error) {
	var gone []uuid.UUID
	err := s.update(func(tx *store.Tx) error {
		for _, id := range ids {
			r, err := getRecord(tx, idPrefix+id.String())
			if errors.Is(err, ErrNoReport) {
				continue
			}
			if err != nil {
				return err
			}
			if !r.last().Before(before) {
				continue
			}
			if err := r.remove(tx, id); err != nil {
				return err
			}
			gone = append(gone, id)
		}
		if len(gone) == 0 {
			return nil
		}
		return store.MarkDeleted(tx)
	}, func(st *state) changed {
		for _, id := range gone {
			delete(st.reports, id)
		}
		return changed{code, false}
	})
	if err != nil {
		return 0, err
	}
	return len(gone), nil
}

func (r *record) remove(tx *store.Tx, id uuid.UUID) error {
	if r.Token != nil {
		if err := tx.Bucket([]byte(tokensBucket)).Delete(r.Token); err != nil {
			return err
		}
	}
	return tx.Bucket([]byte(reportsBucket)).Delete(id[:])
}
