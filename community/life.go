package community

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"relais/market"
	"relais/store"
)

// AddReport makes a report, and reports whether it did: with a token that the user has used
// it returns the report that was made then, as it is now. Errors: *InvalidError,
// ErrReadOnly, and what is out of bounds.
func (s *Store) AddReport(n NewReport) (report *Report, made bool, err error) {
	return s.file(n, false, func(*reportRecord) string { return "" })
}

// file makes a report, which with counts is its user's own confirmation, too, unless the
// user has used its token or there is one with the id that instead returns: that one is
// confirmed.
func (s *Store) file(n NewReport, counts bool, instead func(*reportRecord) (id string)) (report *Report, made bool,
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
		if other := instead(r); other != "" {
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

// change runs f, which may put another record in place of *r or change it, and stores that.
func (s *Store) change(r **reportRecord, f func(tx *store.Tx) error) error {
	return s.update(func(tx *store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return (*r).put(tx)
	})
}

// shown is a record as it is answered.
func (s *Store) shown(r *reportRecord, err error) *Report {
	if err != nil {
		return nil
	}
	return r.Report.at(s.now(), s.Feeds)
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

// maxConfirmers bounds a record. Those beyond are news and do not count.
const maxConfirmers = 1000

// Confirm says that a user has the outage too. A user counts once, and who made the
// report does not; but whoever says it, it is news. Errors: ErrNoReport, ErrClosed,
// ErrReadOnly.
func (s *Store) Confirm(id, user string) (*Report, error) {
	if err := checkIDs(user, ""); err != nil {
		return nil, err
	}
	return s.alter(id, func(r *reportRecord) error {
		if !r.open() {
			return ErrClosed
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

// Resolve says that the outage is over: by who reported it, or with "" by a moderator.
// One that is resolved stays so. Errors: ErrNoReport, ErrNotYours, ErrClosed when it is
// rejected, ErrReadOnly.
func (s *Store) Resolve(id, user string) (*Report, error) {
	return s.alter(id, func(r *reportRecord) error {
		switch {
		case user != "" && !bytes.Equal(r.hash(user), r.Reporter):
			return ErrNotYours
		case r.State == Rejected:
			return ErrClosed
		}
		s.close(r, Resolved)
		return nil
	})
}

// Reject says, as a moderator, that there is no such outage. One that is rejected stays
// as it is. Errors: ErrNoReport, ErrReadOnly.
func (s *Store) Reject(id, why string) (*Report, error) {
	return s.alter(id, func(r *reportRecord) error {
		if r.State != Rejected {
			r.Why = strings.ToValidUTF8(why[:min(len(why), maxReportText)], "")
			s.close(r, Rejected)
		}
		return nil
	})
}

func (s *Store) close(r *reportRecord, state ReportState) {
	if r.State != state {
		at := s.second()
		r.State, r.ClosedAt = state, &at
	}
}

// A ReportFilter says which reports a moderator wants to see.
type ReportFilter struct {
	Market   market.Code   `json:"market,omitempty"` // "": of all
	Operator string        `json:"operator"`         // key; "": of all
	States   []ReportState `json:"states"`           // none: all
}

// Reports returns reports, those that are closed as well, the newest first, and how many
// there are. Those that cannot be used are left out, as by Open.
func (s *Store) Reports(f ReportFilter, limit, offset int) (list []*Report, total int, err error) {
	list = []*Report{}
	if s.db == nil {
		return list, 0, nil
	}
	err = s.db.View(func(tx *store.Tx) error {
		tx.LeaveOut(func(error) {})
		b := tx.Bucket([]byte(reportsBucket))
		if b == nil {
			return nil
		}
		c := b.Cursor()
		for k, v := c.Last(); k != nil; k, v = c.Prev() {
			r, err := parseReport(k, v)
			if err != nil {
				continue
			}
			report := s.shown(r, nil)
			if f.wants(report) {
				if total++; total > offset && len(list) < limit {
					list = append(list, report)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

func (f *ReportFilter) wants(r *Report) bool {
	return (f.Market == "" || f.Market == r.Market) && (f.Operator == "" || f.Operator == r.Operator) &&
		(len(f.States) == 0 || slices.Contains(f.States, r.State))
}

// Report returns a report, also one that is closed. Error: ErrNoReport.
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
