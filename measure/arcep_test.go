package measure

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
	"relais/market"
)

// arcepHeader is that of 2025_QoS_Metropole_data_habitations.csv of ARCEP, which has a column without a name.
const arcepHeader = "acess_duration;average_mos_couple;axis;axis_name;axis_precision;band_serving;band_start;bitrate_dl;" +
	"bitrate_ul;call_direction;call_number;call_setup_time_to_alerting;call_type;cell_id;crspa;" +
	"date_time_end;date_time_start;date_start;date_end;download_ok;hour_start;hour_end;descoping;" +
	"descoping_reason;detail;dialed_number;dl_superior_3mbps;dl_volume;ec_n0;helicopter_measure;" +
	"id_measure;id_sending_terminal;imei;imsi;insee_com;insee_dep;intra_inter_op_couple;lac;latitude_end;" +
	"latitude_start;list_mos;loaded_in_less_10_secondes;loaded_in_less_5_secondes;longitude_end;" +
	"longitude_start;mcc_end;mcc_start;min_mos;min_mos_couple;mnc_end;mnc_start;mos_average;nom_com;" +
	"nom_dep;nom_reg;operator;operator_called;operator_calling;operator_identical;operating_system;" +
	"operating_system_version;pci;ping_result;quality_correct;quality_perfect;real_communiation_time;" +
	"reason_of_failed;result;rscp;rsrp;rsrq;rx_lev;rx_level;rx_qual;protocole;situation;sms_content;" +
	"sms_delai;sms_reception_date_time;sms_sending_date_time;sms_sending_number;sms_success;tac;" +
	"techno_end;techno_start;terminal;territory;time_to_call;trace_name;traffic_time;transfert_duration;" +
	"transfert_file_size;ul_volume;upload_ok;url;video_freez_duration;video_initialisation_duration;" +
	"video_viewing_duration;zone;zone_name;zone_precision;;Result"

// arcep2022Header is that of 2022, as readers of the file list it.
const arcep2022Header = "lieu;situation;date;heure;operateur;Profil;rsrp;latitude;longitude;protocole;url;file_name;file_type;" +
	"terminal;adresse;strate;sous_strate;page_chargée_moins_5s;page_chargée_moins_10s;débit_en_Mbit/s;video_en_qualité_parfaite;" +
	"video_en_qualité_correcte;fichier_chargé_en_moins_de_30s;temps_en_secondes;delai_lancement_stream_s;lag_stream_s;accroche_5G;" +
	"INSEE_DEP;INSEE_REG;NOM_DEP"

// rowsOf writes rows of what they state under a header.
func rowsOf(header string, rows ...string) string {
	columns := strings.Split(header, ";")
	lines := []string{header}
	for _, row := range stated(rows...) {
		var cells []string
		for _, c := range columns {
			cells = append(cells, row[c])
		}
		lines = append(lines, strings.Join(cells, ";"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// Rows have the form of the real ones: decimals with a comma in speeds and with a point in positions and levels, the
// time in two columns, 5G in techno_start whatever was measured.
func TestARCEP(t *testing.T) {
	const at = "date_start=23/06/2025|hour_start=10:48:58|longitude_start=4.25|operator=Orange|techno_start=5G|" +
		"territory=METROPOLE|mcc_start=208|mnc_start=2|"
	text := rowsOf(arcepHeader,
		at+"latitude_start=45.51|protocole=DOWNLOAD|bitrate_dl=104,634776|rsrp=-109.12|rsrq=-12.91|Result=Traffic Fail",
		at+"latitude_start=45.52|protocole=UPLOAD|bitrate_ul=0|rsrp=-88.5|rsrq=-9|Result=Drop",
		at+"latitude_start=45.53|protocole=WEB|acess_duration=2,48|rsrp=-106.46|rsrq=-14.59|Result=Success|zone_name=Musée",
		at+"latitude_start=45.54|protocole=ICMP|rscp=-83.28|Result=Success",
		at+"latitude_start=45.55|protocole=WEB|rscp=-96.71|rsrp=-124.60|rsrq=-12|Result=Success",
		at+"latitude_start=45.56|protocole=DOWNLOAD|bitrate_dl=243,0071842|Result=Success",
		at+"latitude_start=45.57|protocole=WEB|Result=TimeOut",
		strings.Replace(at, "techno_start=5G", "techno_start=Pas de service", 1)+"latitude_start=45.58|protocole=WEB|Result=Drop",
		strings.NewReplacer("23/06", "23/01", "mcc_start=208|mnc_start=2|", "").Replace(at)+
			"latitude_start=45,59|protocole=WEB|rsrp=-80|Result=Success")
	pandas := strings.NewReplacer(";0;", ";0,0;", "zone_precision;;", "zone_precision;Unnamed: 101;").Replace(text)
	for name, text := range map[string]string{"utf-8": text, "cp1252": strings.ReplaceAll(text, "é", "\xe9"),
		"read and written by pandas": pandas} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, t.TempDir())
			path := write(t, "arcep.csv", text)
			r, points := importedCampaign(t, s, market.FR, path)
			if want := map[string]int{noSpeeds: 6}; !maps.Equal(r.Rejected, want) || r.Served != 3 {
				t.Errorf("speedtests: served %d, rejected %v; want 3 and %v", r.Served, r.Rejected, want)
			}
			tests, _, err := s.Speedtests(Query{Market: market.FR, Limit: 10})
			must(t, err)
			var got []string
			for _, m := range tests {
				got = append(got, fmt.Sprintf("%.2f %s %s-%d %v %v %v %q", m.Position.Lat, m.Time.UTC().Format("15:04:05"),
					m.Operator, m.MNC, m.Download, m.Upload, m.Radio.RSRP, m.Technology))
			}
			slices.Sort(got)
			want := []string{`45.51 08:48:58 ORANGE-1 104.635 NaN -109.12 ""`, `45.52 08:48:58 ORANGE-1 NaN 0 -88.5 ""`,
				`45.56 08:48:58 ORANGE-1 243.007 NaN NaN ""`}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("speedtests (-want +got)\n%s", diff)
			}
			if want := map[string]int{nothing: 2}; !maps.Equal(points.Rejected, want) || points.Served != 7 {
				t.Errorf("coverage points: served %d, rejected %v; want 7 and %v", points.Served, points.Rejected, want)
			}
			got = nil
			for _, p := range all(t, s, market.FR) {
				got = append(got, fmt.Sprintf("%.2f %s %v %v %q %q", p.Position.Lat, p.Time.UTC().Format("15:04:05"), p.Signal,
					p.Radio.RSRP, p.Technology, p.NetworkType))
			}
			slices.Sort(got)
			want = []string{`45.51 08:48:58 NaN -109.12 "" ""`, `45.52 08:48:58 NaN -88.5 "" ""`, `45.53 08:48:58 NaN -106.46 "" ""`,
				`45.54 08:48:58 -83.28 NaN "3G" ""`, `45.55 08:48:58 NaN -124.6 "" ""`, `45.58 08:48:58 NaN NaN "" "NO_SERVICE"`,
				`45.59 09:48:58 NaN -80 "" ""`}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("points (-want +got)\n%s", diff)
			}
		})
	}
}

// A speedtest in 3G is found again: its level is not stored with it.
func TestARCEPTwice(t *testing.T) {
	path := write(t, "arcep.csv", rowsOf(arcepHeader, "date_start=27/08/2025|hour_start=10:46:04|latitude_start=45.88767|"+
		"longitude_start=4.37284|operator=Orange|techno_start=5G|territory=METROPOLE|protocole=UPLOAD|bitrate_ul=0,0|rscp=-73.00"))
	s := openStore(t, t.TempDir())
	for i, kind := range []Kind{Speedtest, Coverage, Speedtest, Coverage} {
		want := 1 // both kinds with the first import
		if i > 0 {
			want = 0
		}
		if r := importedAs(t, s, market.FR, kind, path); r.Served != want {
			t.Errorf("import %d of %s: served %d, rejected %v; want %d", i, kind, r.Served, r.Rejected, want)
		}
	}
}

// Overseas a name is another operator's in each territory, and the time is that of the territory. Names, codes and
// territories are those of ARCEP's documentation.
func TestARCEPOverseas(t *testing.T) {
	row := func(territory, name, lat, lng string) string {
		return "date_start=23/06/2025|hour_start=10:00:00|latitude_start=" + lat + "|longitude_start=" + lng + "|operator=" + name +
			"|territory=" + territory + "|protocole=WEB|rsrp=-90"
	}
	s := openStore(t, t.TempDir())
	importedAs(t, s, market.DROM, Coverage, write(t, "a.csv", rowsOf(arcepHeader, row("GUADELOUPE", "Free", "16.2", "-61.5"),
		row("LA REUNION", "Free", "-20.9", "55.5"), row("MAYOTTE", "Maoré Mobile", "-12.8", "45.1"), row("GUYANE", "SFR", "4.9", "-52.3"),
		row("MARTINIQUE", "Orange", "14.6", "-61.0"), row("LA REUNION", "Orange", "-21.0", "55.5"),
		row("LA REUNION", "SFR", "-21.1", "55.5"))))
	var got []string
	for _, p := range all(t, s, market.DROM) {
		got = append(got, fmt.Sprintf("%s %d-%d %s", p.Operator, p.MCC, p.MNC, p.Time.UTC().Format("15:04")))
	}
	slices.Sort(got)
	want := []string{"FREE_CARAIBES 340-4 14:00", "MAORE_MOBILE 647-1 07:00", "ORANGE 340-1 14:00", "ORANGE 647-0 06:00",
		"OUTREMER_TELECOM 340-2 13:00", "SRR 647-10 06:00", "TELCO_OI 647-3 06:00"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points (-want +got)\n%s", diff)
	}
	none := write(t, "b.csv", rowsOf(arcepHeader, row("", "Orange", "14.6", "-61.0")))
	if _, err := s.Import(t.Context(), market.DROM, Options{}, none); !isOfFile(err) || !strings.Contains(err.Error(), manyZones) {
		t.Errorf("without a territory: %v, want an error of the file with %q", err, manyZones)
	}
}

// The layout of 2022 has one column for both directions, accents in names, and #VALEUR! for nothing.
func TestARCEP2022(t *testing.T) {
	const at = "date=04/07/2022|heure=14:43:35|operateur=Bouygues|longitude=4,25|Profil=5G|strate=Zones touristiques|accroche_5G=0|"
	text := rowsOf(arcep2022Header, at+"latitude=45,51|protocole=DOWNLOAD|rsrp=-111,75|débit_en_Mbit/s=104,6",
		at+"latitude=45,52|protocole=UPLOAD|rsrp=#VALEUR!|débit_en_Mbit/s=6,25", at+"latitude=45,53|protocole=WEB|rsrp=-90,5",
		at+"latitude=45,54|protocole=WEB|rsrp=#VALEUR!|débit_en_Mbit/s=#VALEUR!")
	s := openStore(t, t.TempDir())
	path := write(t, "2022.csv", strings.ReplaceAll(text, "é", "\xe9"))
	r, points := importedCampaign(t, s, market.FR, path)
	if r.Served != 2 || r.Rejected[noSpeeds] != 2 {
		t.Errorf("speedtests: served %d, rejected %v; want 2, and 2 without a speed", r.Served, r.Rejected)
	}
	tests, _, err := s.Speedtests(Query{Market: market.FR, Limit: 5})
	if err != nil || len(tests) != 2 {
		t.Fatalf("speedtests %v, %v; want 2", tests, err)
	}
	slices.SortFunc(tests, func(a, b Test) int { return int(math.Copysign(1, a.Position.Lat-b.Position.Lat)) })
	if tests[0].Download != 104.6 || !math.IsNaN(tests[0].Upload) || tests[1].Upload != 6.25 || !math.IsNaN(tests[1].Download) ||
		tests[0].Time.UTC().Hour() != 12 || tests[0].Operator != "BOUYGUES" {
		t.Errorf("speedtests %+v, want 104.6 down and 6.25 up of Bouygues at 12:43 UTC", tests)
	}
	if points.Served != 2 || points.Rejected[nothing] != 2 {
		t.Errorf("points: served %d, rejected %v; want 2, and 2 without a level", points.Served, points.Rejected)
	}
}

// Real rows of 2025: what is served equals a count of the text by operator and protocol.
func TestRealARCEP(t *testing.T) {
	const path = "../../shared/data/field/arcep_qos_2025_real_rows.csv"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the authority's rows are not here")
	}
	in := csv.NewReader(strings.NewReader(string(filetest.Read(t, path))))
	in.Comma = ';'
	rows, err := in.ReadAll()
	must(t, err)
	cell := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	key := map[string]string{"Orange": "ORANGE", "SFR": "SFR", "Free": "FREE", "Bouygues": "BOUYGUES"}
	speeds, points, none := map[string]int{}, map[string]int{}, 0
	for _, row := range rows[1:] {
		operator := key[cell(row, "operator")]
		if cell(row, "bitrate_dl")+cell(row, "bitrate_ul") != "" {
			speeds[operator+" "+cell(row, "protocole")]++
		}
		if cell(row, "rsrp")+cell(row, "rsrq")+cell(row, "rscp") != "" {
			points[operator]++
		} else {
			none++
		}
	}
	s := openStore(t, t.TempDir())
	ofTests, ofPoints := importedCampaign(t, s, market.FR, path)
	if ofTests.Served != 34 || ofTests.Rejected[noSpeeds] != 63 {
		t.Errorf("speedtests: served %d, rejected %v; want 34, and 63 without a speed", ofTests.Served, ofTests.Rejected)
	}
	tests, _, err := s.Speedtests(Query{Market: market.FR, Limit: 1000})
	must(t, err)
	got := map[string]int{}
	for _, m := range tests {
		if protocol := "DOWNLOAD"; math.IsNaN(m.Download) != math.IsNaN(m.Upload) {
			if math.IsNaN(m.Download) {
				protocol = "UPLOAD"
			}
			got[m.Operator+" "+protocol]++
		}
	}
	if diff := cmp.Diff(speeds, got); diff != "" {
		t.Errorf("speedtests by operator and protocol (-want +got)\n%s", diff)
	}
	if ofPoints.Rejected[nothing] != none || ofPoints.Served != len(rows)-1-none {
		t.Errorf("points: served %d, rejected %v; want %d, and %d without a level", ofPoints.Served, ofPoints.Rejected, len(rows)-1-none, none)
	}
	got = map[string]int{}
	for _, p := range all(t, s, market.FR) {
		if got[p.Operator]++; p.Technology != "" && p.Technology != "3G" {
			t.Errorf("a point has the technology %q, which no row states", p.Technology)
		}
	}
	if diff := cmp.Diff(points, got); diff != "" {
		t.Errorf("points by operator (-want +got)\n%s", diff)
	}
}
