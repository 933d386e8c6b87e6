package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/api/view"
	"relais/market"
)

func TestSiteOperators(t *testing.T) {
	status, project, date := "En service", "Projet approuvé", "2020-01-02"
	at := func(degrees ...uint16) *[]uint16 { return &degrees }
	row := func(operator, system string, azimuths *[]uint16) view.Emission {
		return view.Emission{Operator: operator, Technology: system, Generation: "4G", Status: &status, Azimuts: azimuths}
	}
	emission := func(system string) siteEmission {
		return siteEmission{System: system, Generation: "4G", Status: status, Meaning: "In service"}
	}
	for _, tt := range []struct {
		name      string
		emissions []view.Emission
		want      siteOperator // SFR
		whole     []uint16
	}{
		{"one list of directions", []view.Emission{row("SFR", "LTE 700", at(0, 120)), row("SFR", "LTE 800", at(0, 120))},
			siteOperator{"SFR", []siteEmission{emission("LTE 700"), emission("LTE 800")},
				[]siteSectors{{"", []uint16{0, 120}}}}, nil},
		{"two lists", []view.Emission{row("SFR", "LTE 700", at(0, 120)), row("SFR", "LTE 800", at(60)),
			row("SFR", "LTE 900", at(60))},
			siteOperator{"SFR", []siteEmission{emission("LTE 700"), emission("LTE 800"), emission("LTE 900")},
				[]siteSectors{{"LTE 700", []uint16{0, 120}}, {"LTE 800, LTE 900", []uint16{60}}}}, nil},
		{"one system without directions", []view.Emission{row("SFR", "LTE 700", at(9)), row("SFR", "LTE 800", at())},
			siteOperator{"SFR", []siteEmission{emission("LTE 700"), emission("LTE 800")},
				[]siteSectors{{"LTE 700", []uint16{9}}}}, nil},
		{"directions of the whole site", []view.Emission{row("SFR", "LTE 700", nil), row("ORANGE", "LTE 800", nil)},
			siteOperator{"SFR", []siteEmission{emission("LTE 700")}, nil}, []uint16{5}},
		{"only the operator is stated", []view.Emission{{Operator: "SFR"}}, siteOperator{Label: "SFR"}, []uint16{5}},
		{"a project with a date", []view.Emission{{Operator: "SFR", Technology: "5G NR 3500", Status: &project, Date: &date}},
			siteOperator{"SFR", []siteEmission{{System: "5G NR 3500", Status: project, Meaning: "Project approved",
				Planned: true, Date: date}}, nil}, []uint16{5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &view.Detail{Summary: view.Summary{Operators: []string{"SFR"}},
				More: view.More{Emissions: tt.emissions, Radio: view.Radio{Azimuts: []uint16{5}}}}
			got, whole := operatorsOf(english, market.Get(market.FR), d)
			if diff := cmp.Diff([]siteOperator{tt.want}, got); diff != "" {
				t.Errorf("operators (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.whole, whole); diff != "" {
				t.Errorf("directions of the whole site (-want +got)\n%s", diff)
			}
		})
	}
}
