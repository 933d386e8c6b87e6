package catalog

import (
	"context"

	"relais/index"
)

// Sites asks for the sites of a selection.
type Sites struct {
	Selection
	// Where is the place and the words that sites must have; its Filter is not used.
	Where index.Query
	Named []string // siteKeys or ids: only these sites, nil for any
	// Offset is how many sites are passed over, and Limit how many there are at most, -1 for all.
	Offset, Limit int
}

// SitesFound is a page of sites.
type SitesFound struct {
	Selected
	index.Hits
	Whole   bool     // the question selects all sites of the register
	Unknown []string // of Named: the names that no site of the market has
}

// Sites returns a page of the sites of a selection: with a disc the nearest first, with Where.Ranked the best
// matches first, else in the order of the register. Errors: those of Select.
func (c *Catalog) Sites(ctx context.Context, q Sites) (SitesFound, error) {
	found := SitesFound{Unknown: q.Named}
	var err error
	if found.Selected, err = c.Select(ctx, q.Selection); err != nil || found.Register == nil {
		return found, err
	}
	if len(q.Named) > 0 {
		var named *index.Subset
		named, found.Unknown = found.Register.Named(q.Named)
		found.Filter.Within = named.And(found.Filter.Within)
	}
	ask := q.Where
	ask.Filter = found.Filter
	if found.Whole = ask.Unfiltered(); q.Limit < 0 {
		q.Limit = found.Register.Len()
	}
	found.Hits = found.Register.Find(ask, q.Offset, q.Limit)
	return found, nil
}

// Next returns the offset of the next page, nil for the last one.
func (f *SitesFound) Next(offset int) *int { return nextOffset(offset, len(f.Sites), f.Total) }
