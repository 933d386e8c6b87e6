package anfr

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/market"
	"relais/site"
)

// azimuthRow returns a row of support 100 with list_azimut as its last column.
func azimuthRow(operator, station, system, azimuths string) string {
	row := obsRow(operator, "100", "003", "03258", station, "46.2 , 3.4")
	return strings.TrimSuffix(strings.Replace(row, "LTE 800", system, 1), "\n") + ";" + azimuths + "\n"
}

// antennaTable has other azimuths of the same stations, without the systems.
const antennaTable = "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;SUP_ID\n" +
	"0032700002;1;21;17;100\n0032750001;2;21;215;100\n"

func TestAzimuthsOfEmissions(t *testing.T) {
	header := strings.TrimSuffix(positionHeader, "\n") + ";list_azimut\n"
	sites, reports, _ := build(t, map[string]string{"antenne.txt": antennaTable, "o.csv": header +
		azimuthRow("SFR", "0032700002", "LTE 800", "240|0|120") +
		azimuthRow("SFR", "0032700002", "LTE 1800", " 360 | 90|90 ") +
		azimuthRow("SFR", "0032700002", "LTE 700", "361|-1|12.5|x|45") +
		azimuthRow("SFR", "0032700002", "LTE 2600", "") +
		azimuthRow("SFR", "0032700002", "LTE 800", "30|120") + // a second row of the first key
		azimuthRow("BOUYGUES TELECOM", "0032750001", "LTE 800", "")}, market.FR)
	s := sites["100"]
	got := map[string][]uint16{}
	for _, e := range s.Emissions {
		got[s.Stations[e.Station].Code+" "+e.System] = e.Azimuths
	}
	want := map[string][]uint16{
		"0032700002 LTE 700": {45}, "0032700002 LTE 800": {0, 30, 120, 240}, "0032700002 LTE 1800": {0, 90},
		"0032700002 LTE 2600": nil, "0032750001 LTE 800": nil,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("azimuths by emission (-want +got)\n%s", diff)
	}
	// SFR's are those of its emissions, BOUYGUES's those of its antennas.
	if diff := cmp.Diff([]uint16{0, 30, 45, 90, 120, 215, 240}, s.Azimuths); diff != "" {
		t.Errorf("azimuths of the site (-want +got)\n%s", diff)
	}
	const warning = "list_azimut: 4 values are not whole degrees from 0 to 360 and were left out; the first is on line 4"
	if got := reports[Observatory].Warning; got != warning {
		t.Errorf("Warning = %q, want %q", got, warning)
	}
	sfr, exact := s.AzimuthsOf(0, site.G4)
	if diff := cmp.Diff([]uint16{0, 30, 45, 90, 120, 240}, sfr); diff != "" || !exact {
		t.Errorf("AzimuthsOf(SFR, 4G): exact %t, want true (-want +got)\n%s", exact, diff)
	}
	if bouygues, exact := s.AzimuthsOf(1, 0); exact || len(bouygues) != len(s.Azimuths) {
		t.Errorf("AzimuthsOf(BOUYGUES, 0) = %v, exact %t, want those of the site, not exact", bouygues, exact)
	}
}
