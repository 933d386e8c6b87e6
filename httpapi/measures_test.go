package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/geo"
	"relais/index"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
	"relais/site"
)

// A measuredSites is what the tests measure: a site whose eNB some tests name, and one far away
// whose nodes no test names.
type measuredSites struct {
	stated, silent site.Site
	node           site.RadioID // of stated
}

// places finds them in the country.
func places(set *index.Set) (h measuredSites) {
	m := set.Market(market.FR)
	for at := range uint32(m.Len()) {
		var s site.Site
		m.Site(at, &s)
		i := slices.IndexFunc(s.Radio, func(id site.RadioID) bool { return id.Kind == site.ENB })
		switch {
		case i >= 0 && h.stated.ID == "":
			h.stated, h.node = s, s.Radio[i]
		case h.stated.ID != "" && h.silent.ID == "" && geo.Distance(s.Position, h.stated.Position) > 20_000:
			h.silent = s
		}
	}
	return h
}

// measured is one store for all tests of the package.
var measured = sync.OnceValues(func() (*measure.Store, error) {
	set, err := country()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "relais-measures-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := measure.OpenDatabase(folder.Dir(dir), false)
	if err != nil {
		return nil, err
	}
	s, err := measure.New(folder.Dir(dir), db, time.Now)
	if err != nil {
		return nil, err
	}
	h := places(set)
	ago := func(hours int) string {
		return time.Now().UTC().Add(-time.Duration(hours) * time.Hour).Format(time.RFC3339)
	}
	operators := market.Get(market.FR).Operators
	codes := func(operator int) string {
		p := operators[operator].PLMNs[0]
		return p[:3] + "," + p[3:]
	}
	other := (h.node.Operator + 1) % len(operators)
	p, q := h.stated.Position, h.silent.Position
	tests := "timestamp,lat,lng,download_mbps,average_mbps,max_mbps,upload_mbps,ping_ms,mcc,mnc,network_type,connection_type,device_type,enb,cell_id,pci,rsrp,rsrq,snr\n" +
		fmt.Sprintf("%s,%v,%v,100.5,80.25,120,10,20,%s,CELLULAR,LTE,phone,%d,%d,0,-90.5,-10,7\n", ago(1), p.Lat,
			p.Lng, codes(h.node.Operator), h.node.Value, h.node.Value<<8|3) +
		fmt.Sprintf("%s,%v,%v,150,80.25,160,,,%s,CELLULAR,LTE,phone,%d,,,,,\n", ago(2), p.Lat, p.Lng,
			codes(h.node.Operator), h.node.Value) +
		fmt.Sprintf("%s,%v,%v,500,79,160,,,%s,CELLULAR,LTE,phone,%d,,,,,\n", ago(24*100), p.Lat,
			p.Lng, codes(h.node.Operator), h.node.Value) +
		fmt.Sprintf("%s,%v,%v,900,900,900,,,%s,CELLULAR,LTE,phone,%d,,,,,\n", ago(3), p.Lat, p.Lng, codes(other),
			h.node.Value)
	for _, st := range h.silent.Stations[:1] {
		tests += fmt.Sprintf("%s,%v,%v,42,,,,,%s,,,,,,,,,\n", ago(5), q.Lat, q.Lng, codes(st.Operator))
	}
	coverage := "timestamp,lat,lng,signal_strength,technology,network_type,mcc,mnc,cell_id,pci,rsrp,rsrq,snr\n" +
		fmt.Sprintf("%s,%v,%v,-60,LTE,CELLULAR,208,1,%d,7,-80.5,-9.5,12\n", ago(1), p.Lat, p.Lng, h.node.Value<<8|3) +
		fmt.Sprintf("%s,%v,%v,-70,5G,,208,1,,,,,\n", ago(2), p.Lat, p.Lng) +
		fmt.Sprintf("%s,%v,%v,-70,4G,,208,10,,,,,\n", ago(24*100), p.Lat, p.Lng)
	for name, text := range map[string]string{"speedtests.csv": tests, "coverage.csv": coverage} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			return nil, err
		}
		reports, err := s.Import(context.Background(), market.FR, measure.Options{}, dir+"/"+name)
		if err != nil {
			return nil, err
		}
		if reports[0].Served != reports[0].Rows {
			return nil, fmt.Errorf("%s: %v", name, reports[0].Rejected)
		}
	}
	return s, nil
})

// newMeasures gives the server the store.
func newMeasures(t testing.TB) func() *measure.Store {
	t.Helper()
	s, err := measured()
	must(t, err)
	return func() *measure.Store { return s }
}

func newMeasuredSites(t *testing.T) measuredSites {
	t.Helper()
	set, err := country()
	must(t, err)
	return places(set)
}

// downloads are the download speeds of an answer, which tell the tests' rows apart.
func downloads(o object) string {
	var list []string
	for _, item := range o["data"].([]any) {
		list = append(list, fmt.Sprint(item.(object)["downloadSpeed"]))
	}
	return strings.Join(list, " ")
}

// wantOwnEdition checks that meta.editions has the one import, which nobody published, and that its id selects it. It
// takes the editions from the answer.
func wantOwnEdition(t *testing.T, h http.Handler, path string, answer object) {
	t.Helper()
	meta := answer["meta"].(object)
	list := meta["editions"].([]any)
	delete(meta, "editions")
	if len(list) != 1 || list[0].(object)["source"] != nil || list[0].(object)["newest"] != false {
		t.Fatalf("%s: editions %v, want one that nobody published", path, list)
	}
	id := list[0].(object)["id"].(string)
	found := parse(t, get(t, h, path+"?limit=1000&edition="+id), 200)["data"].([]any)
	if fmt.Sprint(len(found)) != fmt.Sprint(list[0].(object)["measures"]) {
		t.Errorf("%s: %d of the edition, want %v", path, len(found), list[0].(object)["measures"])
	}
	wantError(t, get(t, h, path+"?edition=arcep-1999-habitations"), 400, "INVALID_PARAMETER")
}

func TestSpeedtests(t *testing.T) {
	s, h := newServer(t), newMeasuredSites(t)
	operators := market.Get(market.FR).Operators
	key := operators[h.node.Operator].Key
	box := func(p geo.Point, d float64) string {
		return fmt.Sprintf("&north=%v&south=%v&east=%v&west=%v", p.Lat+d, p.Lat-d, p.Lng+d, p.Lng-d)
	}
	for _, tt := range []struct{ query, want string }{
		{"", "100.5 150 900 42"},
		{"?days=365", "100.5 150 900 42 500"},
		{"?limit=2", "100.5 150"},
		{"?market=DROM", ""},
		{"?market=PT", ""},
		{"?market=CA", ""}, // measurements need no inventory
		{"?_=b" + box(h.silent.Position, 0), "42"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			if got := downloads(parse(t, get(t, s, "/speedtests"+tt.query), 200)); got != tt.want {
				t.Errorf("%s: downloads %s, want %s", tt.query, got, tt.want)
			}
		})
	}
	o := parse(t, get(t, s, "/speedtests?operator="+strings.ToLower(key)+"&limit=1"), 200)
	wantOwnEdition(t, s, "/speedtests", o)
	if got, want := fmt.Sprint(o["meta"]),
		fmt.Sprint(object{"limit": json.Number("1"), "returned": json.Number("1"), "market": "FR", "operator": key,
			"offset": json.Number("0"), "hasMore": true, "nextOffset": json.Number("1"),
			"sourceUnavailableReason": nil, "dataVersion": s.Measures().Version()}); got != want {
		t.Errorf("meta %s, want %s", got, want)
	}
	item := o["data"].([]any)[0].(object)
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", item["timestamp"].(string)); err != nil || item["id"] == "" {
		t.Errorf("item = %v, want an id and a time in milliseconds", item)
	}
	delete(item, "timestamp")
	delete(item, "id")
	plmn := operators[h.node.Operator].PLMNs[0]
	mnc, _ := strconv.Atoi(plmn[3:])
	text, err := json.Marshal(item)
	must(t, err)
	want := fmt.Sprintf(`{"averageSpeed":80.25,"connectionType":"LTE","coordinates":{"lat":%v,"lng":%v},"deviceType":"phone","downloadSpeed":100.5,"edition":null,"maxSpeed":120,"mcc":208,"mnc":%d,"mobileOperator":%q,"networkType":"CELLULAR","ping":20,"radio":{"cellId":"%d","enb":"%d","gnb":null,"pci":0,"rsrp":-90.5,"rsrq":-10,"snr":7},"uploadSpeed":10}`,
		h.stated.Position.Lat, h.stated.Position.Lng, mnc, operators[h.node.Operator].Label, h.node.Value<<8|3,
		h.node.Value)
	if string(text) != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	silent := parse(t, get(t, s, "/speedtests?limit=1"+box(h.silent.Position, 0)), 200)["data"].([]any)[0].(object)
	text, err = json.Marshal([]any{silent["averageSpeed"], silent["ping"], silent["networkType"],
		silent["connectionType"], silent["deviceType"], silent["radio"]})
	if err != nil || string(text) != `[null,null,"","","",{"cellId":"","enb":null,"gnb":null,"pci":null,"rsrp":null,"rsrq":null,"snr":null}]` {
		t.Errorf("what is not stated: %s, %v, want no error and text = %q", text, err,
			`[null,null,"","","",{"cellId":"","enb":null,"gnb":null,"pci":null,"rsrp":null,"rsrq":null,"snr":null}]`)
	}
}

func TestSpeedtestsOfSite(t *testing.T) {
	s, h := newServer(t), newMeasuredSites(t)
	table := market.Get(market.FR)
	mine, other := table.Operators[h.node.Operator], table.Operators[(h.node.Operator+1)%len(table.Operators)]
	id, enb := "siteId="+h.stated.ID, fmt.Sprintf("enb=%d", h.node.Value)
	mnc := func(o market.Operator) string {
		n, _ := strconv.Atoi(o.PLMNs[0][3:])
		return fmt.Sprintf("&mnc=%d", n)
	}
	for _, tt := range []struct{ query, want string }{
		// what another operator calls by the same number is not the site's
		{id, "100.5 150 500"},
		{"siteId=fr-" + h.stated.ID, "100.5 150 500"},
		{"anfrCode=" + h.stated.SourceCode, "100.5 150 500"},
		{"nationalSiteCode=" + h.stated.ID, "100.5 150 500"},
		{"sourceCode=" + h.stated.SourceCode + "&" + id, "100.5 150 500"},
		{id + "&limit=1&offset=1", "150"},
		{id + "&offset=9", ""},
		{id + "&bestOnly=true&offset=9", "150"},
		{id + "&operator=" + other.Key, ""},
		{id + mnc(mine), "100.5 150 500"},
		{id + mnc(mine) + "&mcc=208", "100.5 150 500"},
		{id + mnc(mine) + "&mcc=302", ""},
		{enb, "100.5 150 900 500"},
		{enb + "&bestOnly=true", "900"},
		{enb + "&bestOnly=true" + mnc(mine), "150"},
		{enb + "&operator=" + other.Key, "900"},
		{enb + "&market=DROM", ""},
		{"enb=0", ""},
		{id + "&enb=999999", ""},
		{"siteId=" + h.silent.ID, "42"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			if got := downloads(parse(t, get(t, s, "/speedtests/site?"+tt.query), 200)); got != tt.want {
				t.Errorf("%s: downloads %s, want %s", tt.query, got, tt.want)
			}
		})
	}
	o := parse(t, get(t, s, "/speedtests/site?"+id+"&bestOnly=true&offset=9"), 200)
	if got, want := fmt.Sprint(o["meta"]),
		fmt.Sprint(object{"total": json.Number("3"), "limit": json.Number("20"), "offset": json.Number("0"),
			"bestOnly": true, "market": "FR", "operator": "ALL", "sourceUnavailableReason": nil,
			"dataVersion": s.Measures().Version()}); got != want {
		t.Errorf("meta %s, want %s", got, want)
	}
}

func TestSpeedtestsOfSiteRefused(t *testing.T) {
	s, h := newServer(t), newMeasuredSites(t)
	id, enb := "siteId="+h.stated.ID, fmt.Sprintf("enb=%d", h.node.Value)
	for _, want := range []struct {
		query  string
		status int
		code   string
	}{
		{"", 400, "MISSING_ANTENNA_IDENTIFIER"},
		{"siteId=&enb=", 400, "MISSING_ANTENNA_IDENTIFIER"},
		{"siteId=0", 404, "SITE_NOT_FOUND"},
		{"siteId=0&" + enb, 404, "SITE_NOT_FOUND"},
		{id + "&market=DROM", 404, "SITE_NOT_FOUND"},
		{id + "&market=PT", 404, "SITE_NOT_FOUND"},
		{id + "&market=CA", 503, "NOT_READY"},
		{id + "&operator=ZEOP", 400, "INVALID_OPERATOR"},
		{"siteId=0&operator=X", 400, "INVALID_OPERATOR"},
		{enb + "&market=PT&operator=ORANGE", 400, "INVALID_OPERATOR"},
		{id + "&sourceCode=" + h.silent.SourceCode, 400, "INVALID_PARAMETER"},
		{"enb=4294967296", 400, "INVALID_PARAMETER"},
		{id + "&limit=101", 400, "INVALID_PARAMETER"},
		{id + "&mnc=1000", 400, "INVALID_PARAMETER"},
	} {
		t.Run(want.query, func(t *testing.T) {
			wantError(t, get(t, s, "/speedtests/site?"+want.query), want.status, want.code)
		})
	}
}

func TestCoveragePoints(t *testing.T) {
	s, h := newServer(t), newMeasuredSites(t)
	for _, tt := range []struct {
		query string
		want  []any
	}{
		{"", []any{"LTE", "5G"}},
		{"?technology=lte", []any{"LTE"}},
		{"?technology=4g&days=365", []any{"LTE", "4G"}},
		{"?technology=NR", []any{"5G"}},
		{"?technology=2G", []any{}},
		{"?operator=sfr&days=365", []any{"4G"}},
		{"?limit=1", []any{"LTE"}},
		{"?north=1&south=0&east=1&west=0", []any{}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			got := []any{}
			for _, p := range parse(t, get(t, s, "/coverage/points"+tt.query), 200)["data"].([]any) {
				got = append(got, p.(object)["technology"])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.query, got, tt.want)
			}
		})
	}
	o := parse(t, get(t, s, "/coverage/points?technology=lte&operator=ALL"), 200)
	wantOwnEdition(t, s, "/coverage/points", o)
	if got, want := fmt.Sprint(o["meta"]),
		fmt.Sprint(object{"limit": json.Number("500"), "returned": json.Number("1"), "market": "FR",
			"operator": "ALL", "technology": "LTE", "sourceUnavailableReason": nil,
			"dataVersion": s.Measures().Version()}); got != want {
		t.Errorf("meta %s, want %s", got, want)
	}
	item := o["data"].([]any)[0].(object)
	delete(item, "timestamp")
	delete(item, "id")
	text, err := json.Marshal(item)
	want := fmt.Sprintf(`{"coordinates":{"lat":%v,"lng":%v},"edition":null,"mcc":208,"mnc":1,"mobileOperator":"Orange","networkType":"CELLULAR","radio":{"cellId":"%d","enb":"%d","gnb":null,"pci":7},"rsrp":-80.5,"rsrq":-9.5,"signalStrength":-60,"snr":12,"technology":"LTE"}`,
		h.stated.Position.Lat, h.stated.Position.Lng, h.node.Value<<8|3, h.node.Value)
	if err != nil || string(text) != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	for _, tt := range []struct{ query, code string }{
		{"technology=6G", "INVALID_PARAMETER"},
		{"limit=5001", "INVALID_PARAMETER"},
		{"days=366", "INVALID_PARAMETER"},
		{"days=0", "INVALID_PARAMETER"},
		{"north=1", "INVALID_BBOX"},
		{"operator=ZEOP", "INVALID_OPERATOR"},
		{"market=XX", "INVALID_PARAMETER"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			wantError(t, get(t, s, "/coverage/points?"+tt.query), 400, tt.code)
			if !strings.HasPrefix(tt.query, "technology") && tt.query != "limit=5001" {
				wantError(t, get(t, s, "/speedtests?"+tt.query), 400, tt.code)
			}
		})
	}
	wantError(t, get(t, s, "/speedtests?limit=1001"), 400, "INVALID_PARAMETER")
}

// Without measures everything else is served; without inventory the measures are.
func TestMeasuresNotReady(t *testing.T) {
	s := newServer(t)
	s.Measures = func() *measure.Store { return nil }
	for _, target := range []string{"/speedtests", "/speedtests/site?siteId=90000010", "/speedtests/site?enb=1",
		"/coverage/points"} {
		w := get(t, s, target, "If-None-Match", "*")
		wantError(t, w, 503, "NOT_READY", "measurements")
		if w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", target)
		}
	}
	wantError(t, get(t, s, "/speedtests?days=0"), 400, "INVALID_PARAMETER")
	parse(t, get(t, s, "/antennas?limit=1"), 200)
	bare := empty(t)
	bare.Measures = newMeasures(t)
	parse(t, get(t, bare, "/speedtests"), 200)
	parse(t, get(t, bare, "/coverage/points"), 200)
	wantError(t, get(t, bare, "/speedtests/site?siteId=90000010"), 503, "NOT_READY", "loading")
}
