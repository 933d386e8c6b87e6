package view

import "relais/export"

// ChangeTable returns changes as rows.
func ChangeTable(list []Change) *export.Table {
	return export.NewTable(changeColumns, func(yield func(*Change) bool) {
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
	{Name: "market", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = string(c.Market) }},
	{Name: "id", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = c.Site.ID }},
	{Name: "siteKey", Type: export.Text, Get: func(c *Change, v *export.Value) { v.Text = c.Site.SiteKey }},
	{Name: "lat", Type: export.Number, Get: func(c *Change, v *export.Value) { v.Number = c.Site.Coordinates.Lat }},
	{Name: "lng", Type: export.Number, Get: func(c *Change, v *export.Value) { v.Number = c.Site.Coordinates.Lng }},
	{Name: "administrativeArea", Type: export.Text, Get: func(c *Change, v *export.Value) {
		if v.Null = c.Site.Area == nil; !v.Null {
			v.Text = c.Site.Area.Code
		}
	}},
	{Name: "commune", Type: export.Text, Get: func(c *Change, v *export.Value) { setText(v, c.Site.Commune) }},
	{Name: "operator", Type: export.Text, Get: func(c *Change, v *export.Value) { setText(v, c.Operator) }},
	{Name: "technology", Type: export.Text, Get: func(c *Change, v *export.Value) { setText(v, c.Technology) }},
	{Name: "generation", Type: export.Text, Get: func(c *Change, v *export.Value) { setText(v, c.Generation) }},
	{Name: "beforeStatus", Type: export.Text, Get: func(c *Change, v *export.Value) { c.Before.status(v) }},
	{Name: "afterStatus", Type: export.Text, Get: func(c *Change, v *export.Value) { c.After.status(v) }},
	{Name: "beforeLat", Type: export.Number, Get: func(c *Change, v *export.Value) { v.Number, _ = c.Before.place(v) }},
	{Name: "beforeLng", Type: export.Number, Get: func(c *Change, v *export.Value) { _, v.Number = c.Before.place(v) }},
}

// status sets a cell to the status of a side.
func (s *ChangeSide) status(v *export.Value) {
	if s == nil {
		v.Null = true
		return
	}
	setText(v, s.Status)
}

// place returns the position of a side of a site that moved. Other cells are not stated.
func (s *ChangeSide) place(v *export.Value) (lat, lng float64) {
	if v.Null = s == nil || s.Coordinates == nil; v.Null {
		return 0, 0
	}
	return s.Coordinates.Lat, s.Coordinates.Lng
}
