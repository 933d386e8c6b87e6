package update

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	input "relais/ingest/source"
	"relais/market"
)

// A Taken is what became of a file that a store was given. An error says nothing about the file; Refused does.
type Taken struct {
	Refused string          `json:"refused,omitempty"`
	Files   []*input.Report `json:"files,omitempty"`
	// Days are those that the market's archive has.
	Days []string `json:"days,omitempty"`
	// Campaigns are the ids of those of the file, or without a file of all that the market has whole.
	Campaigns []string `json:"campaigns,omitempty"`
}

// Measures passes a file of an authority's measurements of a market, by its absolute path, to the process that has the
// stores open. force overrides the guard that compares the file with what is there. Without a path it only returns the
// campaigns of the market.
type Measures func(ctx context.Context, code market.Code, path string, force bool) (Taken, error)

// measures is the target of an authority's measurements of a market.
type measures struct{ market market.Code }

// forgetStale forgets the good version of files whose campaigns the store does not have whole.
func (m measures) forgetStale(ctx context.Context, s *source) (found []string, err error) {
	var has []string
	asked := false
	for _, file := range s.files {
		r := s.state.Files[file.Name]
		if r.Read == "" {
			continue
		}
		if !asked { // a folder without measurements gets no store by the question
			taken, err := s.Measures(ctx, m.market, "", false)
			if err != nil {
				return nil, fmt.Errorf("asking for the campaigns of measurements: %w", err)
			}
			has, asked = taken.Campaigns, true
		}
		for id := range strings.FieldsSeq(r.Read) {
			if !hasCampaign(has, id) {
				s.state.set(file.Name, record{Refused: r.Refused, Reason: r.Reason})
				found = append(found, fmt.Sprintf("%s: measurements of %s are lost or damaged", m.market, id))
				break
			}
		}
	}
	return found, nil
}

var campaignYear = regexp.MustCompile(`20[0-9]{2}`)

// hasCampaign reports whether a store has a campaign or a later one, whose id has another year. When there is a later one,
// the store may forget the campaign.
func hasCampaign(has []string, id string) bool {
	others := campaignYear.ReplaceAllString(id, "")
	return slices.ContainsFunc(has, func(other string) bool {
		return other >= id && campaignYear.ReplaceAllString(other, "") == others
	})
}

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
			s.accept(f, strings.Join(taken.Campaigns, " "))
		}
		s.report.Imports = append(s.report.Imports, taken.Files...)
	}
}
