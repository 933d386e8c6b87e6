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

// azimuthHeader is that of azimuthRow.
var azimuthHeader = strings.TrimSuffix(positionHeader, "\n") + ";list_azimut\n"

// A stated is the azimuths of an emission, and where they are stated.
type stated struct {
	Azimuths []uint16
	Origin   site.Origin
}

// statedOf returns the azimuths of a site's emissions by station and system.
func statedOf(s site.Site) map[string]stated {
	got := map[string]stated{}
	for _, e := range s.Emissions {
		got[s.Stations[e.Station].Code+" "+e.System] = stated{e.Azimuths, e.Origin}
	}
	return got
}

func TestAzimuthsOfEmissions(t *testing.T) {
	sites, reports, _ := build(t, map[string]string{
		"antenne.txt": "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;SUP_ID\n" +
			"0032700002;1;21;17;100\n0032700002;2;21;137;100\n0032700002;3;17;200;100\n" + // the third is a dish
			"0032750001;1;21;215;100\n0032750001;2;21;;100\n0032750001;3;21;35;999\n",
		"emetteur.txt": "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID\n" +
			"1;LTE 1800;0032700002;1\n2;LTE 1800;0032700002;1\n3;LTE 2600;0032700002;2\n4;LTE 2600;0032700002;1\n" +
			"5;LTE 800;0032700002;2\n6;LTE 2100;0032700002;3\n7;LTE 900;0032750001;2\n",
		"o.csv": azimuthHeader +
			azimuthRow("SFR", "0032700002", "LTE 800", "240|0|120") +
			azimuthRow("SFR", "0032700002", "LTE 1800", "") +
			azimuthRow("SFR", "0032700002", "LTE 700", "361|-1|12.5|x|45") +
			azimuthRow("SFR", "0032700002", "LTE 2600", "") +
			azimuthRow("SFR", "0032700002", "LTE 2100", "") +
			azimuthRow("SFR", "0032700002", "LTE 800", "30|120") + // a second row of the first key
			azimuthRow("SFR", "0032700002", "5G NR 700", " 360 | 90|90 ") +
			azimuthRow("BOUYGUES TELECOM", "0032750001", "LTE 800", "") +
			azimuthRow("BOUYGUES TELECOM", "0032750001", "LTE 900", "")}, market.FR)
	s := sites["100"]
	want := map[string]stated{
		"0032700002 LTE 700": {[]uint16{45}, site.FromList}, "0032700002 LTE 800": {[]uint16{0, 30, 120, 240}, site.FromList},
		"0032700002 5G NR 700": {[]uint16{0, 90}, site.FromList}, "0032700002 LTE 1800": {[]uint16{17}, site.FromEmitter},
		"0032700002 LTE 2600": {[]uint16{17, 137}, site.FromEmitter},
		"0032700002 LTE 2100": {[]uint16{17, 137}, site.FromStation}, // a dish does not count
		"0032750001 LTE 800":  {[]uint16{215}, site.FromStation},
		"0032750001 LTE 900":  {}, // its antenna has no azimuth, and those of others are not its own
	}
	if diff := cmp.Diff(want, statedOf(s), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("azimuths by emission (-want +got)\n%s", diff)
	}
	all, origin := s.Azimuths(nil)
	if diff := cmp.Diff([]uint16{0, 17, 30, 45, 90, 120, 137, 215, 240}, all); diff != "" || origin != site.FromStation {
		t.Errorf("azimuths of the site, from %q (-want +got)\n%s", origin, diff)
	}
	bouygues, _ := s.AzimuthsOf(1, 0)
	if diff := cmp.Diff([]uint16{215}, bouygues); diff != "" {
		t.Errorf("AzimuthsOf(BOUYGUES, 0) (-want +got)\n%s", diff)
	}
	const warning = "list_azimut: 4 values are not whole degrees from 0 to 360 and were left out; the first is on line 4"
	if got := reports[Observatory].Warning; got != warning {
		t.Errorf("Warning = %q, want %q", got, warning)
	}
}

// A list on one system leaves the others what the tables state of them.
func TestOneListOnly(t *testing.T) {
	tables := map[string]string{
		"antenne.txt":  "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;SUP_ID\n0032700002;1;21;17;100\n0032700002;2;21;137;100\n",
		"emetteur.txt": "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID\n1;LTE 700;0032700002;1\n2;LTE 800;0032700002;2\n",
		"o.csv": azimuthHeader + azimuthRow("SFR", "0032700002", "LTE 700", "5") +
			azimuthRow("SFR", "0032700002", "LTE 800", ""),
	}
	sites, _, _ := build(t, tables, market.FR)
	s := sites["100"]
	if all, _ := s.Azimuths(nil); !cmp.Equal(all, []uint16{5, 137}) {
		t.Errorf("azimuths of the site: %v, want 5 of the list, and 137 of the other system", all)
	}
}
