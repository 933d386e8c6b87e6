package export

import (
	"iter"
	"slices"
	"strconv"
)

// A sectorRow is a sector: an azimuth of an operator at a site.
type sectorRow struct {
	siteRow
	id       string
	operator int // noOperator where it is not stated
	azimuth  uint16
}

// SectorTable returns a table with a row for each sector of the sites: for each operator and each azimuth of
// its emissions that are shown, and for azimuths whose operator is not stated. Their geometry is a wedge.
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
			for operator := noOperator; operator < len(s.common.table.Operators); operator++ {
				for _, azimuth := range s.azimuthsOf(operator) {
					row.operator, row.azimuth = operator, azimuth
					row.id = s.key + "-" + strconv.Itoa(int(azimuth))
					if operator != noOperator {
						row.id = s.key + "-" + s.common.table.Operators[operator].Key + "-" + strconv.Itoa(int(azimuth))
					}
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
	{"operator", Text, func(r *sectorRow, v *Value) {
		if v.Null = r.operator == noOperator; !v.Null {
			v.Text = r.common.table.Operators[r.operator].Key
		}
	}},
	{"technologies", Texts, (*sectorRow).technologies},
	{"sourceLabel", Text, func(r *sectorRow, v *Value) { v.Text = r.common.Source.Source }},
	{"azimut", Number, func(r *sectorRow, v *Value) { v.Number = float64(r.azimuth) }},
})

// technologies lists the systems whose emissions state the azimuth.
func (r *sectorRow) technologies(v *Value) {
	var systems []int
	for i := range r.site.Emissions {
		e := &r.site.Emissions[i]
		if r.site.Stations[e.Station].Operator == r.operator && slices.Contains(e.Azimuths, r.azimuth) && r.selects(e) {
			systems = append(systems, e.Order)
		}
	}
	slices.Sort(systems)
	for _, i := range slices.Compact(systems) {
		v.Texts = append(v.Texts, r.common.snap.Systems[i])
	}
}
