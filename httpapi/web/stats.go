package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"relais/index"
	"relais/market"
	"relais/site"
)

const statsPath = "/stats"

// A statsPage is the data of stats.html.
type statsPage struct {
	Market     market.Code
	Markets    []choice
	Operators  []choice
	Shows      []choice
	Show       string // what the map shows, by its name in statsShows
	Operator   string // label, "" for all
	AreaType   string // department, province or ""
	Map        *drawnMap
	Areas      []areaRow
	AreaSum    index.Counts
	Statuses   bool // the register states them
	Sorts      []choice
	Sorted     bool // the address states an order, so that the table is wanted
	Elsewhere  int  // sites whose area the register does not state
	Nets       []netRow
	Outages    *statsOutages // nil without a list
	Charts     []*lineChart
	Editions   int
	Date       string // of the data, YYYY-MM-DD
	Authority  string
	Source     string
	Synthetic  bool
	NewsLink   string // "" without editions
	Generation []string
	lang       string // that the address states, or ""
}

// An areaRow is the numbers of an area.
type areaRow struct {
	Code, Label string
	index.Counts
}

// Columns returns the numbers of an area in the order of the table.
func (s *statsPage) Columns(c index.Counts) []int {
	if s.Statuses {
		return []int{c.Total, c.InService, c.Operational, c.Projects, c.FiveG, c.FourG, c.ThreeG}
	}
	return []int{c.Total, c.FiveG, c.FourG, c.ThreeG}
}

// A netRow is the number of sites of an operator by generation. The label is "" for all operators.
type netRow struct {
	Label string
	Total int
	ByGen []int // in the order of shownGenerations
}

// shownGenerations are those of the tables, newest first.
var shownGenerations = []site.Generation{site.G5, site.G4, site.G3, site.G2}

// areaSorts are the orders of the table of areas.
var areaSorts = []string{"code", "sites"}

// A statsShow is what the map can show.
type statsShow struct {
	name string
	of   func(index.Counts) int
}

var statsShows = []statsShow{
	{"sites", func(c index.Counts) int { return c.Total }},
	{"5g", func(c index.Counts) int { return c.FiveG }},
	{"4g", func(c index.Counts) int { return c.FourG }},
	{"3g", func(c index.Counts) int { return c.ThreeG }},
}

// stats answers the page of statistics.
func (p *Pages) stats(w http.ResponseWriter, r *http.Request) {
	env, q := p.Env(), r.URL.Query()
	shown := slices.DeleteFunc(shownMarkets(env), func(m *index.Market) bool { return m.Len() == 0 })
	if len(shown) == 0 {
		p.fail(w, r, http.StatusServiceUnavailable)
		return
	}
	loaded := shown[0]
	if code := q.Get("market"); code != "" {
		at := slices.IndexFunc(shown, func(m *index.Market) bool { return string(m.Table.Code) == code })
		if at < 0 {
			p.failWith(w, r, http.StatusNotFound, wordsFor(r).noRegister(code))
			return
		}
		loaded = shown[at]
	}
	page := p.newStatsPage(r, shown, loaded)
	if page == nil {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	if err := cmp.Or(p.addOutages(r.Context(), env, wordsFor(r), loaded, page),
		p.addTrends(r.Context(), env, wordsFor(r), loaded, page)); err != nil {
		p.failFigures(w, r, err)
		return
	}
	if all, err := editionsOf(env); err == nil {
		page.NewsLink = all.newsLink(loaded.Table.Code, page.lang)
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	p.render(w, r, http.StatusOK, "stats.html", page)
}

// newStatsPage returns the page of a market, nil for a question that it cannot answer.
func (p *Pages) newStatsPage(r *http.Request, shown []*index.Market, m *index.Market) *statsPage {
	w, q, t := wordsFor(r), r.URL.Query(), m.Table
	register := t.Attribution(m.Snap.Registers)
	page := &statsPage{lang: statedLanguage(r), Market: t.Code, AreaType: t.AreaType, Date: m.Snap.SourceDate,
		Authority: register.Authority, Source: register.Source, Synthetic: m.Snap.Synthetic}
	operator := index.Any
	if key := q.Get("operator"); key != "" {
		at, ok := t.Operator(key)
		if !ok {
			return nil
		}
		operator, page.Operator = at, t.Operators[at].Label
	}
	show := slices.IndexFunc(statsShows, func(s statsShow) bool { return s.name == cmp.Or(q.Get("show"), "sites") })
	sorts := slices.Index(areaSorts, cmp.Or(q.Get("sort"), "code"))
	if show < 0 || sorts < 0 {
		return nil
	}
	page.Show, page.Sorted = statsShows[show].name, q.Get("sort") != ""
	page.addChoices(w, q, statedLanguage(r), shown, t)
	page.addAreas(w, m, operator, show, areaSorts[sorts] == "sites")
	page.Nets = p.netsOf(r.Context(), m)
	for _, g := range shownGenerations {
		page.Generation = append(page.Generation, g.String())
	}
	return page
}

// addChoices adds the links to other markets, operators, numbers and orders.
func (s *statsPage) addChoices(w words, q url.Values, lang string, shown []*index.Market, t *market.Market) {
	link := func(code market.Code, operator, show, sort string) string {
		return figureLink(statsPath, "market", string(code), "operator", operator, "show", show, "sort", sort,
			"lang", lang)
	}
	operator, show, sort := q.Get("operator"), q.Get("show"), q.Get("sort")
	for _, m := range shown {
		s.Markets = append(s.Markets, choice{w.Market(m.Table.Code), link(m.Table.Code, "", show, sort), m.Table == t})
	}
	s.Operators = []choice{{w["allOperators"], link(t.Code, "", show, sort), operator == ""}}
	for _, o := range t.Operators {
		s.Operators = append(s.Operators, choice{o.Label, link(t.Code, o.Key, show, sort), operator == o.Key})
	}
	for i, of := range statsShows {
		name := of.name
		if i == 0 {
			name = ""
		}
		s.Shows = append(s.Shows, choice{w["show."+of.name], link(t.Code, operator, name, sort), s.Show == of.name})
	}
	for _, by := range areaSorts {
		s.Sorts = append(s.Sorts, choice{w["by."+by], link(t.Code, operator, show, by) + "#areas",
			by == cmp.Or(sort, "code")})
	}
}

// addAreas adds the map and the table of areas.
func (s *statsPage) addAreas(w words, m *index.Market, operator, show int, bySites bool) {
	if len(m.Table.Areas) == 0 {
		return
	}
	counts := m.Departments(operator)
	numbers := make([]int, len(counts))
	for i, c := range counts {
		numbers[i] = statsShows[show].of(c)
		s.Areas = append(s.Areas, areaRow{m.Table.Areas[i].Code, m.Table.Areas[i].Label, c})
		s.AreaSum.Total += c.Total
		s.AreaSum.InService += c.InService
		s.AreaSum.Operational += c.Operational
		s.AreaSum.Projects += c.Projects
		s.AreaSum.FiveG += c.FiveG
		s.AreaSum.FourG += c.FourG
		s.AreaSum.ThreeG += c.ThreeG
	}
	s.Statuses = len(m.Table.Statuses) > 0
	f := index.All
	f.Operator = operator
	s.Elsewhere = m.Find(index.Query{Filter: f}, 0, 0).Total - s.AreaSum.Total
	s.Map = drawAreas(w, m.Table, numbers)
	if bySites {
		slices.SortStableFunc(s.Areas, func(a, b areaRow) int {
			of := statsShows[show].of
			return cmp.Or(cmp.Compare(of(b.Counts), of(a.Counts)), strings.Compare(a.Code, b.Code))
		})
	}
}

// newNetRow counts the sites of an operator.
func newNetRow(m *index.Market, label string, operator int) netRow {
	f := index.All
	f.Operator = operator
	row := netRow{Label: label, Total: m.Find(index.Query{Filter: f}, 0, 0).Total}
	for _, g := range shownGenerations {
		f.Generation = int(g)
		row.ByGen = append(row.ByGen, m.Find(index.Query{Filter: f}, 0, 0).Total)
	}
	return row
}

// netsOf returns the number of sites by generation, of all operators together and of each.
func (p *Pages) netsOf(ctx context.Context, m *index.Market) []netRow {
	rows, err := p.nets.Make(ctx, string(m.Table.Code)+" "+m.Snap.Version, func(context.Context) ([]netRow, error) {
		rows := []netRow{newNetRow(m, "", index.Any)}
		for i, o := range m.Table.Operators {
			rows = append(rows, newNetRow(m, o.Label, i))
		}
		return rows, nil
	})
	if err != nil { // the reader has gone away
		return nil
	}
	return rows
}
