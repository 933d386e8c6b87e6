package catalog

import (
	"context"
	"slices"
	"strings"

	"relais/archive"
	"relais/archive/change"
	"relais/index"
	"relais/market"
	"relais/site"
)

// changedSince returns the sites that have changed since the edition of a date, nil for all.
func (c *Catalog) changedSince(ctx context.Context, date site.Date, m *index.Market) (*index.Subset, error) {
	if date == 0 {
		return nil, nil
	}
	if err := c.Usable(Archives); err != nil {
		return nil, err
	}
	current := site.ParseDate([]byte(m.Snap.SourceDate))
	if date >= current {
		return m.Subset(ctx, "", func(context.Context) ([]string, error) { return nil, nil })
	}
	// The version is read before the changes: if an edition is corrected in between, the newer changes are kept under
	// the older version, and are found no more.
	version, code := c.Archives.Version(), m.Table.Code
	all, err := c.Editions(m.Table)
	if err != nil {
		return nil, err
	}
	at := servedEdition(all, m)
	if at < 0 {
		return nil, &NoEditionError{m.Snap.SourceDate}
	}
	from := newest(all, date)
	if from < 0 {
		return nil, nil
	}
	since, until := all[from].Date, all[at].Date
	// The register keeps subsets by this name: pages of one list do not read the changes again.
	filter := &change.Filter{Without: c.withheld(m.Table)}
	name := version + " " + since.String() + strings.Join(filter.Without, " ")
	return m.Subset(ctx, name, func(ctx context.Context) ([]string, error) {
		span, err := c.Archives.Between(ctx, code, since, until)
		if err != nil {
			return nil, err
		}
		return changedSites(span, filter), nil
	})
}

// Editions returns the editions of a market that are kept, oldest first.
func (c *Catalog) Editions(m *market.Market) ([]archive.Edition, error) {
	if c.Archives == nil || !m.HasInventory() {
		return nil, nil
	}
	all, err := c.Archives.Editions(m.Code)
	for i := range all {
		c.publish(m, &all[i])
	}
	return all, err
}

// publish takes out of an edition what the caller may not have: the number of its sites, and registers that can be told
// from the others.
func (c *Catalog) publish(m *market.Market, e *archive.Edition) {
	if !c.withholds(m, e.Registers) {
		return
	}
	e.Sites = 0
	if _, apart := m.Withheld(e.Registers); apart {
		e.Registers = slices.DeleteFunc(slices.Clone(e.Registers), func(name string) bool { return m.NeedsPermission([]string{name}) })
	}
}

// newest returns the position of the newest edition that is not after a date, or -1.
func newest(all []archive.Edition, date site.Date) int {
	at := -1
	for i := range all {
		if all[i].Date <= date {
			at = i
		}
	}
	return at
}

// servedEdition returns the position of the edition that is served, or -1.
func servedEdition(all []archive.Edition, m *index.Market) int {
	date := site.ParseDate([]byte(m.Snap.SourceDate))
	return slices.IndexFunc(all, func(e archive.Edition) bool { return e.Date == date })
}

// ChangesKnown reports whether the changes of the served edition of a market are known.
func (c *Catalog) ChangesKnown(m *index.Market) bool {
	if c.Usable(Archives) != nil {
		return false
	}
	all, err := c.Editions(m.Table)
	return err == nil && servedEdition(all, m) > 0
}

// changedSites returns the ids of the sites with a change. Ids can be there several times.
func changedSites(span *archive.Span, f *change.Filter) (ids []string) {
	for _, l := range span.Lists {
		for c := range l.Records(f) {
			if n := len(ids); n == 0 || ids[n-1] != c.Site {
				ids = append(ids, c.Site)
			}
		}
	}
	return ids
}
