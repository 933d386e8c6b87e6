package catalog

import (
	"context"
	"strconv"

	"relais/archive"
	"relais/archive/change"
	"relais/index"
	"relais/site"
)

// newsEditions is how many of the newest editions have news: more than a year of weekly ones.
const newsEditions = 60

// News asks for the changes of the newest editions of a market's register, and of corrections of these editions.
type News struct {
	ChangeSelection
	Since         site.Date // only of editions after the newest that is not after this date, 0 for any
	Days          int       // like Since, so many days before the newest edition, 0 for any
	Offset, Limit int       // entries that are passed over, and most that there are
}

// NewsFound is a page of news.
type NewsFound struct {
	News      // the question, with systems as they are spelt in the data
	Register  *index.Market
	Editions  []archive.Edition // that are kept, oldest first
	Oldest    site.Date         // of the oldest edition that has news, if older ones are left out; else 0
	Truncated bool              // there are older entries
	Entries   []NewsEntry       // newest first
	skipped   int               // entries that were passed over
	last      newsKey           // of the entry that was read last, which may be a skipped one
}

// A NewsEntry has the changes of a site by an edition, or by a correction of it.
type NewsEntry struct {
	Date       site.Date // of the edition
	Correction int       // its number, 0 for the edition as it came
	Changes    []change.Record
}

type newsKey struct {
	date       site.Date
	correction int
	site       string
}

// News returns a page of news. Errors: an UnknownError, those of the archives.
func (c *Catalog) News(ctx context.Context, q News) (*NewsFound, error) {
	all, err := c.Editions(q.Market)
	if err != nil {
		return nil, err
	}
	f := &NewsFound{News: q, Editions: all}
	f.Register, _ = c.Register(q.Market)
	known, oldest := c.systemsOf(nil, q.Market, f.Register, &archive.Span{}), max(1, len(all)-newsEditions)
	if from := f.from(all); from >= oldest {
		oldest = from
	} else if oldest > 1 {
		f.Oldest = all[oldest].Date
	}
	for i := len(all) - 1; i >= oldest && !f.Truncated; i-- {
		for n := all[i].Corrected; n >= 0; n-- {
			span, err := c.Archives.Told(ctx, q.Market.Code, all[i].Date, n)
			if err != nil {
				return nil, err
			}
			// A system may be known from this edition on: the filter finds its spelling only now.
			known = c.systemsOf(known, q.Market, nil, span)
			if err := f.setFilter(c, known, false); err != nil {
				return nil, err
			}
			f.read(span, n)
		}
	}
	if err := f.setFilter(c, known, false); err != nil {
		return nil, err
	}
	f.Technologies, f.Bands = f.Filter.Technologies, nil
	for _, band := range f.Filter.Bands {
		f.Bands = append(f.Bands, strconv.Itoa(band))
	}
	return f, nil
}

// from returns the position of the first edition after the beginning of the period, 0 for any.
func (q *News) from(all []archive.Edition) int {
	if q.Since == 0 && q.Days == 0 {
		return 0
	}
	before, _, _ := (&Changes{Since: q.Since, Days: q.Days, Kept: true}).editions(all) // a period that is cut has no error
	return before + 1
}

// read adds the changes of an edition or of a correction, until the page is full. Records come in the order of sites, so
// that those of one entry follow each other.
func (f *NewsFound) read(span *archive.Span, correction int) {
	for _, l := range span.Lists {
		for r := range l.Records(&f.Filter) {
			if key := (newsKey{l.Date, correction, r.Site}); key != f.last {
				if len(f.Entries) == f.Limit {
					f.Truncated = true
					return
				}
				if f.last = key; f.skipped < f.Offset {
					f.skipped++
				} else {
					f.Entries = append(f.Entries, NewsEntry{Date: l.Date, Correction: correction})
				}
			}
			if last := len(f.Entries) - 1; last >= 0 { // else of an entry that is passed over
				f.Entries[last].Changes = append(f.Entries[last].Changes, r)
			}
		}
	}
}
