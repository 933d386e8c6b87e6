package anfr

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/market"
	"relais/site"
)

// obsRow returns a row under positionHeader.
func obsRow(operator, support, department, insee, station, position string) string {
	return strings.Join([]string{operator, support, "LTE 800", department, insee, "4G", "2026-08-27T10:00:00", station,
		position, "", "En service"}, ";") + "\n"
}

// Without a department, the code of the commune says which market a row belongs to.
func TestDepartmentOfCommune(t *testing.T) {
	sites, reports, _ := build(t, map[string]string{"o.csv": positionHeader +
		obsRow("SFR", "1", "", "1004", "0012700001", "45.96 , 5.35") + // 01004, without its zero
		obsRow("ORANGE", "2", "", "2A004", "02A2290001", "41.92 , 8.73") +
		obsRow("ORANGE", "3", "", "97411", "9742290001", "-20.9 , 55.45") +
		obsRow("ORANGE", "4", "", "98818", "9882290001", "-22.2 , 166.4") +
		obsRow("SFR", "5", "001", "97411", "0012700002", "45.96 , 5.35")}, // the department counts
		market.FR, market.DROM)
	got := map[string]string{}
	for id, s := range sites {
		got[id] = s.CommuneCode
	}
	want := map[string]string{"1": "01004", "2": "2A004", "3": "97411", "5": "97411"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("communes by support (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"territory not served: Nouvelle-Calédonie (NC)": 1}, reports[Observatory].Rejected); diff != "" {
		t.Errorf("rejected (-want +got)\n%s", diff)
	}
}

// Two operators with one station number are two stations, and the other tables add to both.
func TestStationOfTwoOperators(t *testing.T) {
	sites, _, _ := build(t, map[string]string{
		"o.csv": positionHeader + obsRow("SFR", "100", "003", "03258", "0032700002", "46.2 , 3.4") +
			obsRow("BOUYGUES TELECOM", "100", "003", "03258", "0032700002", "46.2 , 3.4"),
		"station.txt": "STA_NM_ANFR;DTE_IMPLANTATION;DTE_EN_SERVICE\n0032700002;05/06/2012;07/08/2013\n",
		"arcep.csv": "code_op;nom_op;num_site;id_site_partage;id_station_anfr\n" +
			"20810;SFR;10235;ZB;0032700002\n",
	}, market.FR)
	s := sites["100"]
	want := []site.Station{{Code: "0032700002", Operator: 0, OperatorSiteID: "10235"},
		{Code: "0032700002", Operator: 1, OperatorSiteID: "10235"}}
	if diff := cmp.Diff(want, s.Stations); diff != "" {
		t.Errorf("stations (-want +got)\n%s", diff)
	}
	if s.Implemented != day(2012, 6, 5) || s.Commissioned != day(2013, 8, 7) {
		t.Errorf("implemented %s, commissioned %s; want 2012-06-05, 2013-08-07", s.Implemented, s.Commissioned)
	}
	if !s.SharedRadio {
		t.Error("SharedRadio = false, want true: ARCEP names a programme of shared networks")
	}
}

// Bands find their emitters in any order.
func TestBandsInAnyOrder(t *testing.T) {
	sites, reports, _ := build(t, map[string]string{"o.csv": observatory,
		"antenne.txt":  "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;SUP_ID\n0032700002;1;21;0;100\n02B2290164;2;21;0;200\n",
		"emetteur.txt": "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID\n20;LTE 1800;02B2290164;2\n10;LTE 800;0032700002;1\n",
		"bande.txt": "EMR_ID;BAN_NB_F_DEB;BAN_NB_F_FIN;BAN_FG_UNITE\n20;1805;1825;M\n10;801;811;M\n15;801;811;M\n" +
			"20;3490;3580;M\n"}, market.FR)
	got := map[string][]uint64{"100": sites["100"].TxFrequencies, "200": sites["200"].TxFrequencies}
	want := map[string][]uint64{"100": {806_000_000}, "200": {1_815_000_000, 3_535_000_000}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transmitted by support (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"emitter not served": 1}, reports[kindBands].Rejected); diff != "" {
		t.Errorf("rejected (-want +got)\n%s", diff)
	}
}

// Rows without a valid key are rejected with a reason, and the others are served.
func TestRowsWithoutKey(t *testing.T) {
	_, reports, _ := build(t, map[string]string{"o.csv": observatory,
		"station.txt": "STA_NM_ANFR;DTE_IMPLANTATION;DTE_EN_SERVICE\n0032700002;05/06/2012;\nx!;05/06/2012;\n",
		"antenne.txt": "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;SUP_ID\n0032700002;1;21;0;100\n" +
			"0032700002;a;21;0;100\n0032700002;2;21;0;s\n",
		"emetteur.txt": "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID\n1;LTE 800;0032700002;1\n2;LTE 800;0032700002;a\n" +
			"e;LTE 800;0032700002;1\n",
		"bande.txt":   "EMR_ID;BAN_NB_F_DEB;BAN_NB_F_FIN;BAN_FG_UNITE\n1;801;811;M\nx;801;811;M\n",
		"nature.txt":  "NAT_ID;NAT_LB_NOM\n23;Pylône\nx;Mât\n",
		"laposte.csv": "Code_commune_INSEE;Nom_commune\n03258;ST REMY\n123456;TOO LONG\n03258;\n",
		"leader.csv":  "sup_id;leader\n100;SFR\nx;SFR\n",
	}, market.FR)
	for _, tt := range []struct {
		kind string
		want map[string]int
	}{
		{kindStations, map[string]int{"no station number": 1}},
		{kindAntennas, map[string]int{"no antenna number": 1, "no support number": 1}},
		{kindEmitters, map[string]int{"no antenna number": 1, "no emitter number": 1}},
		{kindBands, map[string]int{"no emitter number": 1}},
		{kindNatures, map[string]int{"no code": 1}},
		{kindLaPoste, map[string]int{"no code or name": 2}},
		{kindLeaders, map[string]int{"no support number": 1}},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, reports[tt.kind].Rejected); diff != "" {
				t.Errorf("rejected (-want +got)\n%s", diff)
			}
		})
	}
}

func TestUselessObservatory(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"missing", "station.txt", "STA_NM_ANFR;DTE_IMPLANTATION;DTE_EN_SERVICE\n0032700002;05/06/2012;\n",
			"no observatoire among the files"},
		{"no row", "o.csv", positionHeader, "o.csv:1: the table has a header and no row"},
		{"no row is served", "o.csv",
			positionHeader + obsRow("ZEOP", "1", "003", "03258", "0030110001", "46.2 , 3.4"),
			"o.csv:2: operator not served in FR; none of the 1 rows is served"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Build(files(t, map[string]string{tt.file: tt.text}), []*market.Market{market.Get(market.FR)}, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Build() = %v, want an error with %q", err, tt.want)
			}
		})
	}
}
