package outage

import (
	"context"
	"errors"

	"relais/ingest/source"
	"relais/internal/store"
	"relais/market"
)

// News is the result of fetching an operator's file: a new file or a failure. With neither,
// the file has not changed.
type News struct {
	Operator string `json:"operator"`
	File     string `json:"file,omitempty"`   // absolute path
	Failed   string `json:"failed,omitempty"` // why the file is missing
}

// An Outcome is a feed and the result of news about it.
type Outcome struct {
	Feed
	State   FeedState        `json:"state"`
	Files   []*source.Report `json:"files,omitempty"`   // as far as they were read
	Refused string           `json:"refused,omitempty"` // what is wrong with the file
	Error   string           `json:"error,omitempty"`   // why the news was not taken; the file is not at fault
}

// Take imports the news of a market's feeds, one after the other; the failure of one does not stop
// the others. It returns every feed of the market, in table order. Errors: errNoFeed and
// ErrOperator, before any news is imported.
func (s *Store) Take(ctx context.Context, code market.Code, news ...News) ([]Outcome, error) {
	if m := market.Get(code); m == nil || m.FeedZone == "" {
		_, _, err := feedOf(code, "")
		return nil, err
	}
	taken := map[string]Outcome{}
	for _, n := range news {
		if _, _, err := feedOf(code, n.Operator); err != nil {
			return nil, err
		}
	}
	for _, n := range news {
		_, key, _ := feedOf(code, n.Operator) // looked at above
		taken[key.operator] = s.take(ctx, key, n)
	}
	all := []Outcome{}
	for _, f := range s.Feeds(code) {
		o := taken[f.Operator]
		o.Feed, o.State = f, f.State()
		all = append(all, o)
	}
	return all, nil
}

func (s *Store) take(ctx context.Context, key feedKey, n News) (o Outcome) {
	var err error
	d := s.state.Load().feeds[key]
	switch {
	case d != nil && d.Listed(s.now()): // whatever becomes of the operator's own file
	case n.File != "":
		o.Files, err = s.Import(ctx, key.market, key.operator, n.File)
	case n.Failed != "":
		err = s.Failed(key.market, key.operator, errors.New(n.Failed))
	default:
		err = s.unchanged(key.market, key.operator)
	}
	if refused, ok := errors.AsType[refusedError](err); ok {
		o.Refused = refused.Error()
	} else if err != nil {
		o.Error = err.Error()
	}
	return o
}

// unchanged clears the failure of a feed whose file has not changed since it was read. ReadAt
// stays, so that a file that is never renewed becomes too old. Errors: errNoFeed, ErrOperator,
// errReadOnly.
func (s *Store) unchanged(code market.Code, operator string) error {
	_, key, err := feedOf(code, operator)
	if err != nil {
		return err
	}
	if d := s.state.Load().feeds[key]; d == nil || d.ReadAt == nil || d.FailedAt == nil {
		return nil
	}
	return s.alterFeed(key, func(f *Feed) { f.FailedAt, f.Why = nil, "" })
}

// alterFeed changes a feed and keeps its entries.
func (s *Store) alterFeed(key feedKey, alter func(f *Feed)) error {
	return s.update(func(tx *store.Tx) error {
		f, err := getFeed(tx, key)
		if err != nil {
			return err
		}
		alter(f)
		return store.PutJSON(tx, feedsBucket, key.bytes(), f)
	})
}
