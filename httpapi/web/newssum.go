package web

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"relais/api"
	"relais/archive/change"
	"relais/catalog"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// newsCounts are numbers of changes by kind.
type newsCounts [change.Kinds]int

// A newsTable is the changes by operator, technology or area.
type newsTable struct {
	Title, Head string // names of texts; Head is that of the filter too
	Folded      bool
	Kinds       []string // the columns
	Rows        []newsRow
	Sum         newsRow
}

// A newsRow is the changes of an operator, a technology or an area.
type newsRow struct {
	Value  string // of its filter, "" if the register does not state it
	Label  string
	Note   string // of an area, its code
	Counts []int  // by column
	Total  int
	// Percent is the length of the bar, of the longest.
	Percent int
}

// A newsSite is a site that an edition changed.
type newsSite struct {
	newsKey
	Commune, Area string
	Counts        newsCounts
}

// A newsKey names the changes of a site by an edition.
type newsKey struct {
	Date site.Date
	Site string
}

// A newsSum is the changes of a question. It is shared.
type newsSum struct {
	Sum     newsCounts
	Changed int // sites
	Sites   []newsSite
	ByKind  [change.Kinds][]int // positions in Sites
	Tables  []newsTable
}

// mostNewsSites bounds the sites of a newsSum that are listed.
const mostNewsSites = 20000

// sum asks for changes and adds them up.
func (p news) sum(ctx context.Context, env *api.Env, q catalog.Changes) (*catalog.ChangesFound, *newsSum, error) {
	found, err := env.Changes(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	name := strings.Join([]string{found.Version, string(q.Market.Code), found.Span.From.Date.String(),
		found.Span.To.Date.String(), newsQuery(&q.ChangeSelection).Encode()}, " ")
	sum, err := p.sums.news.Make(ctx, name, func(context.Context) (*newsSum, error) { return sumNews(found), nil })
	return found, sum, err
}

// sumNews adds up changes.
func sumNews(found *catalog.ChangesFound) *newsSum {
	t := newsTally{market: found.Market, loaded: found.Register, operators: map[string]*newsCounts{},
		systems: map[string]*newsCounts{}, areas: map[string]*newsCounts{}, seen: map[string]bool{}}
	for edition, c := range found.Rows {
		t.add(edition.Date, &c)
	}
	t.endSite()
	return t.done()
}

// A newsTally adds up changes, those of a site by an edition after another.
type newsTally struct {
	market                    *market.Market
	loaded                    *index.Market // nil for none
	sum                       newsSum
	operators, systems, areas map[string]*newsCounts
	seen                      map[string]bool // sites
	site                      newsSite        // whose changes are being added
}

func (t *newsTally) add(date site.Date, c *change.Record) {
	if key := (newsKey{date, c.Site}); key != t.site.newsKey {
		t.endSite()
		t.site = newsSite{newsKey: key, Area: c.Area}
	}
	t.sum.Sum[c.Kind]++
	t.site.Counts[c.Kind]++
	countOf(t.areas, c.Area)[c.Kind]++
	if c.Operator != "" {
		countOf(t.operators, c.Operator)[c.Kind]++
	}
	switch c.Kind {
	case change.SystemAdded, change.SystemRemoved, change.StatusChanged:
		countOf(t.systems, c.Technology)[c.Kind]++
	}
}

func countOf(counts map[string]*newsCounts, name string) *newsCounts {
	c := counts[name]
	if c == nil {
		c = &newsCounts{}
		counts[name] = c
	}
	return c
}

// endSite adds the site whose changes have been added.
func (t *newsTally) endSite() {
	if t.site.Site == "" {
		return
	}
	t.seen[t.site.Site] = true
	if len(t.sum.Sites) == mostNewsSites {
		return
	}
	t.site.Commune, _ = communeAndLink(t.loaded, t.site.Site)
	t.sum.Sites = append(t.sum.Sites, t.site)
}

// done returns the sum. The newest edition comes first, and its sites in the order of their places.
func (t *newsTally) done() *newsSum {
	sum := &t.sum
	sum.Changed = len(t.seen)
	sum.Tables = []newsTable{newNewsTable("byOperator", "operator", t.operators),
		newNewsTable("byTechnology", "technology", t.systems)}
	sum.Tables[1].Folded = true
	for i := range sum.Tables[0].Rows {
		row := &sum.Tables[0].Rows[i]
		row.Label = market.Label(t.market.Code, row.Value)
	}
	if t.market.AreaType != "" {
		sum.Tables = append(sum.Tables, t.areaTable())
	}
	slices.SortStableFunc(sum.Sites, func(a, b newsSite) int {
		return cmp.Or(cmp.Compare(b.Date, a.Date), strings.Compare(a.Area, b.Area), fold.Compare(a.Commune, b.Commune))
	})
	for i := range sum.Sites {
		for k, n := range sum.Sites[i].Counts {
			if n > 0 {
				sum.ByKind[k] = append(sum.ByKind[k], i)
			}
		}
	}
	return sum
}

// areaTable returns the changes by area, in the order of their codes.
func (t *newsTally) areaTable() newsTable {
	table := newNewsTable("by."+t.market.AreaType, t.market.AreaType, t.areas)
	table.Folded = true
	slices.SortFunc(table.Rows, func(a, b newsRow) int { return strings.Compare(a.Value, b.Value) })
	for i := range table.Rows {
		row := &table.Rows[i]
		if at, ok := t.market.Area(row.Value); ok {
			row.Label, row.Note = t.market.Areas[at].Label, "("+row.Value+")"
		}
	}
	return table
}

// newNewsTable returns a table with the most changes first. Its columns are the kinds that occur.
func newNewsTable(title, head string, counts map[string]*newsCounts) newsTable {
	table, all := newsTable{Title: title, Head: head}, newsCounts{}
	most := 1
	for _, c := range counts {
		total := 0
		for k, n := range c {
			all[k] += n
			total += n
		}
		most = max(most, total)
	}
	for k, n := range all {
		if n > 0 {
			table.Kinds = append(table.Kinds, change.Kind(k).String())
		}
	}
	row := func(label string, c *newsCounts) newsRow {
		r := newsRow{Value: label, Label: label}
		for k, n := range c {
			if r.Total += n; all[k] > 0 {
				r.Counts = append(r.Counts, n)
			}
		}
		r.Percent = 100 * r.Total / most
		return r
	}
	for label, c := range counts {
		table.Rows = append(table.Rows, row(label, c))
	}
	table.Sum = row("", &all)
	slices.SortFunc(table.Rows, func(a, b newsRow) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Label, b.Label))
	})
	return table
}
