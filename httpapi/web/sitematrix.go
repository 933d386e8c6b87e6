package web

import (
	"cmp"
	"slices"
	"strings"

	"relais/market"
	"relais/site"
)

// shapeSigns are the shapes of operators' marks as characters.
var shapeSigns = map[string]string{"circle": "●", "square": "■", "triangle": "▲", "diamond": "◆", "pentagon": "⬟",
	"hexagon": "⬢", "star": "★", "cross": "✚"}

// A siteMatrix says which systems each operator of a site has: a row for each system, a column for each operator.
type siteMatrix []matrixGroup

// A matrixGroup is the systems of a generation, which is "" if the register does not state it.
type matrixGroup struct {
	Generation string
	Rows       []matrixRow
}

type matrixRow struct {
	System string // "" if the register does not state it
	Cells  []matrixCell
}

// A matrixCell is a system of an operator. Its Sign is "" if the operator does not have it.
type matrixCell struct {
	Operator, Sign string
	Planned        bool
	Title          string // statuses and dates
}

// newSiteMatrix returns the systems of operators, the newest generation first.
func newSiteMatrix(w words, operators []siteOperator) (m siteMatrix) {
	for column, o := range operators {
		for _, e := range o.Emissions {
			cell := &m.row(e.Generation, e.System, len(operators)).Cells[column]
			cell.Operator = o.Key
			if cell.Planned = e.Planned && cell.Sign != "●"; cell.Planned {
				cell.Sign = "○"
			} else {
				cell.Sign = "●"
			}
			if text := w.emission(&e); text != "" && !strings.Contains(cell.Title, text) {
				cell.Title = strings.TrimPrefix(cell.Title+" · "+text, " · ")
			}
		}
	}
	slices.SortFunc(m, func(a, b matrixGroup) int { return cmp.Compare(b.Generation, a.Generation) })
	for _, g := range m {
		slices.SortFunc(g.Rows, func(a, b matrixRow) int { return site.CompareSystems(a.System, b.System) })
	}
	return m
}

// row returns the row of a system, with so many cells.
func (m *siteMatrix) row(generation, system string, cells int) *matrixRow {
	at := slices.IndexFunc(*m, func(g matrixGroup) bool { return g.Generation == generation })
	if at < 0 {
		at, *m = len(*m), append(*m, matrixGroup{Generation: generation})
	}
	g := &(*m)[at]
	i := slices.IndexFunc(g.Rows, func(r matrixRow) bool { return r.System == system })
	if i < 0 {
		i, g.Rows = len(g.Rows), append(g.Rows, matrixRow{system, make([]matrixCell, cells)})
	}
	return &g.Rows[i]
}

// emission writes the status and the date of a system.
func (w words) emission(e *siteEmission) string {
	text := cmp.Or(e.Meaning, e.Status)
	if e.Date != "" {
		text = strings.TrimPrefix(text+", "+w.Date(e.Date), ", ")
	}
	return text
}

// setBest sets the newest generation of an operator, and the one that it plans if that is newer.
func (o *siteOperator) setBest(m *market.Market) {
	for _, e := range o.Emissions {
		if e.Planned {
			o.Next = max(o.Next, e.Generation)
		} else {
			o.Best = max(o.Best, e.Generation)
		}
	}
	if o.Next <= o.Best {
		o.Next = ""
	}
	if i, ok := m.Operator(o.Key); ok {
		o.Sign = shapeSigns[m.Operators[i].Shape]
	}
}
