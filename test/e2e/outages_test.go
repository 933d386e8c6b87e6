package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// latin1 encodes a text in Latin-1.
func latin1(text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

const hsHeader = "code_site_op;Antenne relais gérée par %s;region;departement;commune;code_insee;Lat;Lon;2Gvoix;3Gvoix;4Gvoix;3Gdata;4Gdata;5Gdata;voix;data;raison;detail;debut;fin_prev\n"

// hsFiles are files of the four operators, each in its own form. Some rows are to be
// rejected; titles and footers are not rows.
var hsFiles = map[string]struct {
	text   string
	served int
	reject map[string]int
}{
	"ORANGE": {"\ufeffListe des antennes indisponibles d'Orange;;;\r\n\r\n" +
		fmt.Sprintf(strings.ReplaceAll(hsHeader, "\n", "\r\n"), "Orange") +
		"00000001R1;OUI;Auvergne-Rhône-Alpes;63;Orléat;63265;45,862;3,42;HS;HS;HS;HS;HS;NE;HS;HS;Incident;panne;2026-08-20 06:10:00;2026-08-21 18:00:00\r\n" +
		"00000002R1;NON;;63;;63113;45.77;3.08;OK;OK;DE;OK;DE;DE;OK;DE;Travaux;;2026-01-20 06:10:00;\r\n" +
		"00000003R1;NON;;63;;63113;;;OK;OK;DE;OK;DE;DE;OK;DE;Travaux;;;\r\n" +
		"00000002R1;NON;;63;;63113;45.77;3.08;OK;OK;OK;OK;OK;OK;OK;OK;Travaux;;;\r\n" +
		"Source : Orange;;;;;;;;;;;;;;;;;;;\r\n", 2, map[string]int{"no position": 1, "the same site again": 1}},
	"SFR": {latin1("Sites hors services, mise à jour à 06:00\n\n" +
		"code_site_op;Departement;code_insee_commune;Commune;X_WGS84_GPS;Y_WGS84_GPS;Voix/SMS;internet mobile;raison;debut;fin\n" +
		"10235;63;63113;Évaux-lès-Pré;45.7701;3.0801;HS;OK;Dégât;20/08/2026 06:10;19/08/2026\n" +
		"00000001R1;63;63265;Orléat;45.862;3.42;HS;HS;;;\n" + // Orange has this code too
		"10236;974;97411;Saint-Denis;-20.88;55.45;HS;HS;;;\n"), 2, map[string]int{"a site of the market DROM": 1}},
	"BOUYGUES": {"\"Code SI\",\"Région\",\"Département\",\"Commune\",\"Code INSEE\",\"Lat\",\"Lon\",\"voix\",\"data\",\"début\"\n" +
		"\"T10008\",\"Île-de-France\",\"1\",\"Bourg, en Bresse\",\"1053\",\"46.2\",\"5.22\",\"DE\",\"DE\",\"2026-08-20T06:10:00+02:00\"\n" +
		"\"T10009\",\"\",\"1\",\"\",\"1053\",\"nord\",\"5.22\",\"DE\",\"DE\",\"\"\n\nDonnées au 20 août\n",
		1, map[string]int{"position that is not a number": 1}},
	"FREE": {fmt.Sprintf(hsHeader,
		"Free") + "2A004_ABC;NON;Corse;2A;Ajaccio;20090;41.93;8.74;NE;NE;HS;NE;HS;;HS;HS;Incident;;2026-02-30 06:10:00;\n", 1, nil},
}

// An imported is a part of what relais outage import --json prints.
type imported struct {
	Feed  struct{ State string }
	Files []struct {
		Rows, Served int
		Rejected     map[string]int
	}
}

// importOutages imports an operator's file in FR.
func importOutages(t *testing.T, dir, operator, text string) (r imported) {
	t.Helper()
	command(t, &r, "outage", "import", "--data", dir, "--market", "FR", "--operator", operator,
		writeFile(t, "hs.csv", text))
	return r
}

// feed is operatorFeed of an answer, and how many entries it has.
func (s *server) feed(path string) string {
	s.t.Helper()
	o := s.ask(path)
	meta := o["meta"].(object)
	f := meta["operatorFeed"].(object)
	if n := len(o["data"].([]any)); float64(n) != meta["count"] {
		s.t.Errorf("%s: %d entries, %v", path, n, meta)
	}
	return fmt.Sprintf("exists %v, available %v, %v entries", f["exists"], f["available"], meta["count"])
}

func TestOutageFeeds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	letIn(t, dir)
	s := serve(t, nil, "serve", "--data", dir)
	says := func(path, want string) {
		t.Helper()
		for _, route := range []string{"/outages", "/sites-hs"} {
			if got := s.feed(route + path); got != want {
				t.Errorf("%s%s: %s, want %s", route, path, got, want)
			}
		}
	}
	says("", "exists true, available false, 0 entries")
	says("?market=BE", "exists false, available false, 0 entries")
	says("?market=PT", "exists false, available false, 0 entries")
	if meta := s.ask("/sites-hs?market=BE")["meta"].(object); meta["sourceUnavailableReason"] == nil ||
		meta["lastUpdate"] != "" || meta["cached"] != false {
		t.Errorf("BE: %v", meta)
	}
	if meta := s.ask("/sites-hs")["meta"].(object); meta["sourceUnavailableReason"] != nil || meta["lastUpdate"] != "" {
		t.Errorf("FR, nothing was read: %v", meta)
	}
	total := 0
	before := time.Now().UTC().Truncate(time.Second)
	for _, operator := range []string{"ORANGE", "SFR", "BOUYGUES", "FREE"} {
		says("", fmt.Sprintf("exists true, available false, %d entries", total)) // one of them is still absent
		says("?operator="+operator, "exists true, available false, 0 entries")
		file := hsFiles[operator]
		f := importOutages(t, dir, operator, file.text).Files[0]
		rejected := 0
		for _, n := range f.Rejected {
			rejected += n
		}
		if f.Served != file.served || f.Rows != f.Served+rejected || len(f.Rejected) != len(file.reject) ||
			len(file.reject) > 0 && !reflect.DeepEqual(f.Rejected, file.reject) {
			t.Errorf("%s: %+v, want %d and %v", operator, f, file.served, file.reject)
		}
		total += file.served
		says("?operator="+operator, fmt.Sprintf("exists true, available true, %d entries", file.served))
	}
	says("", "exists true, available true, 6 entries")
	says("?market=DROM", "exists true, available false, 0 entries")
	if at, err := time.Parse(time.RFC3339, s.ask("/sites-hs")["meta"].(object)["lastUpdate"].(string)); err != nil ||
		at.Before(before) || at.After(time.Now()) {
		t.Errorf("lastUpdate %v, %v", at, err)
	}
	unavailableSites(t, s)
	operatorOutages(t, s)
	failedFeeds(t, s, dir)
}

// unavailableSites compares /sites-hs with what the files say.
func unavailableSites(t *testing.T, s *server) {
	t.Helper()
	sites := map[string]object{}
	for _, x := range s.ask("/sites-hs")["data"].([]any) {
		o := x.(object)
		sites[o["operator"].(string)+" "+o["code_site_op"].(string)] = o
	}
	const want = `{"2Gvoix":"HS","3Gdata":"HS","3Gvoix":"HS","4Gdata":"HS","4Gvoix":"HS","5Gdata":"NE","Antenne relais gérée par ORANGE":"OUI","Lat":45.862,"Lon":3.42,` +
		`"code_insee":"63265","code_site_op":"00000001R1","commune":"Orléat","data":"HS","debut":"2026-08-20T04:10:00.000Z","departement":"63","fin_prev":"2026-08-21T16:00:00.000Z",` +
		`"managedByOrange":true,"market":"FR","operator":"ORANGE","raison":"Incident","raw":{"2Gvoix":"HS","3Gdata":"HS","3Gvoix":"HS","4Gdata":"HS","4Gvoix":"HS","5Gdata":"NE",` +
		`"Antenne relais gérée par ORANGE":"OUI","Lat":"45,862","Lon":"3,42","code_insee":"63265","code_site_op":"00000001R1","commune":"Orléat","data":"HS","debut":"2026-08-20 06:10:00",` +
		`"departement":"63","detail":"panne","fin_prev":"2026-08-21 18:00:00","raison":"Incident","region":"Auvergne-Rhône-Alpes","voix":"HS"},"region":"Auvergne-Rhône-Alpes",` +
		`"services":{"data":"HS","data3g":"HS","data4g":"HS","data5g":"NE","voice":"HS","voice2g":"HS","voice3g":"HS","voice4g":"HS"},"sourceId":"fr-orange","territory":null,"voix":"HS","voixSms":"HS"}`
	if got, err := json.Marshal(sites["ORANGE 00000001R1"]); err != nil || string(got) != want {
		t.Errorf("site = %s\nwant %s", got, want)
	}
	for _, tt := range []struct {
		key   string
		wants object
	}{
		{"SFR 10235", object{"Lat": 45.7701, "Lon": 3.0801, "commune": "Évaux-lès-Pré", "raison": "Dégât",
			"voixSms": "HS", "data": "OK", "debut": "2026-08-20T04:10:00.000Z", "fin_prev": nil, "managedBySfr": nil}},
		{"SFR 00000001R1", object{"debut": "", "commune": "Orléat"}},
		{"BOUYGUES T10008", object{"code_insee": "01053", "commune": "Bourg, en Bresse", "region": "Île-de-France",
			"debut": "2026-08-20T04:10:00.000Z", "2Gvoix": "", "voix": "DE", "raison": ""}},
		{"FREE 2A004_ABC", object{"code_insee": "2A004", "debut": "", "managedByFree": false, "5Gdata": "",
			"Antenne relais gérée par FREE": "NON"}},
	} {
		t.Run(tt.key, func(t *testing.T) {
			site := sites[tt.key]
			for name, want := range tt.wants {
				if got := site[name]; got != want {
					t.Errorf("%s: %s is %v, want %v", tt.key, name, got, want)
				}
			}
			if raw, _ := site["raw"].(object); len(raw) != 20 {
				t.Errorf("%s: raw has %d keys", tt.key, len(raw))
			}
		})
	}
}

// spaced is values with blanks between them.
func spaced(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

// operatorOutages compares /outages with what the files say, in the order of answers.
func operatorOutages(t *testing.T, s *server) {
	t.Helper()
	var got []string
	for _, x := range s.ask("/outages?source=operator")["data"].([]any) {
		o := x.(object)
		for _, name := range []string{"state", "confirmCount", "confirmationsRemaining", "operatorConfirmed"} {
			if o[name] != nil || o["source"] != "operator" {
				t.Errorf("%s of %v", name, o)
			}
		}
		got = append(got, spaced(o["operatorKey"], o["siteName"], o["severity"], o["affectedServices"],
			o["affectedTechnologies"], o["startedAt"], o["expectedEndAt"]))
	}
	want := []string{
		"BOUYGUES T10008 down [data voice sms] [] 2026-08-20T04:10:00.000Z <nil>",
		"ORANGE 00000001R1 down [data voice sms] [2g 3g 4g] 2026-08-20T04:10:00.000Z 2026-08-21T16:00:00.000Z",
		"SFR 10235 degraded [voice sms] [] 2026-08-20T04:10:00.000Z <nil>",
		"ORANGE 00000002R1 degraded [data voice] [4g 5g] 2026-01-20T05:10:00.000Z <nil>",
		"FREE 2A004_ABC down [data voice sms] [4g]  <nil>", "SFR 00000001R1 down [data voice sms] []  <nil>",
	}
	if !slices.Equal(got, want) {
		t.Errorf("outages =\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	ids := func(path string) (list []string) {
		for _, x := range s.ask(path)["data"].([]any) {
			list = append(list, x.(object)["siteName"].(string))
		}
		return list
	}
	for _, tt := range []struct{ path, want string }{
		{"?limit=2", "[T10008 00000001R1]"},
		{"?lat=45.77&lon=3.08&radiusKm=0.1", "[00000002R1 10235]"}, // the nearest first
		{"?lat=45.77&lon=3.08&radiusKm=0.01", "[00000002R1]"},
		{"?lat=45.77&lon=3.08&radiusKm=0.1&north=46", "[00000002R1 10235]"},
		{"?north=45.862&south=45.862&west=3&east=3.5", "[00000001R1 00000001R1]"}, // edges belong to it
	} {
		t.Run(tt.path, func(t *testing.T) {
			if got := fmt.Sprint(ids("/outages" + tt.path)); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.path, got, tt.want)
			}
		})
	}
	if meta := s.ask("/outages?limit=2")["meta"].(object); meta["truncated"] != true {
		t.Errorf("meta = %v, want it truncated", meta)
	}
}

// A report in the command's answers.
type outageSaid struct {
	ID, State         string
	Confirms          int
	OperatorConfirmed bool
}
