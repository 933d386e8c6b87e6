package view

import "relais/export"

// ChangeTable returns changes as rows.
func ChangeTable(list []Change) *export.Table { return changeTable(changeColumns, list) }

func changeTable(columns []export.Column[Change], list []Change) *export.Table {
	return export.NewTable(columns, func(yield func(*Change) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	})
}

var changeColumns = []export.Column[Change]{
	{Name: "date", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = c.Date }},
	{Name: "previousDate", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = c.PreviousDate }},
	{Name: "kind", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = string(c.Kind) }},
	{Name: "siteKey", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = c.Site.SiteKey }},
	{Name: "id", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = c.Site.ID }},
	{Name: "market", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = string(c.Market) }},
	{Name: "lat", Type: export.Number, Get: func(c *Change, v *export.Value) { v.Number = c.Site.Coordinates.Lat }},
	{Name: "lng", Type: export.Number, Get: func(c *Change, v *export.Value) { v.Number = c.Site.Coordinates.Lng }},
	{Name: "areaCode", Type: export.Text, Get: func(c *Change, v *export.Value) {
		if v.Null = c.Site.Area == nil; !v.Null {
			v.Text = c.Site.Area.Code
		}
	}},
	{Name: "areaLabel", Type: export.Text, Get: func(c *Change, v *export.Value) {
		if v.Null = c.Site.Area == nil; !v.Null {
			v.Text = c.Site.Area.Label
		}
	}},
	{Name: "commune", Type: export.Text, Get: func(c *Change, v *export.Value) { setText(v, c.Site.Commune) }},
	{Name: "operator", Type: export.Text, Get: func(c *Change, v *export.Value) { setText(v, c.Operator) }},
	{Name: "technology", Type: export.Text, Get: func(c *Change, v *export.Value) { setText(v, c.Technology) }},
	{Name: "generation", Type: export.Text, Get: func(c *Change, v *export.Value) { setText(v, c.Generation) }},
	{Name: "statusBefore", Type: export.Text, Get: func(c *Change, v *export.Value) { c.Before.status(v) }},
	{Name: "statusAfter", Type: export.Text, Get: func(c *Change, v *export.Value) { c.After.status(v) }},
	{Name: "latBefore", Type: export.Number, Get: func(c *Change, v *export.Value) {
		c.Before.edge(v, func(p Coordinates) float64 { return p.Lat })
	}},
	{Name: "lngBefore", Type: export.Number, Get: func(c *Change, v *export.Value) {
		c.Before.edge(v, func(p Coordinates) float64 { return p.Lng })
	}},
}

// status sets v to the status of a side, which may be nil.
func (s *ChangeSide) status(v *export.Value) {
	if v.Null = s == nil || s.Status == nil; !v.Null {
		v.Text = *s.Status
	}
}

// edge sets v to a coordinate of a side, which may be nil.
func (s *ChangeSide) edge(v *export.Value, of func(Coordinates) float64) {
	if v.Null = s == nil || s.Coordinates == nil; !v.Null {
		v.Number = of(*s.Coordinates)
	}
}

// ChangeFeatures is ChangeTable with an id for each change in a last column, which is that of the table.
func ChangeFeatures(list []Change) *export.Table {
	columns := append(changeColumns[:len(changeColumns):len(changeColumns)],
		export.Column[Change]{Name: "changeId", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = c.id() }})
	t := changeTable(columns, list)
	t.ID = len(columns) - 1
	return t
}

// id names a change among all of its market.
func (c *Change) id() string {
	id := c.Date + ":" + string(c.Kind) + ":" + c.Site.SiteKey
	for _, part := range []*string{c.Operator, c.Technology} {
		if part != nil {
			id += ":" + *part
		}
	}
	return id
}
