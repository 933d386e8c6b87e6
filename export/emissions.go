package export

import (
	"iter"
	"slices"

	"relais/site"
)

// An emissionRow is one emission: a system of an operator at a site.
type emissionRow struct {
	siteRow
	emission *site.Emission
	station  *site.Station
}

// EmissionTable returns a table with a row for each emission, site by site, those of one site in the order of
// operators, then as in the register.
func (r *Register) EmissionTable() *Table { return NewTable(emissionColumns, r.emissionRows()) }

func (r *Register) emissionRows() iter.Seq[*emissionRow] {
	return func(yield func(*emissionRow) bool) {
		row := &emissionRow{}
		for s := range r.rows() {
			row.siteRow = *s
			for operator := range s.common.table.Operators {
				for i := range s.site.Emissions {
					row.emission = &s.site.Emissions[i]
					row.station = &s.site.Stations[row.emission.Station]
					if row.station.Operator == operator && s.selects(row.emission) && !yield(row) {
						return
					}
				}
			}
		}
	}
}

// selects reports whether an emission of the site is shown.
func (r *siteRow) selects(e *site.Emission) bool {
	return r.common.Filter == nil || r.common.Filter.Selects(&r.site, e)
}

// emissionColumns are the columns of emissions.
var emissionColumns = slices.Concat(ofSite(placeColumns), []Column[emissionRow]{
	{"operator", Text, func(r *emissionRow, v *Value) { v.Text = r.common.table.Operators[r.station.Operator].Key }},
	{"station", Text, func(r *emissionRow, v *Value) { v.SetText(r.station.Code) }},
	{"operatorSiteId", Text, func(r *emissionRow, v *Value) { v.SetText(r.station.OperatorSiteID) }},
	{"technology", Text, func(r *emissionRow, v *Value) { v.SetText(r.emission.System) }},
	{"band", Whole, func(r *emissionRow, v *Value) { v.SetWhole(r.common.bands[r.emission.Order]) }},
	{"generation", Text, func(r *emissionRow, v *Value) { v.SetText(r.emission.Generation.String()) }},
	{"status", Text, func(r *emissionRow, v *Value) {
		if v.SetText(""); r.emission.Status >= 0 {
			v.SetText(r.common.snap.Statuses[r.emission.Status])
		}
	}},
	{"date", Date, func(r *emissionRow, v *Value) { v.SetDate(r.emission.On) }},
	{"azimuts", Wholes, func(r *emissionRow, v *Value) {
		v.Wholes = appendDegrees(v.Wholes, r.emission.Azimuths)
		v.Null = len(v.Wholes) == 0
	}},
	{"azimutFrom", Text, func(r *emissionRow, v *Value) { v.SetText(r.emission.Origin.String()) }},
	{"sourceLabel", Text, func(r *emissionRow, v *Value) { v.Text = r.common.Source.Source }},
})

// ofSite returns columns of sites as columns of emissions.
func ofSite(columns []Column[siteRow]) (list []Column[emissionRow]) {
	for _, c := range columns {
		list = append(list, Column[emissionRow]{c.Name, c.Type, func(r *emissionRow, v *Value) { c.Get(&r.siteRow, v) }})
	}
	return list
}
