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
	"relais/market"
	"relais/site"
)

// weekCounts are numbers of changes by kind.
type weekCounts [change.Kinds]int

// A weekTable is the changes of an edition by operator, technology or area.
type weekTable struct {
	Title, Head string // names of texts
	Folded      bool
	Kinds       []string // the columns
	Rows        []weekRow
	Sum         weekRow
}

// A weekRow is the changes of an operator, a technology or an area.
type weekRow struct {
	Label  string // "" if the register does not state it
	Note   string // of the same, such as the name of a department
	Counts []int  // by column
	Total  int
	// Percent is the length of the bar, of the longest.
	Percent int
}

// A weekSite is a site that an edition changed.
type weekSite struct {
	ID, Commune, Area, Link string
	Counts                  weekCounts
	Operators               string
}

// A weekSum is the changes of an edition of a market. It is shared.
type weekSum struct {
	Sum     weekCounts
	Changed int // sites
	Sites   []weekSite
	ByKind  [change.Kinds][]int // positions in Sites
	Places  bool                // some of Sites have a commune or an area
	Tables  []weekTable
}

// mostWeekSites bounds the sites of a weekSum that are listed.
const mostWeekSites = 20000

// sumWeek adds up the changes of an edition since the one before it.
func sumWeek(ctx context.Context, env *api.Env, code market.Code, from, to site.Date) (*weekSum, error) {
	q := catalog.Changes{Since: from, Until: to, Limit: -1}
	q.Market = market.Get(code)
	found, err := env.Changes(ctx, q)
	if err != nil {
		return nil, err
	}
	t := weekTally{market: q.Market, loaded: found.Register, operators: map[string]*weekCounts{},
		systems: map[string]*weekCounts{}, areas: map[string]*weekCounts{}}
	for _, c := range found.Rows {
		t.add(&c)
	}
	t.endSite()
	return t.done(), nil
}

// A weekTally adds up changes, those of a site after another.
type weekTally struct {
	market                    *market.Market
	loaded                    *index.Market // nil for none
	sum                       weekSum
	operators, systems, areas map[string]*weekCounts
	site                      weekSite // whose changes are being added
	names                     []string // of its operators
}

func (t *weekTally) add(c *change.Record) {
	if c.Site != t.site.ID {
		t.endSite()
		t.site, t.names = weekSite{ID: c.Site, Area: c.Area}, t.names[:0]
	}
	t.sum.Sum[c.Kind]++
	t.site.Counts[c.Kind]++
	countOf(t.areas, c.Area)[c.Kind]++
	if c.Operator != "" {
		label := market.Label(t.market.Code, c.Operator)
		countOf(t.operators, label)[c.Kind]++
		if !slices.Contains(t.names, label) {
			t.names = append(t.names, label)
		}
	}
	switch c.Kind {
	case change.SystemAdded, change.SystemRemoved, change.StatusChanged:
		countOf(t.systems, c.Technology)[c.Kind]++
	}
}

func countOf(counts map[string]*weekCounts, name string) *weekCounts {
	c := counts[name]
	if c == nil {
		c = &weekCounts{}
		counts[name] = c
	}
	return c
}

// endSite adds the site whose changes have been added.
func (t *weekTally) endSite() {
	if t.site.ID == "" {
		return
	}
	if t.sum.Changed++; len(t.sum.Sites) == mostWeekSites {
		return
	}
	t.site.Commune, t.site.Link = communeAndLink(t.loaded, t.site.ID)
	slices.Sort(t.names)
	t.site.Operators = strings.Join(t.names, ", ")
	t.sum.Sites = append(t.sum.Sites, t.site)
	t.sum.Places = t.sum.Places || t.site.Commune != "" || t.site.Area != ""
}

// done returns the sum.
func (t *weekTally) done() *weekSum {
	sum := &t.sum
	sum.Tables = []weekTable{newWeekTable("byOperator", "operator", t.operators),
		newWeekTable("byTechnology", "weekTechnology", t.systems)}
	if t.market.AreaType != "" {
		sum.Tables = append(sum.Tables, t.areaTable())
	}
	slices.SortStableFunc(sum.Sites, func(a, b weekSite) int {
		return cmp.Or(strings.Compare(a.Area, b.Area), strings.Compare(a.Commune, b.Commune))
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
func (t *weekTally) areaTable() weekTable {
	table := newWeekTable("by."+t.market.AreaType, t.market.AreaType, t.areas)
	table.Folded = len(table.Rows) > 12
	slices.SortFunc(table.Rows, func(a, b weekRow) int { return strings.Compare(a.Label, b.Label) })
	for i := range table.Rows {
		if at, ok := t.market.Area(table.Rows[i].Label); ok {
			table.Rows[i].Note = t.market.Areas[at].Label
		}
	}
	return table
}

// newWeekTable returns a table with the most changes first. Its columns are the kinds that occur.
func newWeekTable(title, head string, counts map[string]*weekCounts) weekTable {
	table, all := weekTable{Title: title, Head: head}, weekCounts{}
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
	row := func(label string, c *weekCounts) weekRow {
		r := weekRow{Label: label}
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
	slices.SortFunc(table.Rows, func(a, b weekRow) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Label, b.Label))
	})
	return table
}

// Changes writes numbers of changes.
func (w words) Changes(c weekCounts) string {
	var parts []string
	for k, n := range c {
		if n > 0 {
			parts = append(parts, w.Count("change."+change.Kind(k).String(), n))
		}
	}
	return strings.Join(parts, ", ")
}
