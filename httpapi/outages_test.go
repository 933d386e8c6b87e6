package httpapi

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/community"
	"relais/community/communitytest"
	"relais/geo"
	"relais/internal/filetest"
	"relais/market"
	"relais/outage"
)

// outageTargets are answers about outages.
var outageTargets = []string{"/outages", "/outages?source=operator&limit=1", "/outages?market=PT",
	"/outages?market=CA&lat=46&lon=-71&radiusKm=200",
	"/sites-hs", "/sites-hs?market=BE", "/sites-hs?market=DROM&territory=974"}

// Rows of an operator's file.
const (
	paris   = "00000001R1;OUI;Île-de-France;75;Paris;75056;48.8584;2.2945;HS;HS;HS;HS;HS;HS;HS;HS;Incident;Incendie;2026-08-20 06:10:00;2026-08-21 18:00:00"
	lyon    = "00000002R1;NON;;69;Lyon;69123;45.76;4.83;OK;OK;DE;NE;HS;;OK;HS;;;2026-08-19 06:10:00;"
	unknown = "00000003R1;;;;;;48.86;2.29;;;;;;;;;;;;"
	reunion = "00000004R1;NON;;974;Saint-Denis;97411;-20.88;55.45;HS;HS;HS;HS;HS;HS;HS;HS;Incident;;2026-08-20 06:10:00;"
)

// importOutages imports a file of these rows.
func importOutages(t testing.TB, s *Server, code market.Code, operator string, rows ...string) {
	t.Helper()
	header := "code_site_op;Antenne relais gérée par " + operator +
		";region;departement;commune;code_insee;Lat;Lon;2Gvoix;3Gvoix;4Gvoix;3Gdata;4Gdata;5Gdata;voix;data;raison;detail;debut;fin_prev"
	path := filepath.Join(t.TempDir(), "sites_hs.csv")
	filetest.Write(t, path, strings.Join(append([]string{header}, rows...), "\n")+"\n")
	if _, err := s.Community.Feeds.Import(t.Context(), code, operator, path); err != nil {
		t.Fatal(err)
	}
}

// report makes a report, of an outage at the Eiffel tower unless it says another.
func report(t testing.TB, s *Server, n community.NewReport) string {
	t.Helper()
	if n.Market == "" {
		n.Market, n.Operator, n.At = market.FR, "ORANGE", geo.Point{Lat: 48.8585, Lng: 2.2946}
	}
	n.User = "user zyx4711"
	r, _, err := s.Community.AddReport(n)
	must(t, err)
	return r.ID
}

// memberValues are the values of a member of all entries.
func memberValues(t testing.TB, s *Server, target, member string) (values []any, meta object) {
	t.Helper()
	o := parse(t, get(t, s, target), 200)
	for _, e := range o["data"].([]any) {
		values = append(values, e.(object)[member])
	}
	meta = o["meta"].(object)
	if meta["count"] != json.Number(fmt.Sprint(len(values))) {
		t.Errorf("%s: %d entries, meta %v, want count = %v", target, len(values), meta, fmt.Sprint(len(values)))
	}
	return values, meta
}

// What operators publish and what people report stand side by side, with every key of
// the contract. No register is needed.
func TestOutages(t *testing.T) {
	s := empty(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon, unknown)
	id := report(t, s, community.NewReport{})
	data := parse(t, get(t, s, "/outages"), 200)["data"].([]any)
	if len(data) != 4 {
		t.Fatalf("%d entries, want 4", len(data))
	}
	community := data[0].(object)
	delete(community, "startedAt")
	for i, want := range []string{
		`{"source":"community","id":"` +
			id + `","marketCode":"FR","operatorKey":"ORANGE","latitude":48.8585,"longitude":2.2946,"siteKey":null,"siteName":"","address":"","commune":null,
			"severity":"down","affectedServices":[],"affectedTechnologies":[],"expectedEndAt":null,"reason":null,"state":"reported","confirmCount":0,"confirmationsRemaining":3,"operatorConfirmed":true}`,
		`{"source":"operator","id":"operator:fr-orange:00000001R1","marketCode":"FR","operatorKey":"ORANGE","latitude":48.8584,"longitude":2.2945,"siteKey":null,"siteName":"00000001R1","address":"","commune":"Paris",
			"severity":"down","affectedServices":["data","voice","sms"],"affectedTechnologies":["2g","3g","4g","5g"],"startedAt":"2026-08-20T04:10:00.000Z","expectedEndAt":"2026-08-21T16:00:00.000Z",
			"reason":"Incident","state":null,"confirmCount":null,"confirmationsRemaining":null,"operatorConfirmed":null}`,
		`{"source":"operator","id":"operator:fr-orange:00000002R1","marketCode":"FR","operatorKey":"ORANGE","latitude":45.76,"longitude":4.83,"siteKey":null,"siteName":"00000002R1","address":"","commune":"Lyon",
			"severity":"degraded","affectedServices":["data","voice"],"affectedTechnologies":["4g"],"startedAt":"2026-08-19T04:10:00.000Z","expectedEndAt":null,
			"reason":null,"state":null,"confirmCount":null,"confirmationsRemaining":null,"operatorConfirmed":null}`,
		`{"source":"operator","id":"operator:fr-orange:00000003R1","marketCode":"FR","operatorKey":"ORANGE","latitude":48.86,"longitude":2.29,"siteKey":null,"siteName":"00000003R1","address":"","commune":null,
			"severity":"degraded","affectedServices":[],"affectedTechnologies":[],"startedAt":"","expectedEndAt":null,
			"reason":null,"state":null,"confirmCount":null,"confirmationsRemaining":null,"operatorConfirmed":null}`,
	} {
		wantJSON(t, data[i], want)
	}
	for _, tt := range []struct {
		target string
		want   []any
	}{
		{"/outages?source=community", []any{id}},
		{"/outages?source=OPERATOR&limit=1", []any{"operator:fr-orange:00000001R1"}},
		{"/outages?operator=sfr", nil},
		{"/outages?market=DROM", nil},
		{"/outages?market=BE", nil},
		{"/outages?market=PT", nil},
		{"/outages?lat=48.86&lon=2.29&radiusKm=1&north=1",
			[]any{"operator:fr-orange:00000003R1", "operator:fr-orange:00000001R1", id}},
		{"/outages?north=46&south=45&west=4&east=5", []any{"operator:fr-orange:00000002R1"}},
		{"/outages?limit=2", []any{id, "operator:fr-orange:00000001R1"}},
	} {
		t.Run(tt.target, func(t *testing.T) {
			got, meta := memberValues(t, s, tt.target, "id")
			if !slices.Equal(got, tt.want) || meta["truncated"] != strings.Contains(tt.target, "limit=") ||
				meta["territory"] != nil {
				t.Errorf("%s: %v, meta %v; want %v", tt.target, got, meta, tt.want)
			}
		})
	}
	if text := get(t, s, "/outages").Body.String(); strings.Contains(text, "zyx") {
		t.Error("an answer tells who reported")
	}
}

// wantJSON compares JSON.
func wantJSON(t testing.TB, got any, want string) {
	t.Helper()
	var o any
	d := json.NewDecoder(strings.NewReader(want))
	d.UseNumber()
	must(t, d.Decode(&o))
	a, err1 := json.Marshal(got)
	b, err2 := json.Marshal(o)
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("%s, want %s", a, b)
	}
}

// An unavailable site has every key of the contract, those with the operator's name too.
func TestUnavailableSites(t *testing.T) {
	s := empty(t)
	importOutages(t, s, market.FR, "ORANGE", paris, unknown)
	importOutages(t, s, market.DROM, "OUTREMER_TELECOM", reunion)
	raw := `"code_site_op":"00000001R1","Antenne relais gérée par ORANGE":"OUI","region":"Île-de-France","departement":"75","commune":"Paris","code_insee":"75056","Lat":"48.8584","Lon":"2.2945",
		"2Gvoix":"HS","3Gvoix":"HS","4Gvoix":"HS","3Gdata":"HS","4Gdata":"HS","5Gdata":"HS","voix":"HS","data":"HS","raison":"Incident","detail":"Incendie","debut":"2026-08-20 06:10:00","fin_prev":"2026-08-21 18:00:00"`
	o := parse(t, get(t, s, "/sites-hs?operator=orange"), 200)
	data := o["data"].([]any)
	wantJSON(t, data[0], `{"sourceId":"fr-orange","market":"FR","operator":"ORANGE","territory":null,"code_site_op":"00000001R1","Lat":48.8584,"Lon":2.2945,"siteKey":null,"commune":"Paris","departement":"75","code_insee":"75056",
		"services":{"voice2g":"HS","voice3g":"HS","voice4g":"HS","data3g":"HS","data4g":"HS","data5g":"HS","voice":"HS","data":"HS"},"raison":"Incident",
		"debut":"2026-08-20T04:10:00.000Z","fin_prev":"2026-08-21T16:00:00.000Z","raw":{`+raw+`},"region":"Île-de-France","managedByOrange":true,"voixSms":"HS","voix":"HS","data":"HS",
		"2Gvoix":"HS","3Gvoix":"HS","4Gvoix":"HS","3Gdata":"HS","4Gdata":"HS","5Gdata":"HS","Antenne relais gérée par ORANGE":"OUI"}`)
	bare := data[1].(object)
	if end, there := bare["fin_prev"]; there || bare["debut"] != "" || bare["managedByOrange"] != nil ||
		bare["Antenne relais gérée par ORANGE"] != "" || bare["commune"] != "" {
		t.Errorf("what is not stated: got %v with fin_prev %v, want only empty members and no fin_prev", bare, end)
	}
	meta := o["meta"].(object)
	if _, err := time.Parse(time.RFC3339, meta["lastUpdate"].(string)); err != nil || meta["cached"] != true ||
		meta["operator"] != "ORANGE" || meta["sourceUnavailableReason"] != nil {
		t.Errorf("meta %v, %v, want no error, cached = true, operator = ORANGE and no sourceUnavailableReason", meta,
			err)
	}
	for _, tt := range []struct {
		target string
		want   int
	}{
		{"/sites-hs?market=drom&territory=974", 1},
		{"/sites-hs?market=DROM&territory=971", 0},
		{"/outages?market=DROM&territory=974", 1},
		{"/outages?market=DROM&territory=976", 0},
	} {
		t.Run(tt.target, func(t *testing.T) {
			values, meta := memberValues(t, s, tt.target, "id")
			if territory := tt.target[len(tt.target)-3:]; len(values) != tt.want || meta["territory"] != territory {
				t.Errorf("%s: %d entries, meta %v, want %d and territory = %v", tt.target, len(values), meta, tt.want,
					territory)
			}
		})
	}
	site := parse(t, get(t, s, "/sites-hs?market=DROM"), 200)["data"].([]any)[0].(object)
	wantMembers(t, site, object{"territory": "974", "managedByOutremerTelecom": false,
		"Antenne relais gérée par OUTREMER_TELECOM": "NON"}, "site")
	for _, code := range []string{"BE", "CH", "PT", "ES", "BA"} {
		o := parse(t, get(t, s, "/sites-hs?market="+code), 200)
		meta := o["meta"].(object)
		why, _ := meta["sourceUnavailableReason"].(string)
		if data, ok := o["data"].([]any); !ok || len(data) != 0 || why == "" || meta["cached"] != false ||
			meta["lastUpdate"] != "" || meta["operatorFeed"].(object)["exists"] != false {
			t.Errorf("%s: answer = %v, want no entries and the reason", code, o)
		}
	}
}

// Whether feeds are available is told for those that were asked for, and a feed that
// grows old changes the answer and its tag by itself.
func TestOperatorFeed(t *testing.T) {
	s := empty(t)
	at := time.Now()
	s.Community = communitytest.Open(t, func() time.Time { return at })
	feed := func(query string, exists, available bool) {
		t.Helper()
		for _, route := range []string{"/outages", "/sites-hs"} {
			meta := parse(t, get(t, s, route+query), 200)["meta"].(object)
			if f := meta["operatorFeed"].(object); f["exists"] != exists || f["available"] != available || len(f) != 2 {
				t.Errorf("%s%s: meta = %v, want exists %v, available %v", route, query, meta, exists, available)
			}
		}
	}
	feed("", true, false)
	feed("?market=CA", true, false)
	feed("?market=CH", false, false)
	importOutages(t, s, market.FR, "ORANGE", paris)
	feed("", true, false)
	feed("?operator=ORANGE", true, true)
	target := "/outages?operator=ORANGE"
	tag := get(t, s, target).Header().Get("Etag")
	if w := get(t, s, target, "If-None-Match", tag); w.Code != 304 {
		t.Errorf("unchanged: %d, want 304", w.Code)
	}
	at = at.Add(49 * time.Hour)
	feed("?operator=ORANGE", true, false)
	parse(t, get(t, s, target, "If-None-Match", tag), 200)
	must(t, s.Community.Feeds.Failed(market.FR, "ORANGE", os.ErrDeadlineExceeded))
	if values, _ := memberValues(t, s, target, "id"); len(values) != 1 {
		t.Errorf("a failed feed has %d entries, want 1", len(values))
	}
	importOutages(t, s, market.FR, "ORANGE", lyon)
	feed("?operator=ORANGE", true, true)
	tag = get(t, s, target).Header().Get("Etag")
	report(t, s, community.NewReport{StartedAt: at.Add(-time.Hour)})
	if values, _ := memberValues(t, s, target, "id"); len(values) != 2 {
		t.Errorf("%d entries with a report, want 2", len(values))
	}
	at = at.Add(25 * time.Hour)
	parse(t, get(t, s, target, "If-None-Match", tag), 200)
	if values, _ := memberValues(t, s, target, "source"); len(values) != 1 || values[0] != "operator" {
		t.Errorf("%d entries with a report, want 1", len(values))
	}
}

// Above 500 the limit is 500, and the answer says that there is more.
func TestOutagesCeiling(t *testing.T) {
	s := empty(t)
	var rows []string
	for i := range 501 {
		rows = append(rows, strings.Replace(paris, "00000001R1", fmt.Sprintf("%08dR1", i), 1))
	}
	importOutages(t, s, market.FR, "ORANGE", rows...)
	for _, tt := range []struct {
		query string
		want  int
	}{
		{"", 200},
		{"?limit=500", 500},
		{"?limit=501", 500},
		{"?limit=100000", 500},
		{"?limit=7", 7},
	} {
		t.Run(tt.query, func(t *testing.T) {
			if values, meta := memberValues(t, s, "/outages"+tt.query, "id"); len(values) != tt.want ||
				meta["truncated"] != true {
				t.Errorf("%q: %d entries, meta %v, want %d and truncated = true", tt.query, len(values), meta,
					tt.want)
			}
		})
	}
	importOutages(t, s, market.FR, "ORANGE", rows[:500]...)
	if values, meta := memberValues(t, s, "/outages?limit=9999", "id"); len(values) != 500 || meta["truncated"] != false {
		t.Errorf("%d entries, meta %v, want 500 and truncated = false", len(values), meta)
	}
	if values, _ := memberValues(t, s, "/sites-hs", "code_site_op"); len(values) != 500 {
		t.Errorf("%d unavailable sites, want 500", len(values))
	}
}

// A request is answered from one state: its tag belongs to its entries, and an empty list
// does not come with a feed that was read meanwhile.
func TestOutagesOfOneMoment(t *testing.T) {
	s := empty(t)
	env := s.Env()
	before := env.Outages.Version()
	importOutages(t, s, market.FR, "ORANGE", paris)
	list := env.Outages.Entries(outage.Query{Market: market.FR})
	if after := env.Outages.Version(); after != before || len(list) != 0 ||
		env.Outages.FeedStatus(market.FR, []string{"ORANGE"}).Available {
		t.Errorf("got version %s, then %s with %v; want the same, without entries", before, after, list)
	}
}
