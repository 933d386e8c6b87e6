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

// A MeasureFile is a file of an authority's measurements.
type MeasureFile struct {
	Name     string `json:"name"`     // in the table, such as arcep-mesures-metropole
	Campaign string `json:"campaign"` // what the group of match has, such as 2025; "" without a group
	Licence  string `json:"licence"`
	Path     string `json:"path"` // absolute
}

// Measures passes a file of measurements of a market to the process that has the stores open.
type Measures func(ctx context.Context, code market.Code, file MeasureFile) (Taken, error)

// measures is the target of an authority's measurements of a market.
type measures struct{ market market.Code }

func (measures) forgetStale(context.Context, *source) ([]string, error) { return nil, nil }

func (measures) fetch(ctx context.Context, s *source, f *File, report *FileReport) {
	s.fetch(ctx, f, report)
}

// apply has the new files read, each for itself.
func (m measures) apply(ctx context.Context, s *source) {
	for _, f := range s.fresh {
		taken, err := s.Measures(ctx, m.market, MeasureFile{Name: f.report.Name, Campaign: f.version.Rank,
			Licence: f.report.Licence, Path: absolute(f.path)})
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
