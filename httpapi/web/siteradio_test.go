package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/api/view"
	"relais/market"
	"relais/site"
)

func TestSiteOperators(t *testing.T) {
	status, project, date := "En service", "Projet approuvé", "2020-01-02"
	at := func(degrees ...uint16) *[]uint16 { return &degrees }
	row := func(operator, system string, azimuths *[]uint16) view.Emission {
		e := view.Emission{Operator: operator, Technology: system, Generation: "4G", Status: &status, Azimuts: azimuths}
		if azimuths != nil {
			from := site.FromEmitter.String()
			e.AzimutFrom = &from
		}
		return e
	}
	ofStation := row("SFR", "LTE 900", at(60))
	station := site.FromStation.String()
	ofStation.AzimutFrom = &station
	emission := func(system string) siteEmission {
		return siteEmission{System: system, Generation: "4G", Status: status, Meaning: "In service"}
	}
	for _, tt := range []struct {
		name      string
		emissions []view.Emission
		want      siteOperator // SFR
	}{
		{"one list of directions", []view.Emission{row("SFR", "LTE 700", at(0, 120)), row("SFR", "LTE 800", at(0, 120))},
			siteOperator{Key: "SFR", Label: "SFR", Sign: "■", Best: "4G",
				Emissions: []siteEmission{emission("LTE 700"), emission("LTE 800")},
				Sectors:   []siteSectors{{"", []uint16{0, 120}, false}}}},
		{"two lists", []view.Emission{row("SFR", "LTE 700", at(0, 120)), row("SFR", "LTE 800", at(60)),
			row("SFR", "LTE 900", at(60))},
			siteOperator{Key: "SFR", Label: "SFR", Sign: "■", Best: "4G",
				Emissions: []siteEmission{emission("LTE 700"), emission("LTE 800"), emission("LTE 900")},
				Sectors:   []siteSectors{{"LTE 700", []uint16{0, 120}, false}, {"LTE 800, LTE 900", []uint16{60}, false}}}},
		{"stated for the station", []view.Emission{row("SFR", "LTE 800", at(60)), ofStation},
			siteOperator{Key: "SFR", Label: "SFR", Sign: "■", Best: "4G",
				Emissions: []siteEmission{emission("LTE 800"), emission("LTE 900")},
				Sectors:   []siteSectors{{"LTE 800", []uint16{60}, false}, {"LTE 900", []uint16{60}, true}}}},
		{"one system without directions", []view.Emission{row("SFR", "LTE 700", at(9)), row("SFR", "LTE 800", nil)},
			siteOperator{Key: "SFR", Label: "SFR", Sign: "■", Best: "4G",
				Emissions: []siteEmission{emission("LTE 700"), emission("LTE 800")},
				Sectors:   []siteSectors{{"LTE 700", []uint16{9}, false}}}},
		{"two operators", []view.Emission{row("SFR", "LTE 700", nil), row("ORANGE", "LTE 800", at(5))},
			siteOperator{Key: "SFR", Label: "SFR", Sign: "■", Best: "4G",
				Emissions: []siteEmission{emission("LTE 700")}}},
		{"only the operator is stated", []view.Emission{{Operator: "SFR"}}, siteOperator{Key: "SFR", Label: "SFR", Sign: "■"}},
		{"a project with a date", []view.Emission{{Operator: "SFR", Technology: "5G NR 3500",
			Generation: "5G", Status: &project, Date: &date}},
			siteOperator{Key: "SFR", Label: "SFR", Sign: "■", Next: "5G",
				Emissions: []siteEmission{{System: "5G NR 3500", Generation: "5G", Status: project,
					Meaning: "Project approved",
					Planned: true, Date: date}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &view.Detail{Summary: view.Summary{Operators: []string{"SFR"}},
				More: view.More{Emissions: tt.emissions}}
			got := operatorsOf(english, market.Get(market.FR), d)
			if diff := cmp.Diff([]siteOperator{tt.want}, got); diff != "" {
				t.Errorf("operators (-want +got)\n%s", diff)
			}
		})
	}
}
