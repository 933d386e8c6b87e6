package measure

import (
	"errors"
	"fmt"
	"slices"

	"relais/ingest/source"
)

// ErrFewer is wrapped by the FileError of an import whose file has far fewer measurements of a campaign than the store:
// most likely it is cut. Options.Force takes it, unless none can be used.
var ErrFewer = errors.New("it has far fewer measurements than the campaign that is there, which stays")

// A campaignRun is a campaign of an import.
type campaignRun struct {
	Campaign
	rows    []SegmentInfo // that have the campaign now
	former  []*segment    // of those, the ones that can be used
	reports []*source.Report
}

// campaign returns what the import knows of a campaign.
func (i *importRun) campaign(c Campaign) *campaignRun {
	if i.campaigns[c.ID] == nil {
		run := &campaignRun{Campaign: c}
		for _, row := range i.base.rows {
			if row.Market == i.market.Code && row.Campaign.ID == c.ID {
				run.rows = append(run.rows, row)
			}
		}
		for _, s := range i.base.segments {
			if s.Market == i.market.Code && s.Campaign.ID == c.ID {
				run.former = append(run.former, s)
			}
		}
		i.campaigns[c.ID] = run
	}
	return i.campaigns[c.ID]
}

// others returns the segments whose rows a builder must not have again: of a campaign, only those of the same import,
// since the former ones are replaced.
func (i *importRun) others(b *builder) []*segment {
	if b.Campaign.ID == "" {
		return i.segments
	}
	c := i.campaign(b.Campaign)
	b.Replaces = nil
	for _, row := range c.rows {
		if row.Kind == b.Kind {
			b.Replaces = append(b.Replaces, row.File)
		}
	}
	return slices.DeleteFunc(slices.Clone(i.segments), func(s *segment) bool { return slices.Contains(c.former, s) })
}

// endCampaigns replaces the former campaigns by those of the import, and drops those of the import that have the same
// rows. Error: a FileError for a campaign without a row that can be used, and ErrFewer.
func (i *importRun) endCampaigns() error {
	served := map[string]bool{} // by file: a row is used
	for _, r := range i.reports {
		served[r.Path] = served[r.Path] || r.Served > 0
	}
	for _, c := range i.campaigns {
		var added []*segment
		for _, s := range i.newSegments {
			if s.Campaign.ID == c.ID {
				added = append(added, s)
			}
		}
		had, has := 0, rowsOfAll(added)
		for _, row := range c.rows {
			had += row.Rows
		}
		switch {
		case len(c.rows) == 0 && has > 0:
			c.note("new, with %d measurements", has)
		case has == 0 && had == 0 && slices.ContainsFunc(c.reports, func(r *source.Report) bool { return served[r.Path] }):
			// Rows of the file's other kind state the campaign.
		case has == 0 && had == 0:
			return &FileError{fmt.Errorf("%s: none of its measurements can be used%s", c.ID, c.reason())}
		case has == 0:
			return &FileError{fmt.Errorf("%s: %w: none that can be used, and %d are there", c.ID, ErrFewer, had)}
		case has*100 < had*95 && !i.Force:
			return &FileError{fmt.Errorf("%s: %w: %d, and %d are there (--force overrides)", c.ID, ErrFewer, has, had)}
		case had == has && rowsOfAll(c.former) == had && sameRows(added, c.former):
			if err := i.drop(added); err != nil {
				return err
			}
			for _, r := range c.reports {
				r.RejectMany(r.Served, "duplicate")
				r.CountServed()
			}
			c.note("the same as before")
		case has > 0:
			for _, row := range c.rows {
				i.change.drop = append(i.change.drop, row.File)
			}
			c.note("corrected, with %d measurements instead of %d", has, had)
		}
	}
	return nil
}

// reason returns why most rows were rejected, after a colon.
func (c *campaignRun) reason() string {
	rejected := source.Spellings{}
	for _, r := range c.reports {
		for reason, n := range r.Rejected {
			rejected[reason] += n
		}
	}
	if top := rejected.Top(); len(top) > 0 {
		return ": " + top[0].Name
	}
	return ""
}

// note says in the reports what became of a campaign.
func (c *campaignRun) note(format string, values ...any) {
	for _, r := range c.reports {
		r.Campaign, r.Became = c.ID, fmt.Sprintf(format, values...)
	}
}

// drop removes segments of the import.
func (i *importRun) drop(added []*segment) error {
	dropped := map[string]*segment{}
	for _, s := range added {
		dropped[s.file] = s
		delete(i.newSegments, s.file)
	}
	i.change.put = slices.DeleteFunc(i.change.put, func(r SegmentInfo) bool { return dropped[r.File] != nil })
	return i.abandon(nil, dropped)
}

func rowsOfAll(segments []*segment) (n int) {
	for _, s := range segments {
		n += s.rows
	}
	return n
}

// sameRows reports whether each row of the segments is in the others.
func sameRows(segments, others []*segment) bool {
	for _, s := range segments {
		if b := s.builder(); b.sort(others) != s.rows {
			return false
		}
	}
	return true
}
