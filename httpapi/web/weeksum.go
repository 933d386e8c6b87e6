package web

import (
	"cmp"
	"slices"
	"strings"

	"relais/api"
	"relais/archive"
	"relais/archive/column"
	"relais/ingest/anfr"
	"relais/market"
)

// weekKinds are the kinds of changes in the order of weekCounts, by the words of the API.
var weekKinds = []string{"new", "added", "activated", "deleted"}

// weekCounts are numbers of emissions by kind of change.
type weekCounts [4]int

// Total returns the number of all changes.
func (c weekCounts) Total() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

func (c *weekCounts) add(o weekCounts) {
	for k, n := range o {
		c[k] += n
	}
}

// A weekRow is the changes of an operator, a technology or a department.
type weekRow struct {
	Label  string
	Note   string // of the same, such as the name of a department
	Counts weekCounts
	// Percent is the length of the bar, of the longest.
	Percent int
}

// A weekSite is a site that an edition changed.
type weekSite struct {
	ID, Commune, Department, Link string
	Counts                        weekCounts
	Operators                     string
}

// A weekSum is what an edition changed in a market. It is shared.
type weekSum struct {
	Sum                             weekCounts
	Changed, NewSites               int // sites; new are those that the edition before did not have
	Sites                           []weekSite
	ByKind                          [4][]int // positions in Sites
	Operators, Systems, Departments []weekRow
}

// mostWeekSites bounds the sites of a weekSum that are listed.
const mostWeekSites = 20000

// sumWeek adds up the changes of an edition.
func sumWeek(env *api.Env, code market.Code, date string) (*weekSum, error) {
	found, err := env.Archives.Changes(date)
	if err != nil {
		return nil, err
	}
	t := weekTally{env: env, market: market.Get(code), operators: map[string]weekCounts{},
		systems: map[string]weekCounts{}, departments: map[string]weekCounts{}}
	for s, err := range found.All() {
		if err != nil {
			return nil, err
		}
		t.add(s)
	}
	return t.done(), nil
}

// A weekTally adds up the changes of the sites of a market.
type weekTally struct {
	env                             *api.Env
	market                          *market.Market
	sum                             weekSum
	operators, systems, departments map[string]weekCounts
}

// add adds a site, if it has changes in the market.
func (t *weekTally) add(s *archive.Site) {
	entry, area := weekSite{ID: s.ID}, -1
	var names []string
	for i := range s.Records {
		v := &s.Records[i].Values
		insee := cmp.Or(v[column.Insee], v[column.Insee2])
		code, at, ok := anfr.AreaOf(v[column.Department], insee)
		kind := slices.Index(weekKinds, s.Records[i].Kind.Type())
		if !ok || code != t.market.Code || kind < 0 {
			continue
		}
		var one weekCounts
		one[kind] = 1
		area = at
		entry.Counts.add(one)
		name := operatorLabel(t.market, v[column.Operator])
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		addTo(t.operators, name, one)
		addTo(t.systems, v[column.System], one)
		entry.Commune = t.env.CommuneName(insee)
	}
	if area < 0 {
		return
	}
	entry.Department = t.market.Areas[area].Code
	addTo(t.departments, entry.Department, entry.Counts)
	t.sum.Sum.add(entry.Counts)
	t.sum.Changed++
	if entry.Counts[0] > 0 {
		t.sum.NewSites++
	}
	if len(t.sum.Sites) < mostWeekSites {
		slices.Sort(names)
		entry.Link, entry.Operators = siteLink(t.env, t.market.Code, s.ID), strings.Join(names, ", ")
		t.sum.Sites = append(t.sum.Sites, entry)
	}
}

// done returns the sum.
func (t *weekTally) done() *weekSum {
	sum := &t.sum
	sum.Operators, sum.Systems, sum.Departments = weekRows(t.operators), weekRows(t.systems), weekRows(t.departments)
	slices.SortFunc(sum.Departments, func(a, b weekRow) int { return strings.Compare(a.Label, b.Label) })
	for i := range sum.Departments {
		if at, ok := t.market.Area(sum.Departments[i].Label); ok {
			sum.Departments[i].Note = t.market.Areas[at].Label
		}
	}
	slices.SortStableFunc(sum.Sites, func(a, b weekSite) int {
		return cmp.Or(strings.Compare(a.Department, b.Department), strings.Compare(a.Commune, b.Commune))
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

// operatorLabel returns the usual name of an operator, or the published one of an operator that the
// market does not serve.
func operatorLabel(m *market.Market, published string) string {
	if i, ok := anfr.OperatorOf(m, published); ok {
		return m.Operators[i].Label
	}
	return strings.Clone(published)
}

func addTo(counts map[string]weekCounts, name string, c weekCounts) {
	sum, ok := counts[name]
	if !ok {
		name = strings.Clone(name) // the text of the archive's block would stay in memory
	}
	sum.add(c)
	counts[name] = sum
}

// weekRows returns rows with the most changes first.
func weekRows(counts map[string]weekCounts) (rows []weekRow) {
	most := 1
	for name, c := range counts {
		rows = append(rows, weekRow{Label: name, Counts: c})
		most = max(most, c.Total())
	}
	for i := range rows {
		rows[i].Percent = 100 * rows[i].Counts.Total() / most
	}
	slices.SortFunc(rows, func(a, b weekRow) int {
		return cmp.Or(cmp.Compare(b.Counts.Total(), a.Counts.Total()), strings.Compare(a.Label, b.Label))
	})
	return rows
}

// Changes writes numbers of changes.
func (w words) Changes(c weekCounts) string {
	var parts []string
	for k, n := range c {
		if n > 0 {
			parts = append(parts, w.Count("change."+weekKinds[k], n))
		}
	}
	return strings.Join(parts, ", ")
}
