//go:build linux

package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/demo"
	"relais/internal/filetest"
)

// A sourcesKit replays a few rows of each source that relais update reads into one folder, at the paths of the
// built-in table. The forms are those of the packages that read them: measure/arcep_test.go (the header is that of
// 2025_QoS_Metropole_data_habitations.csv), outage/history/kit_test.go, ingest/belgium/antennas_test.go and, of the
// listing, ingest/update/listing_test.go.
type sourcesKit struct {
	*httptest.Server
	files map[string]string // by path
	rows  map[string][]term // of the query service, by the first variables of a query
	asked atomic.Int64      // requests
	meet  func(nth int64)   // may be nil: called before the nth is answered
}

// A term is a row of an answer of the query service: values by variable.
type term = map[string]string

const (
	arcepStore = "/arcep.s3.rbx.io.cloud.ovh.net/"
	qosHeader  = "acess_duration;average_mos_couple;axis;axis_name;axis_precision;band_serving;band_start;bitrate_dl;bitrate_ul;" +
		"call_direction;call_number;call_setup_time_to_alerting;call_type;cell_id;crspa;date_time_end;date_time_start;date_start;" +
		"date_end;download_ok;hour_start;hour_end;descoping;descoping_reason;detail;dialed_number;dl_superior_3mbps;dl_volume;ec_n0;" +
		"helicopter_measure;id_measure;id_sending_terminal;imei;imsi;insee_com;insee_dep;intra_inter_op_couple;lac;latitude_end;" +
		"latitude_start;list_mos;loaded_in_less_10_secondes;loaded_in_less_5_secondes;longitude_end;longitude_start;mcc_end;" +
		"mcc_start;min_mos;min_mos_couple;mnc_end;mnc_start;mos_average;nom_com;nom_dep;nom_reg;operator;operator_called;" +
		"operator_calling;operator_identical;operating_system;operating_system_version;pci;ping_result;quality_correct;" +
		"quality_perfect;real_communiation_time;reason_of_failed;result;rscp;rsrp;rsrq;rx_lev;rx_level;rx_qual;protocole;situation;" +
		"sms_content;sms_delai;sms_reception_date_time;sms_sending_date_time;sms_sending_number;sms_success;tac;techno_end;" +
		"techno_start;terminal;territory;time_to_call;trace_name;traffic_time;transfert_duration;transfert_file_size;ul_volume;" +
		"upload_ok;url;video_freez_duration;video_initialisation_duration;video_viewing_duration;zone;zone_name;zone_precision;;Result"
	flemish = "https://data.zendantennes.omgeving.vlaanderen.be/id/"
)

// qos is a campaign of n rows in a territory, of each kind that it has: with a speed, with a level, with both and with
// neither.
func qos(n int, territory string, lat, lng float64) string {
	operators := []string{"Orange", "SFR", "Free", "Bouygues"}
	var b strings.Builder
	b.WriteString(qosHeader + "\n")
	for i := range n {
		row := term{"date_start": "23/06/2025", "hour_start": fmt.Sprintf("10:%02d:%02d", i/60, i%60), "operator": operators[i%3],
			"latitude_start": fmt.Sprintf("%.5f", lat+float64(i)/1e3), "longitude_start": fmt.Sprintf("%.5f", lng),
			"territory": territory, "techno_start": "5G", "situation": "Outdoor", "Result": "Success"}
		if territory == "METROPOLE" {
			row["operator"] = operators[i%4]
		}
		switch i % 5 {
		case 0:
			row["protocole"], row["bitrate_dl"], row["rsrp"], row["rsrq"] = "DOWNLOAD", fmt.Sprintf("%d,634776", 20+i), "-109.12", "-12.91"
		case 1:
			row["protocole"], row["bitrate_ul"] = "UPLOAD", fmt.Sprintf("%d,5", 1+i)
		case 2:
			row["protocole"], row["acess_duration"], row["rsrp"] = "WEB", "2,48", "-88.5"
		case 3:
			row["protocole"], row["rscp"] = "ICMP", "-83.28"
		case 4:
			row["protocole"], row["Result"] = "WEB", "TimeOut"
		}
		var cells []string
		for column := range strings.SplitSeq(qosHeader, ";") {
			cells = append(cells, row[column])
		}
		b.WriteString(strings.Join(cells, ";") + "\n")
	}
	return b.String()
}

// parts are the markets of the campaign by what its files call them.
var parts = map[string]string{"FR": "Metropole", "DROM": "Outremer"}

func campaign(part string) string {
	return arcepStore + "mobile/mesures_qualite_arcep/2025/" + part + "/2025_QoS_" + part + "_data_habitations.csv"
}

// outageDays are the days of the kit with a list; the 3rd is a gap.
var outageDays = []string{"2026-01-01", "2026-01-02", "2026-01-04", "2026-01-05"}

// unavailableOn is the list of a day: Orange 1 is out from the 1st to the 4th, SFR 2 on the 2nd and again on the 4th,
// Free 3 on each day, and each day has a site of its own.
func unavailableOn(i int) string {
	type site struct{ operator, station, start string }
	sites := []site{{"Free Mobile", "0350000003", "2025-12-30 08:00:00"}, {"Bouygues Telecom", fmt.Sprintf("035000001%d", i), ""}}
	if i < 3 {
		sites = append(sites, site{"Orange", "0350000001", "2026-01-01 06:00:00"})
	}
	if i == 1 || i == 2 {
		sites = append(sites, site{"SFR", "0350000002", outageDays[i] + " 07:00:00"})
	}
	var features []string
	for n, s := range sites {
		features = append(features, fmt.Sprintf(`{"type":"Feature","geometry":{"type":"Point","coordinates":[-1.6,%.4f]},`+
			`"properties":{"operateur":%q,"departement":"35","code_postal":"35000","code_insee":"35238","commune":"Rennes",`+
			`"station_anfr":%q,"voix4g":"HS","data4g":"HS","voix2g":"OK","voix":"HS","data":"HS","propre":1,"raison":"INT",`+
			`"detail":null,"debut":%q,"fin":null}}`, 48.1+float64(n)/100, s.operator, s.station, s.start))
	}
	return `{"type":"FeatureCollection","features":[` + strings.Join(features, ",\n") + "]}"
}

// newSourcesKit makes the kit, and serves it.
func newSourcesKit(t *testing.T) *sourcesKit {
	t.Helper()
	files, err := demo.Write(t.TempDir(), 40)
	must(t, err)
	k := &sourcesKit{files: map[string]string{
		"/www.data.gouv.fr/api/1/datasets/donnees-sur-les-reseaux-mobiles/": `{"resources":[{"url":"/r/SYNTHETIC_observatoire.csv"}]}`,
		"/r/SYNTHETIC_observatoire.csv":                                     string(filetest.Read(t, files[0])),
		campaign("Metropole"):                                               qos(90, "METROPOLE", 45.5, 4.25),
		campaign("Outremer"):                                                qos(30, "GUADELOUPE", 16.1, -61.6),
		"/www.mercator.vlaanderen.be/raadpleegdienstenmercatorpubliek/us/ows": `{"type":"FeatureCollection",` +
			`"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::31370"}},"features":[` + "\n" +
			`{"type":"Feature","properties":{"id":5,"goedkeuringsdatum":"2014-01-02","sitecode":"S1","locatiebeschrijving":"Korenlei 10, 9000 Gent",` +
			`"operatornaam":"Proximus NV","dossiernummer":"D5"},"geometry":{"type":"Point","coordinates":[105000,194000]}}]}`,
		"/geodata.environnement.brussels/api/geodata/postgis/risk/r_gsm_anten_outdoor_v": `{"type":"FeatureCollection","features":[` +
			`{"properties":{"html_fr":"<a href=\"https://antennes3d.environnement.brussels/?id=17&amp;lang=fr\">3D</a>"}},` +
			`{"properties":{"html_fr":"<a href=\"https://antennes3d.environnement.brussels/?id=18\">3D</a>"}}]}`,
		"/antennes3d.environnement.brussels/meta?id=17": `{"id_global_outdoor":1234,"date_exportation":"2014-10-15T12:44:01.969Z"}`,
		"/antennes3d.environnement.brussels/meta?id=18": `{"isOldPermit":true}`,
		"/antennes3d.environnement.brussels/permitantennas?id=1234": `{"1":{"geometry":{"coordinates":[4.35,50.85,30]},"properties":{"transmitters":[` +
			`{"antbts":"BR1","antazi":240,"anteff":"40.5","anthma":31.25,"operateur":"Proximus","system":"LTE 800"},` +
			`{"antbts":"BR1","antazi":"120","anteff":"40.5","anthma":31.25,"operateur":"Proximus","system":"5G 3500"}]}}}`,
	}, rows: map[string][]term{
		"operator ?identifier": {{"operator": flemish + "operator/1", "label": "Proximus NV"}},
		"technologie ?label":   {{"technologie": flemish + "antennetechnologie/1", "label": "4G"}},
		"antenne ?dossier":     {{"antenne": flemish + "zendantenne/1", "dossier": "a", "goedkeuring_tijdstip": "2020-05-06T07:08:09Z"}},
		"antenne ?label": {{"antenne": flemish + "zendantenne/1", "operator": flemish + "operator/1",
			"tech": flemish + "antennetechnologie/1", "site_label": "S1", "geometry": "POINT(3.7269413 51.0544086)",
			"azimut": "70", "hoogte": "32.5"}},
		"antenne ?straling": {{"antenne": flemish + "zendantenne/1", "straling": "1", "frequentie": "1842.5"}},
	}}
	for i, day := range outageDays {
		k.files[arcepStore+"sites-indisponibles/all/"+day+"/raw"+day+".geojson"] = unavailableOn(i)
	}
	k.Server = httptest.NewServer(k)
	t.Cleanup(func() { k.CloseClientConnections(); k.Close() })
	return k
}

var firstVariables = regexp.MustCompile(`SELECT DISTINCT \?(\w+ \?\w+)`)

func (k *sourcesKit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	nth := k.asked.Add(1)
	if k.meet != nil {
		k.meet(nth)
	}
	target := r.URL.Path
	if r.URL.Query().Has("id") {
		target += "?id=" + r.FormValue("id")
	}
	switch {
	case r.Method == http.MethodPost:
		query := r.FormValue("query")
		k.answerQuery(w, k.rows[firstVariables.FindStringSubmatch(query)[1]], strings.Contains(query, "COUNT(*)"))
	case r.URL.Path == arcepStore:
		fmt.Fprint(w, `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>`)
		for path := range k.files {
			if key, ok := strings.CutPrefix(path, arcepStore); ok && strings.HasPrefix(key, r.FormValue("prefix")) {
				fmt.Fprintf(w, `<Contents><Key>%s</Key><LastModified>2026-09-18T08:00:00.000Z</LastModified><Size>%d</Size></Contents>`,
					key, len(k.files[path]))
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	case k.files[target] == "":
		http.NotFound(w, r)
	default:
		fmt.Fprint(w, k.files[target])
	}
}

func (k *sourcesKit) answerQuery(w http.ResponseWriter, rows []term, count bool) {
	if count {
		rows = []term{{"rows": fmt.Sprint(len(rows))}}
	}
	bindings := []map[string]term{}
	for _, row := range rows {
		b := map[string]term{}
		for name, value := range row {
			b[name] = term{"type": "literal", "value": value}
		}
		bindings = append(bindings, b)
	}
	w.Header().Set("Content-Type", "application/sparql-results+json")
	json.NewEncoder(w).Encode(object{"head": object{"vars": []string{}}, "results": object{"bindings": bindings}})
}

// table writes the built-in table of sources with the addresses of the kit, and those of its lines that are named.
func (k *sourcesKit) table(t *testing.T, names ...string) string {
	t.Helper()
	var table struct {
		Files []object `json:"files"`
	}
	must(t, json.Unmarshal(filetest.Read(t, filepath.Join("..", "..", "data", "update", "sources.json")), &table))
	table.Files = slices.DeleteFunc(table.Files, func(f object) bool { return !slices.Contains(names, f["name"].(string)) })
	if len(table.Files) != len(names) {
		t.Fatalf("the built-in table has %d of the sources %q", len(table.Files), names)
	}
	text, err := json.Marshal(table)
	must(t, err)
	return filetest.New(t, "sources.json", strings.ReplaceAll(string(text), "https://", k.URL+"/"))
}

// everySource are the sources that the kit has rows of.
var everySource = []string{"anfr-observatoire", "arcep-mesures-metropole", "arcep-mesures-outremer", "arcep-sites-indisponibles",
	"vlaanderen-zendantennes", "flanders-antennas", "brussels-antennas"}

// updateAll are the arguments that fetch every source into a folder.
func updateAll(dir, table string) []string {
	return []string{"update", "--data", dir, "--sources", table, "--with", "belgium-antennas,outages-since=2026-01-01", "FR,DROM,BE"}
}

// One command fetches every kind of source into an empty folder.
func TestEverySourceByOneCommand(t *testing.T) {
	t.Parallel() // it waits a second before most requests
	k, dir := newSourcesKit(t), filepath.Join(t.TempDir(), "data")
	run(t, updateAll(dir, k.table(t, everySource...))...)
	letIn(t, dir)
	s := serve(t, dir)
	k.isServed(s)
	for site, want := range map[string][]int{"be-5": {70}, "be-bru-17": {120, 240}} {
		var got []int
		for h := range headingsOfDetails(map[string]object{site: s.one("/antennas/" + site + "?market=BE")}) {
			got = append(got, h.azimuth)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: azimuths %v, want %v", site, got, want)
		}
	}
}

// isServed compares what a server has of the campaigns and of the days with what the kit's own files say.
func (k *sourcesKit) isServed(s *server) {
	t := s.t
	t.Helper()
	for market, part := range parts {
		speedtests, points := measured(t, k.files[campaign(part)])
		if got := len(s.list("/speedtests?limit=1000&market=" + market)); got != speedtests || got == 0 {
			t.Errorf("%s: %d speedtests, want %d", market, got, speedtests)
		}
		if got := len(s.list("/coverage/points?limit=5000&market=" + market)); got != points || got == 0 {
			t.Errorf("%s: %d coverage points, want %d", market, got, points)
		}
	}
	siteDays := map[string]int{} // by operator
	for i := range outageDays {
		for _, m := range operatorIn.FindAllStringSubmatch(unavailableOn(i), -1) {
			siteDays[strings.ToUpper(strings.Fields(m[1])[0])]++
		}
	}
	meta := s.meta("/outages/history?from=2026-01-01&to=2026-01-05")
	got := map[string]int{}
	for _, a := range meta["availability"].([]any) {
		got[a.(object)["operatorKey"].(string)] = int(a.(object)["siteDays"].(float64))
	}
	// Free's is one outage over the gap, and so is Orange's; SFR's second one began after it. Each of Bouygues is one.
	if diff := cmp.Diff(siteDays, got); diff != "" || meta["total"] != 1.0+1+2+4 || meta["daysRead"] != 4.0 ||
		fmt.Sprint(meta["gaps"]) != "[map[from:2026-01-03 to:2026-01-03]]" {
		t.Errorf("outages: days of sites (-want +got)\n%s, %v outages, %v days, gaps %v; want 8, 4 and the 3rd", diff, meta["total"],
			meta["daysRead"], meta["gaps"])
	}
}

var operatorIn = regexp.MustCompile(`"operateur":"([^"]*)"`)

// measured counts the speedtests and the coverage points of a campaign by its rows: a speedtest has a speed, a point
// has a level.
func measured(t *testing.T, text string) (speedtests, points int) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = ';'
	all, err := r.ReadAll()
	must(t, err)
	column := func(row []string, name string) string { return row[slices.Index(all[0], name)] }
	for _, row := range all[1:] {
		if column(row, "bitrate_dl")+column(row, "bitrate_ul") != "" {
			speedtests++
		}
		if column(row, "rsrp")+column(row, "rscp") != "" {
			points++
		}
	}
	return speedtests, points
}
