package community

import (
	"bytes"

	"relais/geo"
	"relais/internal/store"
)

// sameOutageMetres is the distance in metres within which two reports, or a report and an unavailable
// site of the operator, are about one outage.
const sameOutageMetres = 300

// ValidateReport returns the error of a report that AddReport and ReportOrConfirm would
// refuse.
func (s *Store) ValidateReport(n NewReport) error {
	_, err := n.report(s.second())
	return err
}

// ReportOrConfirm confirms the nearest report of the same operator within 300 m that had news
// in the last 24 hours, as Confirm does. Without one it makes a report, as AddReport does,
// and the reporter is its first confirmer. A program's call is news and confirms nothing:
// one operator may run many programs. made reports whether it made a report. Errors: those
// of AddReport.
func (s *Store) ReportOrConfirm(n NewReport) (report *Report, made bool, err error) {
	return s.create(n, true, func(r *reportRecord) (id string) {
		least := float64(sameOutageMetres)
		now := s.now() // nothing changes meanwhile
		for _, o := range s.openReports().list {
			if o.Market != r.Market || o.Operator != r.Operator || o.stateAt(now) == Dormant {
				continue
			}
			if d := geo.Distance(o.Point(), r.Point()); d < least || d == least && (id == "" || o.ID < id) {
				least, id = d, o.ID
			}
		}
		return id
	})
}

// ReportedBy reports whether it was the user who made a report, as far as that is known.
func (s *Store) ReportedBy(id, user string) (yes bool) {
	if s.db == nil {
		return false
	}
	_ = s.db.View(func(tx *store.Tx) error {
		r, err := getReport(tx, id)
		yes = err == nil && bytes.Equal(r.Reporter, r.hash(user))
		return err
	})
	return yes
}
