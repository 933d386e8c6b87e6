package photos

import (
	"fmt"
	"slices"
	"strings"

	"relais/community/audit"
	"relais/internal/store"
	"relais/market"
)

// Accept accepts a report and hides its photo. Other reports about the photo are decided
// separately. Dismiss may change the decision. Errors: ErrNoReport, audit.ErrChanged.
func (s *Store) Accept(reportID string, d audit.Decision) (*Report, error) {
	return s.moderate(reportID, d, "report.accept", func(tx *store.Tx, r *Report) (bool, error) {
		p, err := get(tx, key(r.PhotoID))
		if err != nil {
			return false, err
		}
		if p.State() == Concealed {
			return false, s.decide(tx, r, accepted)
		}
		s.hide(p, r.hiding())
		p.Decided++
		if err := p.put(tx); err != nil {
			return false, err
		}
		return true, s.decide(tx, r, accepted)
	})
}

// hiding is why the report's photo is hidden when the report is accepted.
func (r *Report) hiding() string { return r.hidingPrefix() + string(r.Reason) }

func (r *Report) hidingPrefix() string { return fmt.Sprintf("report %s: ", r.ID) }

// Dismiss dismisses a report. A hidden photo stays hidden. Errors: ErrNoReport, audit.ErrChanged.
func (s *Store) Dismiss(reportID string, d audit.Decision) (*Report, error) {
	return s.moderate(reportID, d, "report.dismiss", func(tx *store.Tx, r *Report) (bool, error) {
		return false, s.decide(tx, r, dismissed)
	})
}

// Reopen takes back the decision about a report: it waits again, at the end of the queue. A photo that
// is hidden because the report was accepted is what it was before. Errors: ErrNoReport,
// audit.ErrChanged.
func (s *Store) Reopen(reportID string, d audit.Decision) (*Report, error) {
	return s.moderate(reportID, d, "report.reopen", func(tx *store.Tx, r *Report) (bool, error) {
		p, err := get(tx, key(r.PhotoID))
		if err != nil {
			return false, err
		}
		if r.Status == accepted && p.State() == Concealed && strings.HasPrefix(p.Hidden.Why, r.hidingPrefix()) {
			wasHeld := p.Hidden.WasHeld
			p.Hidden = nil
			if p.Decided++; wasHeld {
				s.hold(p)
			}
			if err := p.put(tx); err != nil {
				return false, err
			}
		}
		return false, s.decide(tx, r, pending)
	})
}

// Version names the content of a report for a decision.
func (r *Report) Version() string { return audit.Version(r) }

// moderate decides about a report. The log has the decision if it changes the report, or if f returns
// that it changed the photo.
func (s *Store) moderate(reportID string, d audit.Decision, act string, f func(*store.Tx, *Report) (bool, error),
) (r *Report, err error) {
	err = s.update(func(tx *store.Tx) error {
		if r, err = findReport(tx, key(reportID)); err != nil {
			return err
		}
		if err := d.Check(r.Version()); err != nil {
			return err
		}
		before := r.Status
		if photo, err := f(tx, r); err != nil || !photo && r.Status == before {
			return err
		}
		return d.Note(tx, s.now(), audit.Entry{Act: act, Subject: r.ID, Photo: r.PhotoID, SiteKey: r.SiteKey,
			Before: string(before), After: string(r.Status)})
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

// A ReportFilter selects reports for a moderator. Its zero value selects those that wait.
type ReportFilter struct {
	All    bool        `json:"all"`              // also those that are decided
	Market market.Code `json:"market,omitempty"` // "" for all
	Reason Reason      `json:"reason,omitempty"` // also an earlier one; "" for all
	Photo  string      `json:"photo,omitempty"`  // id; "" for all
}

func (f *ReportFilter) wants(r *Report) bool {
	return (f.Market == "" || market.OfSiteKey(r.SiteKey) == f.Market) && (f.Reason == "" || r.Reason == f.Reason ||
		slices.Contains(r.Earlier, f.Reason)) && (f.Photo == "" || f.Photo == r.PhotoID)
}

// Reports returns a page of the reports that wait, the longest waiting first, or of all, the newest
// first, and their number. Reports that cannot be used, or whose photo cannot, are left out: relais check
// names them.
func (s *Store) Reports(f ReportFilter, limit, offset int) (list []Reported, total int, err error) {
	list = []Reported{}
	err = s.viewList(func(tx *store.Tx) error {
		take := func(k, _ []byte) error {
			r, err := findReport(tx, idIn(k))
			if err != nil || !f.wants(r) {
				return nil
			}
			if total++; total <= offset || len(list) >= limit {
				return nil
			}
			if p, err := get(tx, key(r.PhotoID)); err == nil {
				list = append(list, Reported{r, p})
			} else {
				total--
			}
			return nil
		}
		if f.All {
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
