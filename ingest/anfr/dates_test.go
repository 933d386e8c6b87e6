package anfr

import (
	"strings"
	"testing"

	"relais/market"
)

// Texts of columns of dates that are not dates are counted, and nothing is made of them.
func TestTextsThatAreNoDates(t *testing.T) {
	header := strings.TrimSuffix(positionHeader, "\n") + ";emr_dt\n"
	row := func(station, on string) string {
		return strings.TrimSuffix(obsRow("SFR", "100", "003", "03258", station, "46.2 , 3.4"), "\n") + ";" + on + "\n"
	}
	sites, reports, _ := build(t, map[string]string{
		"o.csv": header + row("0032700001", "2024-02-01") + row("0032700002", "2024/02/01") + row("0032700003", "") +
			row("0032700004", "20240201") + row("0032700005", "01/02/2024T00:00:00") + row("0032700006", "1/2/2024"),
		"station.txt": "STA_NM_ANFR;DTE_IMPLANTATION;DTE_EN_SERVICE\n0032700001;2012.06.05;07/08/2013\n" +
			"0032700002;;\n0032700003;05/06/2012;31/02/2013\n"}, market.FR)
	dates := map[string]string{}
	s := sites["100"]
	for _, e := range s.Emissions {
		dates[s.Stations[e.Station].Code] = e.On.String()
	}
	for station, want := range map[string]string{"0032700001": "2024-02-01", "0032700002": "", "0032700003": "",
		"0032700004": "", "0032700005": "2024-02-01", "0032700006": ""} {
		if dates[station] != want {
			t.Errorf("date of station %s: %q, want %q", station, dates[station], want)
		}
	}
	for kind, want := range map[string]string{
		Observatory: "emr_dt: 3 values are not dates and were left out; the first is on line 3",
		kindStations: "DTE_IMPLANTATION: 1 values are not dates and were left out; the first is on line 2; " +
			"DTE_EN_SERVICE: 1 values are not dates and were left out; the first is on line 4",
	} {
		if got := reports[kind].Warning; got != want {
			t.Errorf("%s: warning %q, want %q", kind, got, want)
		}
	}
}

// Without a date in date_maj the name of the file says it.
func TestEditionWithoutItsDate(t *testing.T) {
	text := positionHeader + obsRow("SFR", "100", "003", "03258", "0032700001", "46.2 , 3.4") +
		obsRow("SFR", "101", "003", "03258", "0032700002", "46.3 , 3.4")
	for _, tt := range []struct{ updated, date, warning string }{
		{"", "2026-08-20", ""},
		{"27.08.2026", "2026-08-20", "date_maj: 2 values are not dates and were left out; the first is on line 2"},
		{"2026-08-27", "2026-08-27", ""},
	} {
		t.Run(tt.updated, func(t *testing.T) {
			_, reports, builders := build(t, map[string]string{"observatoire_2026-08-20.csv": strings.ReplaceAll(text,
				"2026-08-27T10:00:00", tt.updated)}, market.FR)
			if got := builders[0].SourceDate; got != tt.date {
				t.Errorf("SourceDate = %q, want %q", got, tt.date)
			}
			if got := reports[Observatory].Warning; got != tt.warning {
				t.Errorf("Warning = %q, want %q", got, tt.warning)
			}
		})
	}
}
