package admin

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"relais/ingest/update"
	"relais/internal/store"
	"relais/market"
	"relais/measure"
)

// TakeMeasures imports a file of an authority's measurements that an update fetched: its speedtests and its coverage
// points. The answer is an update.Taken.
type TakeMeasures struct {
	Market market.Code `json:"market"`
	Path   string      `json:"path"` // absolute
}

func (c TakeMeasures) run(ctx context.Context, s *Stores) (any, error) {
	return s.TakeMeasures(ctx, c.Market, c.Path)
}

// TakeMeasures is the command of that name, for the process that has the stores open. A campaign that
// is there already with the same rows stays as it is.
func (s *Stores) TakeMeasures(ctx context.Context, code market.Code, path string) (t update.Taken, err error) {
	answer, err := ImportMeasures{Market: code, Paths: []string{path}}.run(ctx, s)
	switch imported, _ := answer.(Imported); {
	case err == nil:
		t.Files = imported.Files
	case saysNothingOfFile(err):
		return t, err
	default:
		t.Refused = err.Error()
	}
	return t, nil
}

// saysNothingOfFile reports whether an import failed for a reason outside of the file.
func saysNothingOfFile(err error) bool {
	_, file := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	_, number := errors.AsType[syscall.Errno](err)
	return file || link || number || errors.Is(err, measure.ErrReadOnly) || errors.Is(err, measure.ErrNewer) ||
		errors.Is(err, store.ErrAway) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
