package admin

import (
	"context"
	"errors"

	"relais/ingest/update"
	"relais/market"
	"relais/measure"
)

// TakeMeasures imports a file of an authority's measurements that an update fetched: its speedtests and its coverage
// points. The answer is an update.Taken.
type TakeMeasures struct {
	Market market.Code `json:"market"`
	Path   string      `json:"path"` // absolute
	Force  bool        `json:"force,omitempty"`
}

func (c TakeMeasures) run(ctx context.Context, s *Stores) (any, error) {
	return s.TakeMeasures(ctx, c.Market, c.Path, c.Force)
}

// TakeMeasures is the command of that name, for the process that has the stores open. A campaign that
// is there already with the same rows stays as it is.
func (s *Stores) TakeMeasures(ctx context.Context, code market.Code, path string, force bool) (t update.Taken, err error) {
	answer, err := ImportMeasures{Market: code, Paths: []string{path}, Force: force}.run(ctx, s)
	if refused, ok := errors.AsType[*measure.FileError](err); ok {
		return update.Taken{Refused: refused.Error()}, nil
	}
	imported, _ := answer.(Imported)
	return update.Taken{Files: imported.Files}, err
}
