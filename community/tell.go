package community

import (
	"bytes"

	"relais/geo"
	"relais/store"
)

// near is how far apart what is said of one outage may be, in metres: two reports, or a
// report and the site of an operator that confirms it.
const near = 300

// Wrong says what of a report is out of bounds, nil when AddReport and Tell would take it.
func (s *Store) Wrong(n NewReport) error {
	_, err := n.report(s.second())
	return err
}

// Tell takes what somebody says of an outage: where somebody reported one of the same
// operator within 300 m, and there was news of it in the last 24 hours, it confirms the
// nearest of these, as Confirm does; else it makes a report, as AddReport does, which is
// the first confirmation as well: who says it vouches for it. What a program says is news,
// and confirms nothing: one operator may run many. It reports whether it made a report.
// Errors: those of AddReport.
func (s *Store) Tell(n NewReport) (report *Report, made bool, err error) {
	return s.file(n, true, func(r *reportRecord) (id string) {
		least := float64(near)
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
