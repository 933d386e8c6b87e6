package update

import (
	"context"
	"errors"

	input "relais/ingest/source"
	"relais/market"
)

// A Taken is what became of a file that a store was given. An error says nothing about the file; Refused does.
type Taken struct {
	Refused string          `json:"refused,omitempty"`
	Files   []*input.Report `json:"files,omitempty"`
	// Days are those that the market's archive has.
	Days []string `json:"days,omitempty"`
}

// Measures passes a file of an authority's measurements of a market, by its absolute path, to the process that has the
// stores open. force overrides the guard that compares the file with what is there.
type Measures func(ctx context.Context, code market.Code, path string, force bool) (Taken, error)

// measures is the target of an authority's measurements of a market.
type measures struct{ market market.Code }

func (measures) forgetStale(context.Context, *source) ([]string, error) { return nil, nil }

func (measures) fetch(ctx context.Context, s *source, f *File, report *FileReport) {
	s.fetch(ctx, f, report)
}

// apply has the new files read, each for itself.
func (m measures) apply(ctx context.Context, s *source) {
	for _, f := range s.fresh {
		taken, err := s.Measures(ctx, m.market, absolute(f.path), s.Force)
		switch {
		case err != nil:
			f.report.fail(err)
		case taken.Refused != "":
			s.refuse(f.report, f.version, errors.New(taken.Refused))
		default:
			s.accept(f, "")
		}
		s.report.Imports = append(s.report.Imports, taken.Files...)
	}
}
