package community

import (
	"time"

	"relais/community/audit"
	"relais/internal/store"
)

// Keep is how long a record stays after its last news. The last news of a closed report is its end,
// of an open one the report itself or its last confirmation. Measurements are kept as long by
// default.
const Keep = 365 * 24 * time.Hour

// retained is how many records are removed in one transaction, which delays other changes.
const retained = 1000

// Retain removes reports and bugs whose last news are older than keep, validations whose last day is,
// and entries of the audit log. It returns the number of removed reports, and of validations and bugs.
// Compacting the file removes their last traces. An error does not undo earlier removals. Errors:
// errReadOnly, those of the store.
func (s *Store) Retain(keep time.Duration) (reports, others int, err error) {
	before := s.now().Add(-keep)
	for {
		old, err := s.removeOld(before)
		if err != nil {
			return reports, others, err
		}
		reports, others = reports+len(old.reports), others+len(old.validations)+len(old.bugs)
		if old.count() < retained {
			return reports, others, nil
		}
	}
}

// expired are expired records, at most retained.
type expired struct {
	reports     []*reportRecord
	validations []*validationRecord
	bugs        []Bug
	entries     int // of the audit log
}

func (e *expired) count() int { return len(e.reports) + len(e.validations) + len(e.bugs) + e.entries }

// find fills e. It leaves records that cannot be read to their owner.
func (e *expired) find(tx *store.Tx, before time.Time) {
	tx.LeaveOut(func(error) {})
	each := func(bucket string, look func(k, v []byte)) {
		store.Each(tx, bucket, func(k, v []byte) error { // which returns no error
			if e.count() < retained {
				look(k, v)
			}
			return nil
		})
	}
	each(reportsBucket, func(k, v []byte) {
		if r, err := parseReport(k, v); err == nil && r.last().Before(before) {
			e.reports = append(e.reports, r)
		}
	})
	each(validationsBucket, func(k, v []byte) {
		if r, err := parseValidation(k, v); err == nil && r.LastDay < before.UTC().Format(time.DateOnly) {
			e.validations = append(e.validations, r)
		}
	})
	each(bugsBucket, func(k, v []byte) {
		if b, err := parseBug(k, v); err == nil && b.last().Before(before) {
			e.bugs = append(e.bugs, b)
		}
	})
}

func (e *expired) remove(tx *store.Tx) error {
	for _, r := range e.reports {
		if err := r.remove(tx); err != nil {
			return err
		}
	}
	for _, r := range e.validations {
		if err := tx.Bucket([]byte(validationsBucket)).Delete([]byte(r.ID)); err != nil {
			return err
		}
	}
	for _, b := range e.bugs {
		if err := tx.Bucket([]byte(bugsBucket)).Delete([]byte(b.ID)); err != nil {
			return err
		}
	}
	return store.MarkDeleted(tx)
}

// removeOld removes some records that are older than before.
func (s *Store) removeOld(before time.Time) (old expired, err error) {
	err = s.update(func(tx *store.Tx) error {
		old.find(tx, before)
		if old.entries, err = audit.Remove(tx, before, retained-old.count()); err != nil || old.count() == 0 {
			return err
		}
		return old.remove(tx)
	})
	return old, err
}

// last returns the time of the last news of the report.
func (r *Report) last() time.Time {
	if r.ClosedAt != nil && !r.open() {
		return *r.ClosedAt
	}
	return r.NewsAt
}

func (r *reportRecord) remove(tx *store.Tx) error {
	u, err := reportKey(r.ID)
	if err != nil {
		return err
	}
	if r.Token != nil {
		if err := tx.Bucket([]byte(tokensBucket)).Delete(r.Token); err != nil {
			return err
		}
	}
	return tx.Bucket([]byte(reportsBucket)).Delete(u[:])
}
