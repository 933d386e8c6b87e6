package view

import (
	"slices"

	"relais/export"
)

// OutageTable returns outages as rows.
func OutageTable(list []Outage) *export.Table {
	return export.NewTable(outageColumns, func(yield func(*Outage) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	})
}

var outageColumns = []export.Column[Outage]{
	{Name: "id", Type: export.Text, Get: func(o *Outage, v *export.Value) { v.Text = o.ID }},
	{Name: "source", Type: export.Text, Get: func(o *Outage, v *export.Value) { v.Text = string(o.Source) }},
	{Name: "marketCode", Type: export.Text, Get: func(o *Outage, v *export.Value) { v.Text = string(o.MarketCode) }},
	{Name: "operatorKey", Type: export.Text, Get: func(o *Outage, v *export.Value) { v.Text = o.OperatorKey }},
	{Name: "latitude", Type: export.Number, Get: func(o *Outage, v *export.Value) { v.Number = o.Latitude }},
	{Name: "longitude", Type: export.Number, Get: func(o *Outage, v *export.Value) { v.Number = o.Longitude }},
	{Name: "siteKey", Type: export.Text, Get: func(o *Outage, v *export.Value) { setText(v, o.SiteKey) }},
	{Name: "siteName", Type: export.Text, Get: func(o *Outage, v *export.Value) { v.Text = o.SiteName }},
	{Name: "address", Type: export.Text, Get: func(o *Outage, v *export.Value) { v.Text = o.Address }},
	{Name: "commune", Type: export.Text, Get: func(o *Outage, v *export.Value) { setText(v, o.Commune) }},
	{Name: "severity", Type: export.Text, Get: func(o *Outage, v *export.Value) { v.Text = string(o.Severity) }},
	{Name: "affectedServices", Type: export.Texts, Get: func(o *Outage, v *export.Value) {
		v.Texts = slices.Concat(o.AffectedServices)
	}},
	{Name: "affectedTechnologies", Type: export.Texts, Get: func(o *Outage, v *export.Value) {
		v.Texts = slices.Concat(o.AffectedTechnologies)
	}},
	{Name: "startedAt", Type: export.Text, Get: func(o *Outage, v *export.Value) { v.SetText(o.StartedAt) }},
	{Name: "expectedEndAt", Type: export.Text, Get: func(o *Outage, v *export.Value) { setText(v, o.ExpectedEndAt) }},
	{Name: "reason", Type: export.Text, Get: func(o *Outage, v *export.Value) { setText(v, o.Reason) }},
	{Name: "state", Type: export.Text, Get: func(o *Outage, v *export.Value) { setText(v, o.State) }},
	{Name: "confirmCount", Type: export.Whole, Get: func(o *Outage, v *export.Value) { setWhole(v, o.ConfirmCount) }},
	{Name: "confirmationsRemaining", Type: export.Whole, Get: func(o *Outage, v *export.Value) {
		setWhole(v, o.ConfirmationsRemaining)
	}},
	{Name: "operatorConfirmed", Type: export.Boolean, Get: func(o *Outage, v *export.Value) {
		if v.Null = o.OperatorConfirmed == nil; !v.Null {
			v.Boolean = *o.OperatorConfirmed
		}
	}},
}

func setText(v *export.Value, s *string) {
	if v.Null = s == nil; !v.Null {
		v.Text = *s
	}
}

func setNumber(v *export.Value, n *float64) {
	if v.Null = n == nil; !v.Null {
		v.Number = *n
	}
}

func setWhole(v *export.Value, n *int) {
	if v.Null = n == nil; !v.Null {
		v.Whole = int64(*n)
	}
}
