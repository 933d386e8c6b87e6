package web

import (
	"context"
	"slices"

	"relais/api"
	"relais/archive"
	"relais/catalog"
	"relais/index"
	"relais/ingest/anfr"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// addTrends adds the charts of emissions over the archived editions.
func (p *Pages) addTrends(ctx context.Context, env *api.Env, w words, m *index.Market, page *statsPage) error {
	if !slices.Contains(archive.Markets, m.Table.Code) || env.Archives == nil || env.Usable(catalog.Archives) != nil {
		return nil
	}
	sum, err := p.trends.Make(ctx, env.Archives.Version(), func(ctx context.Context) (*archive.Census, error) {
		return env.Archives.Census(ctx, trendGroups, trendGrouper())
	})
	if err != nil {
		return err
	}
	page.Editions = len(sum.Dates)
	if page.Editions < 2 {
		return nil
	}
	for _, g := range shownGenerations {
		var series []chartSeries
		for i, o := range m.Table.Operators {
			s := chartSeries{Key: o.Key, Label: o.Label}
			for _, rows := range sum.Rows {
				s.Values = append(s.Values, rows[trendNumber(m.Table.Code, i, g)])
			}
			if slices.Max(s.Values) > 0 {
				series = append(series, s)
			}
		}
		if len(series) > 0 {
			page.Charts = append(page.Charts, newLineChart(w, w.Fill("emissionsOf", g.String()), sum.Dates, series))
		}
	}
	return nil
}

// mostOperators is more than any market has.
const mostOperators = 16

// trendGroups is how many groups of rows are counted: by market, operator and generation.
var trendGroups = len(archive.Markets) * mostOperators * site.Generations

func trendNumber(code market.Code, operator int, g site.Generation) int {
	return (slices.Index(archive.Markets, code)*mostOperators+operator)*site.Generations + int(g)
}

// project is the status of what is not on air yet.
const project = "Projet approuvé"

// A trendText is what the group of a row follows from.
type trendText struct{ department, insee, operator, generation, status string }

// mostTrendTexts bounds the texts that a trendGrouper remembers: a file could have others in each row.
const mostTrendTexts = 1 << 16

// trendGrouper returns a function that returns the group of a row that is more than a project. It
// reads each text once.
func trendGrouper() func(*archive.Row) int {
	known := map[trendText]int{}
	return func(r *archive.Row) int {
		text := trendText{r.Department, "", r.Operator, r.Generation, r.Status}
		if r.Department == "" { // else the department does not follow from it
			text.insee = r.Insee
		}
		group, ok := known[text]
		if !ok {
			group = text.group()
			if len(known) < mostTrendTexts {
				known[text] = group
			}
		}
		return group
	}
}

func (t *trendText) group() int {
	code, _, ok := anfr.AreaOf(t.department, t.insee)
	if !ok || fold.Equal(t.status, project) {
		return archive.NoGroup
	}
	operator, ok := anfr.OperatorOf(market.Get(code), t.operator)
	var g site.Generation
	if !ok || operator >= mostOperators || g.UnmarshalText([]byte(t.generation)) != nil {
		return archive.NoGroup
	}
	return trendNumber(code, operator, g)
}
