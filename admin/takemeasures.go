package admin

import (
	"context"
	"errors"
	"slices"

	"relais/ingest/update"
	"relais/market"
	"relais/measure"
)

// TakeMeasures imports a file of an authority's measurements that an update fetched: its speedtests and its coverage
// points. Without a path it only says which campaigns the market has. The answer is an update.Taken.
type TakeMeasures struct {
	Market market.Code `json:"market"`
	Path   string      `json:"path,omitempty"` // absolute
	Force  bool        `json:"force,omitempty"`
}

func (c TakeMeasures) run(ctx context.Context, s *Stores) (any, error) {
	return s.TakeMeasures(ctx, c.Market, c.Path, c.Force)
}

// TakeMeasures is the command of that name, for the process that has the stores open. A campaign that
// is there already with the same rows stays as it is.
func (s *Stores) TakeMeasures(ctx context.Context, code market.Code, path string, force bool) (t update.Taken, err error) {
	if path == "" {
		m, err := s.Measures()
		if err == nil {
			t.Campaigns, err = m.Campaigns(code)
		}
		return t, err
	}
	answer, err := ImportMeasures{Market: code, Paths: []string{path}, Force: force}.run(ctx, s)
	if refused, ok := errors.AsType[*measure.FileError](err); ok {
		return update.Taken{Refused: refused.Error()}, nil
	}
	imported, _ := answer.(Imported)
	t.Files = imported.Files
	for _, r := range t.Files {
		if r.Campaign != "" && !slices.Contains(t.Campaigns, r.Campaign) {
			t.Campaigns = append(t.Campaigns, r.Campaign)
		}
	}
	return t, err
}
