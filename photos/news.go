package photos

import (
	"encoding/json"

	"relais/internal/store"
)

// First words of the texts of News.
const (
	NewsPhoto  = "photo"  // then the photo's id: it is shown for the first time
	NewsHeld   = "held"   // then the photo's id: it was uploaded, and waits for approval
	NewsReport = "report" // then the ids of the report and of the photo, and the time: it waits for a decision
)

// News are the entries of the journal of photos.db, by bucket.
var News = map[string]store.News{
	photosBucket: func(_, before, after []byte) []byte {
		was, is := &Photo{}, &Photo{}
		if json.Unmarshal(after, is) != nil || before != nil && json.Unmarshal(before, was) != nil {
			return nil
		}
		switch is.State() {
		case Held:
			if before == nil {
				return []byte(NewsHeld + " " + is.ID)
			}
		case Shown:
			if before == nil || was.unseen() {
				return []byte(NewsPhoto + " " + is.ID)
			}
		}
		return nil
	},
	reportsBucket: func(_, _, after []byte) []byte {
		r := &Report{}
		if json.Unmarshal(after, r) != nil || r.Status != pending {
			return nil
		}
		return []byte(NewsReport + " " + r.ID + " " + r.PhotoID + " " + r.UpdatedAt.Format("20060102T150405.000Z"))
	},
}

// unseen reports whether the photo has waited for approval since it was sent, as far as it says.
func (p *Photo) unseen() bool { return p.Hidden != nil && (p.Hidden.Held || p.Hidden.WasHeld) }

// Photo returns a photo, also a hidden one. Error: ErrNoPhoto.
func (s *Store) Photo(id string) (*Photo, error) { return s.get(id) }

// PhotoReport returns a report. Error: ErrNoReport.
func (s *Store) PhotoReport(id string) (r *Report, err error) {
	r, err = nil, ErrNoReport
	if viewed := s.view(func(tx *store.Tx) error {
		k := tx.Value(reportIDsBucket, key(id))
		if text := tx.Value(reportsBucket, k); text != nil {
			r, err = parseReport(k, text)
		}
		return nil
	}); viewed != nil {
		return nil, viewed
	}
	return r, err
}

// Pending reports whether the report waits for a decision.
func (r *Report) Pending() bool { return r.Status == pending }
