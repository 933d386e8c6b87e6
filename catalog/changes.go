package catalog

import (
	"context"
	"fmt"

	"relais/archive"
	"relais/archive/change"
	"relais/index"
	"relais/market"
	"relais/site"
)

// Changes asks for the changes between the editions of a period.
type Changes struct {
	ChangeSelection
	// The period begins after the newest edition that is not after Since, 0 for the one before its last edition. It ends
	// with the newest that is not after Until, 0 for any.
	Since, Until site.Date
	// Days, if it is not 0, stands for the Since so many days before the last edition, and for Kept.
	Days int
	Kept bool // the period is cut to the editions that are kept: one that begins before them is not an error
	Net  bool // the last edition is compared with the first, instead of each with the one before it
	// Span is changes that were read already, nil for those of the period.
	Span *archive.Span
	// Offset is how many changes are passed over, and Limit how many there are at most, -1 for all.
	Offset, Limit int
}

// ChangesFound is a page of changes.
type ChangesFound struct {
	// Changes is the question with the whole filter and the span that was read, empty if there is nothing to compare.
	Changes
	Register *index.Market // nil if it is not loaded or not for the caller
	Version  string        // of the archives, before they were read
	Reason   string        // why there is nothing to compare, "" if there is
	Total    int           // changes of the market in the span
	Kinds    change.Tally  // that match
	Returned int           // that are on the page
	matched  []int         // by edition
}

// Changes returns a page of changes, the newest edition first, then in the order of the sites' ids. Errors: an
// EarlyError, an UnknownError, those of the archives.
func (c *Catalog) Changes(ctx context.Context, q Changes) (*ChangesFound, error) {
	f := &ChangesFound{Changes: q}
	f.Register, _ = c.Register(q.Market)
	if f.Span == nil {
		f.Version = c.Archives.Version() // before the read: an answer may be newer than its version, never older
		if err := f.readSpan(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := f.setFilter(c, c.systemsOf(nil, f.Market, f.Register, f.Span), f.Register != nil); err != nil {
		return nil, err
	}
	// Matches are counted by edition, so that Rows can pass over whole editions.
	all := change.Filter{Without: f.Filter.Without}
	for _, l := range f.Span.Lists {
		kinds := l.Tally(&f.Filter)
		f.Total += l.Tally(&all).Sum()
		for k, n := range kinds {
			f.Kinds[k] += n
		}
		f.matched = append(f.matched, kinds.Sum())
	}
	f.Returned = max(0, f.Kinds.Sum()-q.Offset)
	if q.Limit >= 0 {
		f.Returned = min(f.Returned, q.Limit)
	}
	return f, nil
}

// Rows calls yield for each change of the page, with its edition.
func (f *ChangesFound) Rows(yield func(*archive.Dated, change.Record) bool) {
	skip, left := f.Offset, f.Returned
	for i := range f.Span.Lists {
		if skip >= f.matched[i] {
			skip -= f.matched[i]
			continue
		}
		for r := range f.Span.Lists[i].Records(&f.Filter) {
			switch {
			case left == 0:
				return
			case skip > 0:
				skip--
			case !yield(&f.Span.Lists[i], r):
				return
			default:
				left--
			}
		}
	}
}

// Next returns the offset of the next page, nil for the last one.
func (f *ChangesFound) Next() *int {
	if next := f.Offset + f.Returned; next < f.Kinds.Sum() && f.Returned > 0 {
		return &next
	}
	return nil
}

// readSpan reads the changes of the period.
func (f *ChangesFound) readSpan(ctx context.Context, c *Catalog) error {
	f.Span = &archive.Span{}
	all, err := c.Editions(f.Market)
	if err != nil {
		return err
	}
	from, to, err := f.editions(all)
	if err != nil {
		return err
	}
	if from < 0 {
		f.Reason = nothingToCompare(f.Market, all)
		return nil
	}
	if f.Span, err = c.Archives.Between(ctx, f.Market.Code, all[from].Date, all[to].Date); err != nil {
		return err
	}
	c.publish(f.Market, &f.Span.From)
	if c.publish(f.Market, &f.Span.To); !f.Net {
		return nil
	}
	net, err := f.Span.Net(ctx)
	f.Span.Lists = []archive.Dated{{Edition: f.Span.To, Previous: f.Span.From.Date, List: net}}
	return err
}

// editions returns the positions of the first and last edition of the period; from is negative if nothing is comparable.
func (q *Changes) editions(all []archive.Edition) (from, to int, err error) {
	to = len(all) - 1
	if q.Until != 0 && to >= 0 {
		if to = newest(all, q.Until); to < 0 && !q.Kept {
			return 0, 0, &EarlyError{q.Market, q.Until, all[0].Date, true}
		}
	}
	since := q.Since
	if q.Days > 0 && to >= 0 {
		since = max(1, all[to].Date-site.Date(q.Days))
	}
	if since == 0 || to < 0 {
		return to - 1, to, nil
	}
	if from = newest(all, since); from < 0 && !q.Kept && q.Days == 0 {
		return 0, 0, &EarlyError{q.Market, since, all[0].Date, false}
	}
	if len(all) < 2 {
		return -1, to, nil
	}
	return min(max(0, from), to), to, nil
}

// nothingToCompare returns the reason why no changes of a period are known.
func nothingToCompare(m *market.Market, all []archive.Edition) string {
	switch {
	case !m.HasInventory():
		return m.UnavailableReason
	case len(all) == 0:
		return fmt.Sprintf("This server keeps no edition of %s yet: changes are known from the second one on.", m.Code)
	}
	return fmt.Sprintf("The edition of %s is the first of %s that this server keeps: changes are known from the second one on.",
		all[0].Date, m.Code)
}
