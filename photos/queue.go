package photos

import (
	"fmt"

	"relais/internal/store"
)

// Accept accepts a report and hides its photo. Other reports about the photo are decided
// separately. Dismiss may change the decision. Error: ErrNoReport.
func (s *Store) Accept(reportID string) (*Report, error) {
	return s.moderate(reportID, func(tx *store.Tx, r *Report) error {
		p, err := get(tx, key(r.PhotoID))
		if err != nil {
			return err
		}
		s.hide(p, fmt.Sprintf("report %s: %s", r.ID, r.Reason))
		if err := p.put(tx); err != nil {
			return err
		}
		return s.decide(tx, r, accepted)
	})
}

// Dismiss dismisses a report. A hidden photo stays hidden. Error: ErrNoReport.
func (s *Store) Dismiss(reportID string) (*Report, error) {
	return s.moderate(reportID, func(tx *store.Tx, r *Report) error { return s.decide(tx, r, dismissed) })
}

func (s *Store) moderate(reportID string, f func(*store.Tx, *Report) error) (r *Report, err error) {
	err = s.update(func(tx *store.Tx) error {
		if r, err = findReport(tx, key(reportID)); err != nil {
			return err
		}
		return f(tx, r)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// findReport reads a report by its id. Error: ErrNoReport.
func findReport(tx *store.Tx, id []byte) (*Report, error) {
	k := tx.Value(reportIDsBucket, id)
	if k == nil {
		return nil, ErrNoReport
	}
	return parseReport(k, tx.Value(reportsBucket, k))
}

// Reported is a report with its photo.
type Reported struct {
	Report *Report `json:"report"`
	Photo  *Photo  `json:"photo"`
}

// Reports returns a page of the pending reports, the longest waiting first, or of all reports, the
// newest first, and their total.
func (s *Store) Reports(pending bool, limit, offset int) (list []Reported, total int, err error) {
	list = []Reported{}
	err = s.view(func(tx *store.Tx) error {
		take := func(k, _ []byte) error {
			if total++; total <= offset || len(list) >= limit {
				return nil
			}
			r, err := findReport(tx, idIn(k))
			if err != nil {
				return err
			}
			p, err := get(tx, key(r.PhotoID))
			list = append(list, Reported{r, p})
			return err
		}
		if !pending {
			return backwards(tx.Bucket([]byte(reportIDsBucket)), nil, take)
		}
		if b := tx.Bucket([]byte(pendingBucket)); b != nil {
			return b.ForEach(take)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}
