package community

import (
	"bytes"
	"time"

	"github.com/google/uuid"

	"relais/internal/store"
)

// AddReport makes a report. If the user has used the token before, it returns that report in its
// present state, and made is false. Errors: *InvalidError, errReadOnly, and values out of bounds.
func (s *Store) AddReport(n NewReport) (report *Report, made bool, err error) {
	return s.create(n, false, func(*reportRecord) string { return "" })
}

// create makes a report; with counts, its user is the first confirmer. If the user has used the
// token before, it returns that report. If existing returns an id, it confirms that report instead.
func (s *Store) create(n NewReport, counts bool, existing func(*reportRecord) (id string)) (report *Report, made bool,
	err error) {
	now := s.second()
	report, err = n.report(now)
	if err != nil {
		return nil, false, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, false, err
	}
	report.ID = reportPrefix + id.String()
	r := &reportRecord{Report: *report}
	r.Reporter = r.hash(n.User)
	if n.Token != "" {
		r.Token = hash("token", n.User, n.Token)
	}
	err = s.change(&r, func(tx *store.Tx) error {
		tokens := tx.Bucket([]byte(tokensBucket))
		if before := tokens.Get(r.Token); r.Token != nil && before != nil {
			u, err := uuid.FromBytes(before)
			if err == nil {
				r, err = getReport(tx, reportPrefix+u.String())
			}
			return err
		}
		if other := existing(r); other != "" {
			if r, err = getReport(tx, other); err == nil && n.Program {
				r.NewsAt = now
			} else if err == nil {
				r.confirm(n.User, now)
			}
			return err
		}
		made = true
		if counts && !n.Program {
			r.Confirmers, r.Confirms = [][]byte{r.Reporter}, 1
		}
		if r.Token == nil {
			return nil
		}
		return tokens.Put(r.Token, id[:])
	})
	return s.shown(r, err), made && err == nil, err
}

// change runs f, which may change or replace *r, and stores the result.
func (s *Store) change(r **reportRecord, f func(tx *store.Tx) error) error {
	return s.update(func(tx *store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return (*r).put(tx)
	})
}

// shown returns the report of a record as it is now, nil after an error.
func (s *Store) shown(r *reportRecord, err error) *Report {
	if err != nil {
		return nil
	}
	return r.Report.asOf(s.now(), s.Feeds)
}

// alter changes the report with an id.
func (s *Store) alter(id string, f func(r *reportRecord) error) (*Report, error) {
	var r *reportRecord
	err := s.change(&r, func(tx *store.Tx) (err error) {
		if r, err = getReport(tx, id); err != nil {
			return err
		}
		return f(r)
	})
	return s.shown(r, err), err
}

// maxConfirmers bounds a record. More confirmations are news, but do not count.
const maxConfirmers = 1000

// Confirm adds a user's confirmation to a report. A user counts once, and the reporter does not
// count, but each confirmation is news. Errors: ErrNoReport, errClosed, errReadOnly.
func (s *Store) Confirm(id, user string) (*Report, error) {
	if err := checkIDs(user, ""); err != nil {
		return nil, err
	}
	return s.alter(id, func(r *reportRecord) error {
		if !r.open() {
			return errClosed
		}
		r.confirm(user, s.second())
		return nil
	})
}

func (r *reportRecord) confirm(user string, now time.Time) {
	r.NewsAt = now
	h := r.hash(user)
	if bytes.Equal(h, r.Reporter) || indexOf(r.Confirmers, h) >= 0 || len(r.Confirmers) >= maxConfirmers {
		return
	}
	r.Confirmers = append(r.Confirmers, h)
	if r.Confirms++; r.Confirms >= NeededConfirmations {
		r.State = Confirmed
	}
}

// Report returns a report, open or closed. Error: ErrNoReport.
func (s *Store) Report(id string) (report *Report, err error) {
	if s.db == nil {
		return nil, ErrNoReport
	}
	var r *reportRecord
	err = s.db.View(func(tx *store.Tx) (err error) {
		r, err = getReport(tx, id)
		return err
	})
	return s.shown(r, err), err
}

func (s *Store) close(r *reportRecord, state ReportState) {
	if r.State != state {
		at := s.second()
		r.State, r.ClosedAt = state, &at
	}
}
