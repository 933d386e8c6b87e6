package anfr

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/geo"
	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/market"
	"relais/site"
	"relais/snapshot"
	"relais/snapshot/snapshottest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

const header = "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;" +
	"adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut\n"

// Support 100 is shared by SFR and Bouygues, 200 is in Corsica and only a project, 300 is on
// La Réunion. The other rows are rejected, one for each reason.
const observatory = "\ufeff" + header +
	`1;SFR;100;LTE 800;2016-01-02;003;03258;4G;2026-08-27T16:11:53;0032700002;23;"27,2";72;LE PRÉ;12 rue; Bât A ;;03110;03258;"46.177499999999995 , 3.3741666666666665";x;En service
2;SFR;100;5G NR 3500;2026-12-01;003;03258;5G;2026-08-27T16:11:53;0032700002;23;"27,2";72;LE PRÉ;12 rue; Bât A ;;03110;03258;"46.177499999999995 , 3.3741666666666665";x;Projet approuvé
3;BOUYGUES TELECOM;100;LTE 800;2015-05-06;003;03258;4G;2026-08-27T16:11:53;0032750001;23;"27,2";72;LE PRÉ;12 rue; Bât A ;;03110;03258;"46.177499999999995 , 3.3741666666666665";x;Techniquement opérationnel
4;BOUYGUES TELECOM;100;GSM 900;;003;03258;2G;2026-08-27T16:11:53;0032750001;23;"27,2";72;LE PRÉ;12 rue; Bât A ;;03110;03258;"46.177499999999995 , 3.3741666666666665";x;En service
5;ORANGE;200;5G NR 700;;02B;2B251;5G;2026-08-27T16:11:53;02B2290164;85;0;;;;;;20243;2B251;"42.010555555555555 , 9.325";x;Projet approuvé
6;ZEOP;300;LTE 1800;2020-02-30;974;97411;4G;2026-08-27T16:11:53;9740110001;;;;;;;;97400;97411;"-20.9 , 55.45";x;En service
7;ORANGE;300;LTE 1800;2020-02-29;974;97411;4G;2026-08-27T16:11:53;9742290001;;;;;;;;97400;97411;"-20.9 , 55.45";x;En service
8;SFR;400;LTE 800;;988;98818;4G;2026-08-27T16:11:53;9882700001;;;;;;;;98800;98818;"-22.2 , 166.4";x;En service
9;DAUPHIN TELECOM;300;LTE 800;;974;97411;4G;2026-08-27T16:11:53;9741320001;;;;;;;;97400;97411;"-20.9 , 55.45";x;En service
10;SFR;500;LTE 800;;063;63113;4G;2026-08-27T16:11:53;0632700001;;;;;;;;63000;63113;"3.08 , 45.77";x;En service
11;SFR;100;LTE 800;2016-01-02;003;03258;4G;2026-08-27T16:11:53;0032700002;23;"27,2";72;;;;;03110;03258;"46.177499999999995 , 3.3741666666666665";x;En service
11;SFR;100;LTE 800;2016-01-02;003;03258;5G;2026-08-27T16:11:53;0032700002;23;"27,2";72;;;;;03110;03258;"46.1775,3.37416667";x;En service
12;SFR;100;LTE 700;2016-01-02;003;03258;4G;2026-08-27T16:11:53;0032700002;23;"27,2";72;;;;;03110;03258;"46.2 , 3.4";x;En service
13;SFR;;LTE 700;2016-01-02;003;03258;4G;2026-08-27T16:11:53;0032700002;23;20;72;;;;;03110;03258;"46.2 , 3.4";x;En service
14;SFR;600;LTE 700;;003;03258;4G;2026-08-27T16:11:53;003-27;23;20;72;;;;;03110;03258;"46.2 , 3.4";x;En service
15;SFR;600;LTE 700;;003;03258;6G;2026-08-27T16:11:53;0032700003;23;20;72;;;;;03110;03258;"46.2 , 3.4";x;En service
16;SFR;600;LTE 700;;003;03258;4G;2026-08-27T16:11:53;0032700003;23;20;72;;;;;03110;03258;"46.2 , 3.4";x;Peut-être
17;SFR;600;;;003;03258;4G;2026-08-27T16:11:53;0032700003;23;20;72;;;;;03110;03258;"46.2 , 3.4";x;En service
18;SFR;600;LTE 700;;003;03258;4G;2026-08-27T16:11:53;0032700003;23;20;72;;;;;03110;03258;"46.2";x;En service
19;SFR;600;LTE 700
20;SFR;600;LTE 700;;;;4G;2026-08-27T16:11:53;0032700003;23;20;72;;;;;03110;;"46.2 , 3.4";x;En service
`

// files writes texts into a folder and detects their kinds, as ingest does.
func files(t testing.TB, texts map[string]string) []source.Found {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for name, text := range texts {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, text)
		paths = append(paths, path)
	}
	slices.Sort(paths)
	var found []source.Found
	for _, path := range paths {
		found = append(found, sourcetest.Detect(t, path, Kinds))
	}
	return found
}

// build reads texts and returns the sites by id, and the reports by kind.
func build(t testing.TB, texts map[string]string, codes ...market.Code) (map[string]site.Site,
	map[string]*source.Report, []*snapshot.Builder) {
	t.Helper()
	var markets []*market.Market
	for _, c := range codes {
		markets = append(markets, market.Get(c))
	}
	builders, reports, err := Build(files(t, texts), markets, nil)
	must(t, err)
	sites, byKind := map[string]site.Site{}, map[string]*source.Report{}
	for _, b := range builders {
		if b.Len() == 0 {
			continue
		}
		maps.Copy(sites, snapshottest.Sites(t, snapshottest.Reread(t, b)))
	}
	for _, r := range reports {
		byKind[r.Kind] = r
	}
	sourcetest.WantAccounted(t, reports...)
	return sites, byKind, builders
}

func day(y, m, d int) site.Date { return site.DateOf(y, m, d) }

func TestObservatory(t *testing.T) {
	sites, reports, builders := build(t, map[string]string{"o.csv": observatory}, market.FR, market.DROM)
	want := map[string]site.Site{
		"100": {
			ID: "100", SourceCode: "0032700002", Position: geo.Point{Lat: 46.1775, Lng: 3.3741667}, Area: 2,
			CommuneCode: "03258", PostalCode: "03110", Place: "LE PRÉ", Address: [3]string{"12 rue", "Bât A", ""},
			Height: 27.2, HeightText: "27,2", Nature: site.Coded{Code: "23", Label: "Pylône autostable"},
			Owner:         site.Coded{Code: "72", Label: "HIVORY"},
			AntennaHeight: math.NaN(),
			Stations:      []site.Station{{Code: "0032700002", Operator: 0}, {Code: "0032750001", Operator: 1}},
			Emissions: []site.Emission{
				{Station: 0, System: "LTE 800", Generation: site.G4, Status: 2, On: day(2016, 1, 2)},
				{Station: 0, System: "5G NR 3500", Generation: site.G5, Status: 0, On: day(2026, 12, 1)},
				{Station: 1, System: "GSM 900", Generation: site.G2, Status: 2},
				{Station: 1, System: "LTE 800", Generation: site.G4, Status: 1, On: day(2015, 5, 6)},
			},
		},
		"200": {
			ID: "200", SourceCode: "02B2290164", Position: geo.Point{Lat: 42.0105556, Lng: 9.325}, Area: 29,
			CommuneCode: "2B251", PostalCode: "20243", Height: 0, HeightText: "0", Nature: site.Coded{Code: "85"},
			AntennaHeight: math.NaN(),
			Stations:      []site.Station{{Code: "02B2290164", Operator: 2}},
			Emissions:     []site.Emission{{System: "5G NR 700", Generation: site.G5}},
		},
		"300": {
			ID: "300", SourceCode: "9740110001", Position: geo.Point{Lat: -20.9, Lng: 55.45}, Area: 3,
			CommuneCode: "97411", PostalCode: "97400", Height: math.NaN(), AntennaHeight: math.NaN(),
			Stations: []site.Station{{Code: "9740110001", Operator: 6}, {Code: "9742290001", Operator: 0}},
			// 30 February is not a date
			Emissions: []site.Emission{{Station: 0, System: "LTE 1800", Generation: site.G4, Status: 2},
				{Station: 1, System: "LTE 1800", Generation: site.G4, Status: 2, On: day(2020, 2, 29)}},
		},
	}
	if diff := cmp.Diff(want, sites, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("sites (-want +got)\n%s", diff)
	}
	r := reports[Observatory]
	wantRejected := map[string]int{
		otherTerritory + ": Nouvelle-Calédonie (NC)": 1, "operator not served in DROM": 1, "position outside the territory": 1,
		"duplicate row": 2,
		"position differs from the support's other rows": 1, "no support number": 1, "no station number": 1,
		"unknown generation": 1,
		"unknown status":     1, "no system": 1, "no position": 1, "wrong number of columns": 1, "no department": 1,
	}
	if diff := cmp.Diff(wantRejected, r.Rejected); diff != "" || r.Rows != 21 {
		t.Errorf("%d rows, rejected (-want +got)\n%s", r.Rows, diff)
	}
	if !slices.Contains(r.Examples, source.Example{Line: 9, Reason: "territory not served: Nouvelle-Calédonie (NC)"}) {
		t.Errorf(`examples: %v; want slices.Contains(r.Examples, source.Example{Line: 9, Reason: "territory not `+
			`served: …"})`, r.Examples)
	}
	for _, b := range builders {
		if b.SourceDate != "2026-08-27" || b.UpdatedAt != "2026-08-27T16:11:53" || b.Synthetic {
			t.Errorf(`%s: date %s, updated %s, synthetic %v; want b.SourceDate = "2026-08-27", b.UpdatedAt = `+
				`"2026-08-27T16:11:53", !b.Synthetic`, b.Market, b.SourceDate, b.UpdatedAt, b.Synthetic)
		}
	}
}

func TestOnlyOneMarket(t *testing.T) {
	sites, reports, _ := build(t, map[string]string{"o.csv": observatory}, market.DROM)
	if len(sites) != 1 || sites["300"].ID != "300" || reports[Observatory].Rejected["market FR not asked for"] == 0 {
		t.Errorf(`%d sites, rejected %v; want len(sites) = 1, sites["300"].ID = "300", `+
			`reports[Observatory].Rejected["market FR not asked for"] != 0`, len(sites), reports[Observatory].Rejected)
	}
}

// The same emission in every published form of the file.
func TestHeaderVariants(t *testing.T) {
	want, _, _ := build(t, map[string]string{"o.csv": header +
		`5;ORANGE;200;LTE 800;2020-03-04;003;03001;4G;2026-08-27T00:00:00;0032290164;23;27,2;;LIEU;RUE;;;03100;03001;"46.5 , 3.25";x;En service` + "\n"}, market.FR)
	for _, tt := range []struct{ name, text string }{
		{"labels", `id;Opérateur;sup_id;Système;Mise en service déclaré;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;Adresse;Adresse 1;Adresse 2;Adresse 3;Code postal;com_cd_insee;coordonnees;coord;statut
5;ORANGE;200;LTE 800;2020-03-04;003;03001;4G;2026-08-27;0032290164;23;27,2;;LIEU;RUE;;;03100;03001;"46.5 , 3.25";x;En service
`},
		{"comma, other dates",
			`id,adm_lb_nom,sup_id,emr_lb_systeme,emr_dt_service,sta_nm_dpt,code_insee,generation,date_maj,sta_nm_anfr,nat_id,sup_nm_haut,tpo_id,adr_lb_lieu,adr_lb_add1,adr_lb_add2,adr_lb_add3,adr_nm_cp,com_cd_insee,coordonnees,coord,statut
5,Orange,200,LTE 800,04/03/2020,3,3001,4G,27/08/2026,32290164,23,"27,2",,LIEU,RUE,   ,,3100,3001,"46.5,3.25",x,EN SERVICE
`},
		{"times behind dates, CRLF",
			strings.ReplaceAll(
				`sup_id;sta_nm_anfr;adm_lb_nom;emr_lb_systeme;generation;statut;coordonnees;emr_dt;date_maj;com_cd_insee;nat_id;sup_nm_haut;adr_lb_lieu;adr_lb_add1;adr_nm_cp
200;0032290164;ORANGE;LTE 800;4G;En service;"46.5 , 3.25";2020-03-04T00:00:00;2026-08-27T00:00:00;03001;23;27,2;LIEU;RUE;03100
`, "\n", "\r\n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, builders := build(t, map[string]string{"o.csv": tt.text}, market.FR)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.name, diff)
			}
			if builders[0].UpdatedAt != "2026-08-27T00:00:00" {
				t.Errorf("%s: updated at %s, want 2026-08-27T00:00:00", tt.name, builders[0].UpdatedAt)
			}
		})
	}
	noDate := strings.Replace(header, "date_maj", "other",
		1) + `5;ORANGE;200;LTE 800;2020-03-04;003;03001;4G;;0032290164;23;27,2;;LIEU;RUE;;;03100;03001;"46.5 , 3.25";x;En service` + "\n"
	_, _, builders := build(t, map[string]string{"20260828094512_observatoire_2g_3g_20260827.csv": noDate}, market.FR)
	if builders[0].UpdatedAt != "2026-08-27T00:00:00" {
		t.Errorf("date of the name: %s, want 2026-08-27T00:00:00", builders[0].UpdatedAt)
	}
	if _, _, err := Build(files(t, map[string]string{"o.csv": noDate}), []*market.Market{market.Get(market.FR)},
		nil); err == nil || !strings.Contains(err.Error(), "date_maj") {
		t.Errorf(`no date anywhere: %v; want an error with "date_maj"`, err)
	}
}

// The centre of a band in Hz, and the uplink halves of all paired bands.
func TestBands(t *testing.T) {
	for _, tt := range []struct {
		from, to, unit string
		hertz          uint64
	}{{"703", "713", "M", 708e6}, {"0,703", "0,713", "G", 708e6}, {"703000", "713000", "K", 708e6},
		{"7,03e+05", "713000", "K", 708e6}, {"3490", "3580", "M", 3535e6}, {"x", "1", "M", 0}, {"1", "2", "T", 0}} {
		if hertz, ok := centreFrequency([]byte(tt.from), []byte(tt.to), []byte(tt.unit)); ok != (tt.hertz > 0) ||
			ok && hertz != tt.hertz {
			t.Errorf("tt = %+v, hertz = %d, ok = %v; want ok = (tt.hertz > 0), !ok or hertz = %v", tt, hertz, ok,
				tt.hertz)
		}
	}
	emitters, bands := "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID;EMR_DT_SERVICE\n1;LTE 800;0032700002;7;\n",
		"EMR_ID;BAN_NB_F_DEB;BAN_NB_F_FIN;BAN_FG_UNITE\n"
	var up, down []uint64
	// ARCEP's paired bands: 700, 800, 900, 1800, 2100 and 2600 MHz, uplink and downlink.
	for _, pair := range [][2]uint64{{705, 760}, {835, 795}, {885, 930}, {1715, 1810}, {1925, 2115}, {2505, 2625}} {
		for k, centre := range pair {
			bands += fmt.Sprintf("1;%d;%d;M\n", centre-1, centre+1)
			if k == 0 {
				up = append(up, centre*1e6)
			} else {
				down = append(down, centre*1e6)
			}
		}
	}
	sites, _, _ := build(t, map[string]string{"o.csv": observatory,
		"SUP_EMETTEUR.txt": emitters + "2;FH 18;0032700002;7;\n", "SUP_BANDE.txt": bands,
		"SUP_ANTENNE.txt": "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;SUP_ID\n0032700002;7;21;0;100\n"}, market.FR)
	slices.Sort(up)
	slices.Sort(down)
	s := sites["100"]
	if !slices.Equal(s.RxFrequencies, up) || !slices.Equal(s.TxFrequencies, down) {
		t.Errorf("received %v, want %v; transmitted %v, want %v", s.RxFrequencies, up, s.TxFrequencies, down)
	}
	if !s.FixedLink { // by its system: no dish stands here
		t.Error("no microwave link")
	}
}

var supTables = map[string]string{
	"o.csv": observatory,
	"SUP_ANTENNE.txt": "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_DIMENSION;AER_FG_RAYON;AER_NB_AZIMUT;AER_NB_ALT_BAS;SUP_ID\r\n" +
		"0032700002;7;21;2,1;D;360;24,5;100\r\n" + // SFR and Bouygues declare the same number
		"0032750001;7;21;2,1;D;0;25;100\r\n" +
		"0032750001;8;21;2,1;D;119,5;;100\r\n" +
		"0032750001;9;21;2,1;D;;;100\r\n" + // no azimuth
		"0032700002;10;17;0,6;D;45;30;100\r\n" + // a dish
		"0032700002;11;21;2,1;D;90;12;200\r\n" + // on another support
		"9740110001;7;75;2,1;D;400;;300\r\n" + // the same number far away; RAN sharing; no such azimuth
		"0032700002;7;21;2,1;D;1;24,5;100\r\n" + // twice
		"0039990001;12;21;2,1;D;1;24,5;100\r\n" + // railway
		"0032700002;13;21;2,1;D;1;24,5;999\r\n",
	"SUP_EMETTEUR.txt": "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID;EMR_DT_SERVICE\r\n" +
		"3;LTE 800;0032700002;7;02/01/2016\r\n1;LTE 800;0032750001;8;\r\n2;5G NR 3500 Expe;0032750001;8;\r\n" +
		"4;FH 18;02B2290164;1;\r\n5;LTE 800;9740110001;7;\r\n6;5G NR 700;0032700002;11;\r\n",
	"SUP_BANDE.txt": "STA_NM_ANFR;BAN_ID;EMR_ID;BAN_NB_F_DEB;BAN_NB_F_FIN;BAN_FG_UNITE\r\n" +
		"0032750001;1;1;801;811,2;M\r\n0032750001;2;1;842000;852200;K\r\n0032700002;3;3;0,801;0,8112;G\r\n" +
		"0032700002;4;6;1,805e+06;1,8251e+06;K\r\n0032700002;5;2;3490;3580;M\r\n0032700002;6;3;801;;M\r\n0032700002;7;3;801;802;T\r\n",
	"SUP_STATION.txt": "STA_NM_ANFR;ADM_ID;DEM_NM_COMSIS;DTE_IMPLANTATION;DTE_MODIF;DTE_EN_SERVICE\r\n" +
		"0032700002;1;1;05/06/2012;;07/08/2013\r\n0032750001;1;1;04/06/2012;;\r\n",
	"SUP_SUPPORT.txt": "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID;ADR_LB_LIEU;ADR_LB_ADD1;ADR_LB_ADD2;ADR_LB_ADD3;ADR_NM_CP;COM_CD_INSEE\r\n" +
		"300;9740110001;11;20;54;0;S;55;27;0;E;12,5;21;;;;;97400;97411\r\n100;0032700002;11;46;10;39;N;3;22;27;E;99;21;;;;;03110;03258\r\n",
}

// Emitters and antennas are joined by station and antenna number. A station that spans two
// supports has its antennas on those that their own rows name.
func TestSUPTables(t *testing.T) {
	sites, reports, builders := build(t, supTables, market.FR, market.DROM)

	s := sites["100"]
	// The emitters give station 0032750001 antenna 8 alone, and station 0032700002 antenna 7.
	want := map[string]stated{
		"0032700002 LTE 800": {[]uint16{0}, site.FromEmitter}, "0032700002 5G NR 3500": {[]uint16{0}, site.FromStation},
		"0032750001 LTE 800": {[]uint16{120}, site.FromEmitter}, "0032750001 GSM 900": {[]uint16{0, 120}, site.FromStation}}
	if diff := cmp.Diff(want, statedOf(s)); diff != "" {
		t.Errorf("azimuths by emission (-want +got)\n%s", diff)
	}
	if want := []uint64{806_100_000}; !slices.Equal(s.TxFrequencies, want) {
		t.Errorf("transmitted %v, want %v", s.TxFrequencies, want)
	}
	if want := []uint64{847_100_000}; !slices.Equal(s.RxFrequencies, want) {
		t.Errorf("received %v, want %v", s.RxFrequencies, want)
	}
	if !s.FixedLink || !s.SharedRadio || !s.Crozon || s.AntennaHeight != 25 || s.Height != 27.2 {
		t.Errorf("link %v, shared %v, crozon %v, antenna height %v, height %v; want s.FixedLink, s.SharedRadio, "+
			"s.Crozon, s.AntennaHeight = 25, s.Height = 27.2", s.FixedLink, s.SharedRadio, s.Crozon, s.AntennaHeight,
			s.Height)
	}
	if s.Implemented != day(2012, 6, 4) || s.Commissioned != day(2013, 8, 7) {
		t.Errorf("implemented %s, commissioned %s; want s.Implemented = day(2012, 6, 4), s.Commissioned = "+
			"day(2013, 8, 7)", s.Implemented, s.Commissioned)
	}
	s = sites["200"]
	if azimuths, _ := s.Azimuths(nil); len(azimuths) != 0 || !slices.Equal(s.TxFrequencies, []uint64{1_815_050_000}) ||
		s.SharedRadio || s.Crozon || s.FixedLink {
		t.Errorf("support 200: %+v; want no azimuths, s.TxFrequencies = []uint64{1_815_050_000}, "+
			"!s.SharedRadio, !s.Crozon, !s.FixedLink", s)
	}
	s = sites["300"]
	if azimuths, _ := s.Azimuths(nil); len(azimuths) != 0 ||
		!s.SharedRadio || s.Crozon || s.HeightText != "12,5" || s.Owner.Label != "ORANGE" ||
		s.Nature.Label != "Mât béton" {
		t.Errorf(`support 300: %+v; want no azimuths, s.SharedRadio, !s.Crozon, s.HeightText = "12,5", `+
			`s.Owner.Label = "ORANGE", s.Nature.Label = "Mât béton"`, s)
	}
	for _, tt := range []struct {
		kind string
		want map[string]int
	}{
		{kindAntennas, map[string]int{"antenna given twice": 1, "station not served": 1, "support not served": 1}},
		{kindEmitters, map[string]int{"not a public mobile system": 1, "no antenna of this station and number": 1}},
		{kindBands, map[string]int{"emitter not served": 1, "no frequency": 2}},
		{kindStations, map[string]int{}},
		{kindSupports, map[string]int{}},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, reports[tt.kind].Rejected); diff != "" {
				t.Errorf("%s: rejected (-want +got)\n%s", tt.kind, diff)
			}
		})
	}
	if got := builders[0].Enriched; got[snapshot.Azimuths] != 1 || got[snapshot.Frequencies] != 2 ||
		got[snapshot.ImplementationDates] != 1 {
		t.Errorf("enriched: %v; want got[snapshot.Azimuths] = 1, got[snapshot.Frequencies] = 2, "+
			"got[snapshot.ImplementationDates] = 1", got)
	}
}
