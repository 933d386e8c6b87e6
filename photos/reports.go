package photos

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"relais/internal/fold"
	"relais/internal/store"
)

// A Reason is why a photo is reported.
type Reason string

// reasons are the accepted reasons.
var reasons = []Reason{"inappropriate", "spam", "wrong-location", "copyright", "quality", "privacy", "other"}

// Values lists the reasons.
func (Reason) Values() (list []string) {
	for _, r := range reasons {
		list = append(list, string(r))
	}
	return list
}

// UnmarshalText accepts a reason in any case.
func (r *Reason) UnmarshalText(b []byte) error {
	i := slices.IndexFunc(reasons, func(v Reason) bool { return fold.EqualASCII(string(v), string(b)) })
	if i < 0 {
		return fmt.Errorf("one of %s", strings.Join(Reason("").Values(), ", "))
	}
	*r = reasons[i]
	return nil
}

// A Status is the state of a report.
type Status string

// The states of a report.
const (
	pending   Status = "pending"
	accepted  Status = "accepted" // the photo was hidden
	dismissed Status = "dismissed"
)

// maxDescription is the most characters of a description.
const maxDescription = 2000

// A Report is a client's complaint about a photo. A client has at most one for a photo.
type Report struct {
	ID           string    `json:"reportId"`
	PhotoID      string    `json:"photoId"`
	SiteKey      string    `json:"siteKey"`
	ClientID     string    `json:"clientId"`
	ClientName   string    `json:"clientName"` // when it was last made
	Reason       Reason    `json:"reason"`
	Earlier      []Reason  `json:"earlierReasons,omitempty"` // that the client gave before, each once
	Description  string    `json:"description"`
	Status       Status    `json:"status"`
	CreatedAt    time.Time `json:"createdAt"`    // UTC, to the millisecond, as those below
	UpdatedAt    time.Time `json:"updatedAt"`    // when its client or a moderator last changed it
	PendingSince time.Time `json:"pendingSince"` // its place in the queue, while it is pending
}

// NewReport is a report to make or change.
type NewReport struct {
	PhotoID, ClientID, ClientName string
	Reason                        Reason
	// Description has at most maxDescription characters; nil keeps the description of the client's
	// previous report.
	Description *string
}

func (n *NewReport) check() error {
	switch {
	case n.ClientID == "" || n.ClientName == "" || len(n.ClientID) > maxKey || len(n.ClientName) > maxText:
		return fmt.Errorf("a report needs a client")
	case !slices.Contains(reasons, n.Reason):
		return fmt.Errorf("the reason %.50q is not one of %s", n.Reason, strings.Join(Reason("").Values(), ", "))
	case n.Description != nil && (utf8.RuneCountInString(*n.Description) > maxDescription ||
		!utf8.ValidString(*n.Description)):
		return fmt.Errorf("the description has more than %d characters, or is not UTF-8", maxDescription)
	}
	return nil
}

// Report adds a client's report of a photo, or changes the reason and description of the client's
// report, which keeps its id, its time of creation and its earlier reasons: a client may report for many
// people, and does not say who they are. A pending report keeps its place in the queue. A
// report that was decided is pending again, at the end of the queue: the client saw the photo after
// the decision and insists. The photo does not change. Error: ErrNoPhoto, also if the photo is
// hidden.
func (s *Store) Report(n NewReport) (r *Report, err error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	err = s.update(func(tx *store.Tx) error {
		p, err := get(tx, key(n.PhotoID))
		if err != nil {
			return err
		}
		if p.Hidden != nil {
			return ErrNoPhoto
		}
		if r, err = s.reportOf(tx, p, n.ClientID); err != nil {
			return err
		}
		r.Earlier = slices.DeleteFunc(append(r.Earlier, r.Reason), func(e Reason) bool { return e == "" || e == n.Reason })
		r.ClientName, r.Reason = n.ClientName, n.Reason
		if n.Description != nil {
			r.Description = *n.Description
		}
		return s.decide(tx, r, pending)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// reportOf returns the client's report of a photo, or one without a status.
func (s *Store) reportOf(tx *store.Tx, p *Photo, client string) (*Report, error) {
	k := reportKey(p.ID, client)
	if text := tx.Value(reportsBucket, k); text != nil {
		return parseReport(k, text)
	}
	id, at, err := s.stamp()
	return &Report{ID: id.String(), PhotoID: p.ID, SiteKey: p.SiteKey, ClientID: client, CreatedAt: at}, err
}

// decide gives a report a status and stores it.
func (s *Store) decide(tx *store.Tx, r *Report, status Status) error {
	r.UpdatedAt = s.millisecond()
	queue := tx.Bucket([]byte(pendingBucket))
	if r.Status == pending && status != pending {
		if err := queue.Delete(r.queueKey()); err != nil {
			return err
		}
	}
	if r.Status != pending && status == pending {
		r.PendingSince = r.UpdatedAt
		if err := queue.Put(r.queueKey(), []byte{}); err != nil {
			return err
		}
	}
	r.Status = status
	if err := tx.Bucket([]byte(reportIDsBucket)).Put(key(r.ID), r.key()); err != nil {
		return err
	}
	return putJSON(tx, reportsBucket, r.key(), r)
}

// remove removes a report and its index entries.
func (r *Report) remove(tx *store.Tx) error {
	if err := tx.Bucket([]byte(pendingBucket)).Delete(r.queueKey()); err != nil {
		return err
	}
	if err := tx.Bucket([]byte(reportIDsBucket)).Delete(key(r.ID)); err != nil {
		return err
	}
	return tx.Bucket([]byte(reportsBucket)).Delete(r.key())
}

func (r *Report) key() []byte { return reportKey(r.PhotoID, r.ClientID) }

func reportKey(photo, client string) []byte { return append(key(photo), client...) }

func (r *Report) queueKey() []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(r.PendingSince.UnixMilli())), key(r.ID)...)
}

func parseReport(k, text []byte) (*Report, error) {
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("report %x: %w", k, err)
	}
	if string(r.key()) != string(k) || key(r.ID) == nil {
		return nil, fmt.Errorf("report %x: it is stored as that of client %q on photo %q", k, r.ClientID, r.PhotoID)
	}
	return r, nil
}
