package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"relais/archive"
	"relais/archive/change"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/store"
	"relais/market"
	"relais/site"
)

// swiss returns a catalog with editions of CH: on each of some days other sites with other systems. The last one is
// loaded.
func swiss(t *testing.T, days ...int) *Catalog {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "archives.db"), archive.Buckets...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c := &Catalog{Archives: archive.Open(db, time.Now)}
	r := rand.New(rand.NewPCG(1, 36))
	var m *index.Market
	for n, day := range days {
		var sites []site.Site
		for i := range 10 {
			if r.IntN(4) == 0 {
				continue
			}
			s := site.Site{ID: fmt.Sprint("s", i), Position: geo.Point{Lat: 46 + float64(i)/10, Lng: 8}, Area: -1}
			for k := range 1 + r.IntN(2) {
				s.Stations = append(s.Stations, site.Station{Code: fmt.Sprint(i, k), Operator: k})
				s.Emissions = append(s.Emissions, site.Emission{Station: k, Status: r.IntN(3), Generation: site.G5,
					System: []string{"LTE 800", "5G NR 700", "5G NR 3500"}[r.IntN(3)]})
			}
			sites = append(sites, s)
		}
		m = indextest.Market(t, market.CH, sites...)
		m.Snap.SourceDate, m.Snap.Version = august(day).String(), fmt.Sprint(n)
		if _, err := c.Archives.Note(t.Context(), m.Snap); err != nil {
			t.Fatal(err)
		}
	}
	if m != nil {
		c.Set = index.NewSet([]*index.Market{m}, nil)
	}
	return c
}

// august returns a day, or 0 for 0.
func august(day int) site.Date { return site.DateOf(2026, 8, day) }

// A row is a change with the dates of its editions.
type row struct {
	Date, Previous site.Date
	change.Record
}

// pages returns all rows of a question, asked page by page.
func pages(t *testing.T, c *Catalog, q Changes, size int) (rows []row) {
	t.Helper()
	q.Limit = size
	for next := &q.Offset; next != nil; {
		q.Offset = *next
		f, err := c.Changes(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		before := len(rows)
		for d, r := range f.Rows {
			rows = append(rows, row{d.Date, d.Previous, r})
		}
		if next = f.Next(); len(rows)-before != f.Returned || next == nil && len(rows) != f.Kinds.Sum() {
			t.Fatalf("offset %d: %d rows of %d, want %d", q.Offset, len(rows)-before, f.Kinds.Sum(), f.Returned)
		}
	}
	return rows
}

// A filterCase is a filter of changes.
type filterCase struct {
	technologies, bands string
	kinds               []change.Kind
}

var filterCases = []filterCase{{"", "", nil}, {"5g nr 3500", "", nil}, {"", "700,3500", nil},
	{"lte 800,5G NR 700", "700", []change.Kind{change.SystemAdded}}}

func (f filterCase) selection() ChangeSelection {
	s := ChangeSelection{Market: market.Get(market.CH), Technologies: split(f.technologies), Bands: split(f.bands)}
	s.Filter.Kinds = f.kinds
	return s
}

func (f filterCase) selects(r change.Record) bool {
	name := strings.ToLower(r.Technology)
	return (f.kinds == nil || slices.Contains(f.kinds, r.Kind)) &&
		(f.technologies == "" || slices.Contains(split(strings.ToLower(f.technologies)), name)) &&
		(f.bands == "" || slices.Contains(split(f.bands), name[strings.LastIndexByte(name, ' ')+1:]))
}

// Pages of any size have what a look at each change of the kept editions finds, in its order.
func TestChanges(t *testing.T) {
	days := []int{6, 13, 20, 27}
	c := swiss(t, days...)
	kept, err := c.Archives.Between(t.Context(), market.CH, august(6), august(27))
	if err != nil {
		t.Fatal(err)
	}
	for since := range 31 {
		for _, until := range []int{0, since, 16, 30} {
			if since > 0 && since < 6 || until > 0 && until < max(6, since) {
				continue
			}
			last := days[newestOf(days, cmp.Or(until, 31))]
			first := days[newestOf(days, cmp.Or(since, last-1))]
			lists := slices.DeleteFunc(slices.Clone(kept.Lists), func(l archive.Dated) bool {
				return l.Date <= august(first) || l.Date > august(last)
			})
			mustFind(t, c, Changes{Since: august(since), Until: august(until)}, lists)
			span, err := c.Archives.Between(t.Context(), market.CH, august(first), august(last))
			if err != nil {
				t.Fatal(err)
			}
			net, err := span.Net(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			mustFind(t, c, Changes{Since: august(since), Until: august(until), Net: true},
				[]archive.Dated{{Edition: span.To, Previous: span.From.Date, List: net}})
		}
	}
}

// mustFind fails unless a question finds the changes of the lists.
func mustFind(t *testing.T, c *Catalog, q Changes, lists []archive.Dated) {
	t.Helper()
	for _, f := range filterCases {
		var want []row
		for _, l := range lists {
			for r := range l.Records(nil) {
				if f.selects(r) {
					want = append(want, row{l.Date, l.Previous, r})
				}
			}
		}
		q.ChangeSelection = f.selection()
		for _, size := range []int{-1, 7} {
			if d := diff.Diff(want, pages(t, c, q, size)); d != "" {
				t.Fatalf("%+v, %+v, pages of %d (-want +got):\n%s", q, f, size, d)
			}
		}
	}
}

func newestOf(days []int, day int) (at int) {
	for i := range days {
		if days[i] <= day {
			at = i
		}
	}
	return at
}

func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// A period before the first edition is an error, unless it is cut to what is kept; of one edition nothing is known.
func TestPeriods(t *testing.T) {
	for _, tt := range []struct {
		name         string
		days         []int
		since, until int
		ago          int // days
		kept         bool
		want         string // the dates, the date that is too early, or the reason
	}{
		{"until the first", []int{6, 13, 20}, 0, 7, 0, false, "is the first of CH"},
		{"since a day to come", []int{6, 13, 20}, 30, 0, 0, false, "2026-08-20 2026-08-20"},
		{"since before the first", []int{6, 13}, 5, 0, 0, false, "early 2026-08-05 2026-08-06 false"},
		{"until before the first", []int{6, 13}, 0, 5, 0, false, "early 2026-08-05 2026-08-06 true"},
		{"cut", []int{6, 13, 20}, 1, 15, 0, true, "2026-08-06 2026-08-13"},
		{"nothing is left", []int{6, 13}, 1, 5, 0, true, "is the first of CH"},
		{"days that fit", []int{6, 13, 20}, 0, 0, 7, false, "2026-08-13 2026-08-20"},
		{"days between editions", []int{6, 13, 20}, 0, 0, 10, false, "2026-08-06 2026-08-20"},
		{"days before the first", []int{6, 13, 20}, 0, 0, 3000, false, "2026-08-06 2026-08-20"},
		{"days before a date", []int{6, 13, 20}, 0, 13, 7, false, "2026-08-06 2026-08-13"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := swiss(t, tt.days...).Changes(t.Context(), Changes{ChangeSelection: filterCase{}.selection(),
				Since: august(tt.since), Until: august(tt.until), Days: tt.ago, Kept: tt.kept, Limit: -1})
			got := ""
			if e, ok := errors.AsType[*EarlyError](err); ok {
				got = fmt.Sprint("early ", e.Date, " ", e.First, " ", e.End)
			} else if err == nil {
				got = strings.TrimSpace(fmt.Sprint(f.Span.From.Date, " ", f.Span.To.Date, " ", f.Reason))
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// An unknown system is an error where all systems are known, and else one that nothing matches.
func TestUnknownSystems(t *testing.T) {
	loaded := swiss(t, 6, 13)
	bare, silent := &Catalog{Archives: loaded.Archives}, swiss(t)
	silent.Set = index.NewSet([]*index.Market{indextest.Market(t, market.CH, site.Site{ID: "a", Area: -1,
		Stations: []site.Station{{Code: "s"}}, Emissions: []site.Emission{{Generation: site.G4}}})}, nil)
	for _, tt := range []struct {
		name             string
		c                *Catalog
		technology, band string
		want             string // in the error, "" for none
	}{
		{"a system", loaded, "LTE 8000", "", "CH has 5G NR 700, LTE 800, 5G NR 3500"},
		{"a band", loaded, "", "801", "CH has 700, 800, 3500"},
		{"no number", loaded, "", "C", "CH has 700, 800, 3500"},
		{"a register without systems", silent, "LTE 800", "", "does not state it"},
		{"a system and a band without a register", bare, "LTE 8000", "801", ""},
		{"no number without a register", bare, "", "C", "whole numbers of MHz"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := Changes{ChangeSelection: filterCase{}.selection(), Limit: -1}
			q.Technologies, q.Bands = split(tt.technology), split(tt.band)
			f, err := tt.c.Changes(t.Context(), q)
			got := ""
			if e, ok := errors.AsType[*UnknownError](err); ok {
				got = e.Want()
			}
			if !strings.Contains(got, tt.want) || tt.want == "" && (err != nil || f.Returned > 0) {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// News has the changes of a site in an edition, or in a correction of it, as one entry.
func TestNews(t *testing.T) {
	c := swiss(t, 6, 13, 20, 20, 20) // corrected twice
	for _, f := range filterCases {
		var want []NewsEntry
		for _, told := range []struct{ day, correction int }{{20, 2}, {20, 1}, {20, 0}, {13, 0}} {
			span, err := c.Archives.Told(t.Context(), market.CH, august(told.day), told.correction)
			if err != nil || len(span.Lists) != 1 {
				t.Fatalf("%+v: %v, %v", told, span, err)
			}
			site := ""
			for r := range span.Lists[0].Records(nil) {
				if !f.selects(r) {
					continue
				}
				if r.Site != site {
					want = append(want, NewsEntry{Date: august(told.day), Correction: told.correction})
				}
				last := &want[len(want)-1]
				site, last.Changes = r.Site, append(last.Changes, r)
			}
		}
		for _, size := range []int{4, 1000} {
			var got []NewsEntry
			for more := true; more; {
				found, err := c.News(t.Context(), News{ChangeSelection: f.selection(), Offset: len(got), Limit: size})
				if err != nil || len(found.Entries) == 0 {
					t.Fatalf("%+v, after %d entries: %+v, %v", f, len(got), found, err)
				}
				got, more = append(got, found.Entries...), found.Truncated
			}
			if d := diff.Diff(want, got); d != "" {
				t.Errorf("%+v, pages of %d (-want +got):\n%s", f, size, d)
			}
		}
	}
}
