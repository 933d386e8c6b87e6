package community

import (
	"slices"

	"relais/community/audit"
	"relais/internal/store"
	"relais/market"
)

// ResolveAs closes a report whose outage has ended, for a moderator. A resolved report does not
// change. Errors: ErrNoReport, errClosed if it was rejected, audit.ErrChanged, errReadOnly.
func (s *Store) ResolveAs(id string, d audit.Decision) (*Report, error) {
	return s.moderate(id, d, "outage.resolve", func(r *reportRecord) error {
		if r.State == Rejected {
			return errClosed
		}
		s.close(r, Resolved)
		return nil
	})
}

// Reject closes a report for a moderator, because its outage does not exist. A rejected report does
// not change. Errors: ErrNoReport, audit.ErrChanged, errReadOnly.
func (s *Store) Reject(id string, d audit.Decision) (*Report, error) {
	return s.moderate(id, d, "outage.reject", func(r *reportRecord) error {
		if r.State != Rejected {
			r.Why = d.Reason()
			s.close(r, Rejected)
		}
		return nil
	})
}

// ConfirmAs is Confirm, which a moderator does for a user or as one. The log does not say which user.
// Errors: those of Confirm, audit.ErrChanged.
func (s *Store) ConfirmAs(id, user string, d audit.Decision) (*Report, error) {
	if err := checkIDs(user, ""); err != nil {
		return nil, err
	}
	return s.moderate(id, d, "outage.confirm", func(r *reportRecord) error {
		if !r.open() {
			return errClosed
		}
		r.confirm(user, s.second())
		return nil
	})
}

// Version names the content of a report for a decision. It does not change when the report becomes
// dormant.
func (r *Report) Version() string {
	c := *r
	if c.State == Dormant {
		c.State = Reported
		if c.Confirms >= NeededConfirmations {
			c.State = Confirmed
		}
	}
	return audit.Version(c)
}

// moderate decides about a report. The log has the decision if it changes something.
func (s *Store) moderate(id string, d audit.Decision, act string, f func(r *reportRecord) error) (*Report, error) {
	var r *reportRecord
	err := s.update(func(tx *store.Tx) (err error) {
		if r, err = getReport(tx, id); err != nil {
			return err
		}
		before, version := r.State, r.Version()
		if err := d.Check(version); err != nil {
			return err
		}
		if err := f(r); err != nil || r.Version() == version {
			return err
		}
		if err := r.put(tx); err != nil {
			return err
		}
		return d.Note(tx, s.now(), audit.Entry{Act: act, Subject: r.ID, SiteKey: r.SiteKey, Before: string(before),
			After: string(r.State)})
	})
	return s.shown(r, err), err
}

// A ReportFilter selects reports for a moderator.
type ReportFilter struct {
	Market   market.Code   `json:"market,omitempty"` // "": of all
	Operator string        `json:"operator"`         // key; "": of all
	States   []ReportState `json:"states"`           // none: all
}

// Reports returns reports, closed ones included, the newest first, and their number. Unusable
// records are left out, as by Open.
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
