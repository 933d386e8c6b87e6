package outage

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"relais/market"
	"relais/store"
)

// Report makes a report, and tells whether it did: with a token that the user has used
// it returns the report that was made then, as it is now. Errors: ErrOperator,
// ErrReadOnly, and what is out of bounds.
func (s *Store) Report(n NewReport) (report *Report, made bool, err error) {
	return s.file(n, false, func(*record) string { return "" })
}

// file makes a report, which with counts is its user's own confirmation, too, unless the
// user has used its token or there is one with the id that instead returns: that one is
// confirmed.
func (s *Store) file(n NewReport, counts bool, instead func(*record) (id string)) (report *Report, made bool,
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
	report.ID = idPrefix + id.String()
	r := &record{Report: *report}
	r.Reporter = r.hash(n.User)
	if n.Token != "" {
		r.Token = hash("token", n.User, n.Token)
	}
	err = s.change(&r, func(tx *store.Tx) error {
		tokens := tx.Bucket([]byte(tokensBucket))
		if before := tokens.Get(r.Token); r.Token != nil && before != nil {
			u, err := uuid.FromBytes(before)
			if err == nil {
				r, err = getRecord(tx, idPrefix+u.String())
			}
			return err
		}
		if other := instead(r); other != "" {
			if r, err = getRecord(tx, other); err == nil && n.Program {
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

// change runs f, which may put another record in place of *r or change it, stores that
// and shows it.
func (s *Store) change(r **record, f func(tx *store.Tx) error) error {
	return s.update(func(tx *store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return (*r).put(tx)
	}, func(st *state) changed {
		u, _ := parseID((*r).ID) // put has parsed it
		delete(st.reports, u)
		if (*r).open() {
			report := (*r).Report
			st.reports[u] = &report
		}
		return changed{(*r).Market, false}
	})
}

// shown is a record as it is answered.
func (s *Store) shown(r *record, err error) *Report {
	if err != nil {
		return nil
	}
	report := r.Report
	if u, err := parseID(r.ID); err == nil {
		if now := s.state.Load().reports[u]; now != nil {
			report.OperatorConfirmed = now.OperatorConfirmed
		}
	}
	return report.at(s.now())
}

// alter changes the report with an id.
func (s *Store) alter(id string, f func(r *record) error) (*Report, error) {
	var r *record
	err := s.change(&r, func(tx *store.Tx) (err error) {
		if r, err = getRecord(tx, id); err != nil {
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
	if err := checkUser(user); err != nil {
		return nil, err
	}
	return s.alter(id, func(r *record) error {
		if !r.open() {
			return ErrClosed
		}
		r.confirm(user, s.second())
		return nil
	})
}

func (r *record) confirm(user string, now time.Time) {
	r.NewsAt = now
	h := r.hash(user)
	if bytes.Equal(h, r.Reporter) || r.confirmer(h) >= 0 || len(r.Confirmers) >= maxConfirmers {
		return
	}
	r.Confirmers = append(r.Confirmers, h)
	if r.Confirms++; r.Confirms >= NeededConfirmations {
		r.State = Confirmed
	}
}

func (r *record) confirmer(hash []byte) int {
	return slices.IndexFunc(r.Confirmers, func(h []byte) bool { return bytes.Equal(h, hash) })
}

// Resolve says that the outage is over: by who reported it, or with "" by a moderator.
// One that is resolved stays so. Errors: ErrNoReport, ErrNotYours, ErrClosed when it is
// rejected, ErrReadOnly.
func (s *Store) Resolve(id, user string) (*Report, error) {
	return s.alter(id, func(r *record) error {
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
	return s.alter(id, func(r *record) error {
		if r.State != Rejected {
			r.Why = strings.ToValidUTF8(why[:min(len(why), maxText)], "")
			s.close(r, Rejected)
		}
		return nil
	})
}

func (s *Store) close(r *record, state State) {
	if r.State != state {
		at := s.second()
		r.State, r.ClosedAt = state, &at
	}
}

// Forget removes a user from all reports, and returns how many there were. The reports
// and the numbers of their confirmations stay. What the file still has of the user goes
// when it is compacted. Error: ErrReadOnly.
func (s *Store) Forget(user string) (n int, err error) {
	if err := checkUser(user); err != nil {
		return 0, err
	}
	err = s.update(func(tx *store.Tx) error {
		var hit []*record
		if err := store.Each(tx, reportsBucket, func(k, v []byte) error {
			r, err := parseRecord(k, v)
			if err == nil && r.knows(user) {
				hit = append(hit, r)
			}
			return err
		}); err != nil {
			return err
		}
		n = len(hit)
		for _, r := range hit {
			if err := r.forget(tx, user); err != nil {
				return err
			}
		}
		if n == 0 {
			return nil
		}
		return store.MarkDeleted(tx)
	}, func(*state) changed { return changed{} })
	return n, err
}

func (r *record) knows(user string) bool {
	h := r.hash(user)
	return bytes.Equal(r.Reporter, h) || r.confirmer(h) >= 0
}

func (r *record) forget(tx *store.Tx, user string) error {
	h := r.hash(user)
	if bytes.Equal(r.Reporter, h) {
		if r.Token != nil {
			if err := tx.Bucket([]byte(tokensBucket)).Delete(r.Token); err != nil {
				return err
			}
		}
		r.Reporter, r.Token = nil, nil
	}
	if i := r.confirmer(h); i >= 0 {
		r.Confirmers = slices.Delete(r.Confirmers, i, i+1)
	}
	return r.put(tx)
}

// A Filter says which reports a moderator wants to see.
type Filter struct {
	Market   market.Code `json:"market,omitempty"` // "": of all
	Operator string      `json:"operator"`         // key; "": of all
	States   []State     `json:"states"`           // none: all
}

// List returns reports, those that are closed as well, the newest first, and how many
// there are. Those that cannot be used are left out, as by Open.
func (s *Store) List(f Filter, limit, offset int) (list []*Report, total int, err error) {
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
			r, err := parseRecord(k, v)
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

func (f *Filter) wants(r *Report) bool {
	return (f.Market == "" || f.Market == r.Market) && (f.Operator == "" || f.Operator == r.Operator) &&
		(len(f.States) == 0 || slices.Contains(f.States, r.State))
}

// Get returns a report, also one that is closed. Error: ErrNoReport.
func (s *Store) Get(id string) (report *Report, err error) {
	if s.db == nil {
		return nil, ErrNoReport
	}
	var r *record
	err = s.db.View(func(tx *store.Tx) (err error) {
		r, err = getRecord(tx, id)
		return err
	})
	return s.shown(r, err), err
}
