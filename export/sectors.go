package export

import (
	"iter"
	"slices"
	"strconv"

	"relais/site"
)

// A sectorRow is a sector: an azimuth of an operator at a site.
type sectorRow struct {
	siteRow
	id       string
	operator int
	azimuth  uint16
}

// SectorTable returns a table with a row for each sector of the sites: for each operator and each azimuth of
// its emissions that are shown. Their geometry is a wedge.
func (r *Register) SectorTable() *Table {
	t := NewTable(sectorColumns, r.sectorRows())
	t.Wedge = true
	return t
}

func (r *Register) sectorRows() iter.Seq[*sectorRow] {
	return func(yield func(*sectorRow) bool) {
		row := &sectorRow{}
		for s := range r.rows() {
			row.siteRow = *s
			for operator, o := range s.common.table.Operators {
				for _, azimuth := range s.azimuthsOf(operator) {
					row.operator, row.azimuth = operator, azimuth
					row.id = s.key + "-" + o.Key + "-" + strconv.Itoa(int(azimuth))
					if !yield(row) {
						return
					}
				}
			}
		}
	}
}

// sectorColumns are the columns of sectors. The azimuth is the last one.
var sectorColumns = slices.Concat([]Column[sectorRow]{
	{"id", Text, func(r *sectorRow, v *Value) { v.Text = r.id }},
	{"siteKey", Text, func(r *sectorRow, v *Value) { v.Text = r.key }},
	{"market", Text, func(r *sectorRow, v *Value) { v.Text = string(r.common.table.Code) }},
	{"lat", Number, func(r *sectorRow, v *Value) { v.Number = r.site.Position.Lat }},
	{"lng", Number, func(r *sectorRow, v *Value) { v.Number = r.site.Position.Lng }},
	{"operator", Text, func(r *sectorRow, v *Value) { v.Text = r.common.table.Operators[r.operator].Key }},
	{"technologies", Texts, (*sectorRow).technologies},
	{"sourceLabel", Text, func(r *sectorRow, v *Value) { v.Text = r.common.Source.Source }},
	{"azimutFrom", Text, func(r *sectorRow, v *Value) {
		_, origin := r.site.Azimuths(r.selectsSector)
		v.Text = origin.String()
	}},
	{"azimut", Whole, func(r *sectorRow, v *Value) { v.Whole = int64(r.azimuth) }},
})

// selectsSector reports whether an emission that is shown has the sector.
func (r *sectorRow) selectsSector(e *site.Emission) bool {
	return r.site.Stations[e.Station].Operator == r.operator && slices.Contains(e.Azimuths, r.azimuth) && r.selects(e)
}

// technologies lists the systems that have the sector.
func (r *sectorRow) technologies(v *Value) {
	var systems []int
	for i := range r.site.Emissions {
		if e := &r.site.Emissions[i]; r.selectsSector(e) {
			systems = append(systems, e.Order)
		}
	}
	slices.Sort(systems)
	for _, i := range slices.Compact(systems) {
		v.Texts = append(v.Texts, r.common.snap.Systems[i])
	}
}
