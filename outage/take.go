package outage

import (
	"encoding/json"
	"errors"
	"time"

	"relais/internal/store"
	"relais/market"
	"relais/site"
)

// TakeList makes a list of a day the unavailable sites of the operators that it names, and returns the keys of those.
// An operator keeps what was read of it later, and a list of a day that ended before freshTime is of the past: nothing
// is taken from it. Everything is on disk when TakeList returns. Errors: errReadOnly, those of the store.
func (s *Store) TakeList(day site.Date, l *List) (taken []string, err error) {
	m := market.Get(l.Market)
	zone, err := time.LoadLocation(m.FeedZone)
	if err != nil {
		return nil, err
	}
	end := time.Date(1, 1, int(day)+1, 0, 0, -1, 0, zone).UTC()
	at := s.second()
	if end.Before(at) {
		at = end
	}
	if s.now().Sub(at) > freshTime {
		return nil, nil
	}
	err = s.update(func(tx *store.Tx) error {
		taken = nil
		for _, operator := range l.Operators {
			key := feedKey{l.Market, operator}
			f, err := getFeed(tx, key)
			if err != nil {
				return err
			}
			if f.ReadAt != nil && f.ReadAt.After(at) {
				continue
			}
			if err := putList(tx, key, day, at, l); err != nil {
				return err
			}
			taken = append(taken, operator)
		}
		return nil
	})
	return taken, err
}

// putList stores the sites of an operator.
func putList(tx *store.Tx, key feedKey, day site.Date, at time.Time, l *List) error {
	f := &Feed{Market: key.market, Operator: key.operator, ReadAt: &at, Rejected: map[string]int{},
		ListDay: day.String(), Synthetic: l.Synthetic}
	entries := []*Entry{}
	for _, e := range l.Entries {
		switch {
		case e.Operator != key.operator:
			continue
		case e.Unplaced:
			f.Rejected[noPosition]++
		default:
			entries = append(entries, e)
		}
		f.Rows++
	}
	f.Served = len(entries)
	text, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return errors.Join(tx.Bucket([]byte(entriesBucket)).Put(key.bytes(), text),
		store.PutJSON(tx, feedsBucket, key.bytes(), f))
}
