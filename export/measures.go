package export

import (
	"slices"
	"strconv"

	"relais/measure"
)

// Speedtests returns a table of speedtests.
func Speedtests(list []measure.Test) *Table { return NewTable(speedtestColumns, each(list)) }

// Coverage returns a table of coverage points.
func Coverage(list []measure.Point) *Table { return NewTable(coverageColumns, each(list)) }

// each yields the addresses of a list's elements.
func each[R any](list []R) func(yield func(*R) bool) {
	return func(yield func(*R) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

var speedtestColumns = slices.Concat(
	measured(headColumns, func(t *measure.Test) *measure.Measurement { return &t.Measurement }),
	[]Column[measure.Test]{
		{"downloadSpeed", Number, func(t *measure.Test, v *Value) { v.SetNumber(t.Download) }},
		{"averageSpeed", Number, func(t *measure.Test, v *Value) { v.SetNumber(t.Average) }},
		{"maxSpeed", Number, func(t *measure.Test, v *Value) { v.SetNumber(t.Max) }},
		{"uploadSpeed", Number, func(t *measure.Test, v *Value) { v.SetNumber(t.Upload) }},
		{"ping", Number, func(t *measure.Test, v *Value) { v.SetNumber(t.Ping) }},
		{"connectionType", Text, func(t *measure.Test, v *Value) { v.Text = t.Technology }},
		{"deviceType", Text, func(t *measure.Test, v *Value) { v.Text = t.DeviceType }},
	},
	measured(radioColumns, func(t *measure.Test) *measure.Measurement { return &t.Measurement }))

var coverageColumns = slices.Concat(
	measured(headColumns, func(p *measure.Point) *measure.Measurement { return &p.Measurement }),
	[]Column[measure.Point]{
		{"signalStrength", Number, func(p *measure.Point, v *Value) { v.SetNumber(p.Signal) }},
		{"technology", Text, func(p *measure.Point, v *Value) { v.Text, v.Null = p.Technology, p.NoService() }},
	},
	measured(radioColumns, func(p *measure.Point) *measure.Measurement { return &p.Measurement }))

// headColumns are the first columns of all measurements.
var headColumns = []Column[measure.Measurement]{
	{"id", Text, func(m *measure.Measurement, v *Value) { v.Text = m.ID }},
	{"timestamp", Time, func(m *measure.Measurement, v *Value) { v.SetTime(m.Time) }},
	{"lat", Number, func(m *measure.Measurement, v *Value) { v.Number = m.Position.Lat }},
	{"lng", Number, func(m *measure.Measurement, v *Value) { v.Number = m.Position.Lng }},
	{"mcc", Whole, func(m *measure.Measurement, v *Value) { v.SetWhole(m.MCC) }},
	{"mnc", Whole, func(m *measure.Measurement, v *Value) { v.SetWhole(m.MNC) }},
	{"mobileOperator", Text, func(m *measure.Measurement, v *Value) { v.Text = m.OperatorName }},
	{"networkType", Text, func(m *measure.Measurement, v *Value) { v.Text = m.NetworkType }},
	{"edition", Text, func(m *measure.Measurement, v *Value) { v.SetText(m.Edition) }},
}

// radioColumns are the serving cell of a measurement.
var radioColumns = []Column[measure.Measurement]{
	{"enb", Text, func(m *measure.Measurement, v *Value) { v.SetText(identifier(uint64(m.Radio.ENB))) }},
	{"gnb", Text, func(m *measure.Measurement, v *Value) { v.SetText(identifier(uint64(m.Radio.GNB))) }},
	{"cellId", Text, func(m *measure.Measurement, v *Value) { v.Text = identifier(m.Radio.Cell) }},
	{"pci", Whole, func(m *measure.Measurement, v *Value) { v.SetWhole(m.Radio.PCI) }},
	{"rsrp", Number, func(m *measure.Measurement, v *Value) { v.SetNumber(m.Radio.RSRP) }},
	{"rsrq", Number, func(m *measure.Measurement, v *Value) { v.SetNumber(m.Radio.RSRQ) }},
	{"snr", Number, func(m *measure.Measurement, v *Value) { v.SetNumber(m.Radio.SNR) }},
}

// measured returns columns of measurements as columns of R.
func measured[R any](columns []Column[measure.Measurement], of func(*R) *measure.Measurement) (list []Column[R]) {
	for _, c := range columns {
		list = append(list, Column[R]{c.Name, c.Type, func(r *R, v *Value) { c.Get(of(r), v) }})
	}
	return list
}

// identifier returns the text of an identifier, "" for 0.
func identifier(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}
