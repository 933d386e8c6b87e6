package httpapi

import (
	"bytes"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"relais/api"
	"relais/api/endpoint"
	"relais/internal/tier"
)

// path fills an operation's path with a good id.
func path(op *endpoint.Op[*api.Env]) string {
	return strings.NewReplacer("{id}", "90000010", "{siteId}", "90000010", "{date}", "2026-08-27",
		"{photoId}", "01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7",
		"{market}", "FR", "{z}", "9", "{x}", "259", "{y}", "176").Replace(op.Path)
}

// requiredQuery returns a query with the required parameters of an operation.
func requiredQuery(op *endpoint.Op[*api.Env], except string) string {
	if op.Name == "antennas.lookup" && except != "value" && except != "enb" && except != "gnb" && except != "pci" &&
		except != "cellId" && except != "ci" {
		return "value=1&"
	}
	if op.Name == "speedtests.site" && except != "siteId" {
		return "siteId=90000010&"
	}
	for _, place := range placeParams[op.Name] {
		if place == except {
			return map[string]string{"lat": "lon=2&", "lon": "lat=48&", "lng": "lat=48&"}[except]
		}
	}
	return map[string]string{"coverage.at": "lat=48&lon=2&", "coverage.area": "bbox=2,48,2.1,48.1&"}[op.Name]
}

// placeParams name the place that an operation needs, in one of several ways.
var placeParams = map[string][]string{
	"coverage.at":   {"lat", "lon", "lng", "q", "siteId"},
	"coverage.area": {"department", "territory", "province", "commune", "bbox", "north", "south", "east", "west"},
}

// hostile are values that no number, no name of a table and no edge can be.
var hostile = map[string]string{
	"NaN": "NaN", "Inf": "Inf", "hexadecimal": "0x10", "full-width digits": "１２", "exponent": "1e400", "NUL": "1%00",
	"invalid UTF-8": "%ff%fe", "line feed": "1%0a",
	"broken escape": "%zz", "half an escape": "1%", "a megabyte": strings.Repeat("9", 1<<20),
	"negative and huge": "-99999999999999999999", "SQL": "1'%20OR%201=1--",
	"markup": "%3Cscript%3E", "path": "..%2f..%2fetc%2fpasswd", "blank": "%20",
}

// Every query parameter of every operation with every kind of bad value: the
// right 4xx that names the parameter, never a 500, never a panic.
func TestHostileParameters(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	checked := 0
	for _, op := range api.Operations() {
		for _, p := range op.Params {
			if p.In != "query" {
				continue
			}
			code := p.Code
			if code == "" {
				code = "INVALID_PARAMETER"
			}
			with := func(query string) *httptest.ResponseRecorder {
				s.mapCaller = newMapCaller() // an operation without a key has few requests
				return ask(t, s, op, requiredQuery(op, p.Name)+query, nil, nil)
			}
			// An empty value counts as absent.
			if w := with(p.Name + "="); w.Code != op.Status && !(op.Name == "photos.delete" && w.Code == 404) &&
				!((op.Name == "antennas.lookup" || op.Name == "speedtests.site") && w.Code == 400) &&
				!(slices.Contains(placeParams[op.Name], p.Name) && w.Code == 400) {
				t.Errorf("%s with an empty %s: got %d %.200s, want %d", op.Name, p.Name, w.Code, w.Body, op.Status)
			}
			twice := p.Name + ": \"1\" is not allowed; give it once"
			if p.Name == "deleteToken" { // which errors do not repeat
				twice = p.Name + ": give it once"
			}
			wantError(t, with(p.Name+"=1&"+p.Name+"=1"), 400, "INVALID_PARAMETER", twice)
			for what, value := range hostile {
				checked++
				w := with(p.Name + "=" + value)
				if w.Code >= 500 {
					t.Errorf("%s %s with %s: %d %.200s, want less than 500", op.Name, p.Name, what, w.Code, w.Body)
					continue
				}
				// A text may be anything printable, and so may an id.
				free := p.Type.Kind() == reflect.String && p.Type.Name() == "string" || p.Name == "ids" && what != "blank"
				switch what {
				case "NUL", "invalid UTF-8", "line feed", "broken escape", "half an escape", "a megabyte":
					free = false
				}
				if free {
					continue
				}
				o := parse(t, w, 400)
				message, _ := o["error"].(string)
				if !strings.HasPrefix(message, p.Name+": ") && !strings.HasPrefix(message, "operator: ") ||
					len(message) > 700 || !utf8.ValidString(message) {
					t.Errorf("%s %s with %s: got %.300q, want a short message that begins with the parameter",
						op.Name, p.Name, what, message)
				}
				if o["code"] != code && o["code"] != "INVALID_OPERATOR" {
					t.Errorf("%s %s with %s: code %v, want %s", op.Name, p.Name, what, o["code"], code)
				}
			}
		}
	}
	if checked < 600 {
		t.Errorf("only %d combinations were checked, want at least 600", checked)
	}
}

func TestHostileIDs(t *testing.T) {
	s := newServer(t)
	for _, route := range []struct{ path, code string }{{"/antennas/", "ANTENNA_NOT_FOUND"},
		{"/sites/", "SITE_NOT_FOUND"}} {
		for _, id := range []string{"0", "1", "fr-1", "xx-90000010", "drom-90000010", "pt-1", "90000010%20", "a%2Fb",
			"..%2f90000010", "%2e%2e", "%2E%2E%2F", "%2e", "90000010%2F",
			"é", "%C3%A9", "１", "-1", "0x10", "NaN", "90000010;x", "90000010%3Fx", "*", "90000010.json"} {
			wantError(t, get(t, s, route.path+id), 404, route.code)
		}
		for _, id := range []string{"%00", "1%00", "%ff", "%0a", strings.Repeat("9", 129), strings.Repeat("9", 1<<20)} {
			wantError(t, get(t, s, route.path+id), 404, route.code)
		}
		for _, id := range []string{"90000010", "9000001%30", "fr-90000010", "FR-90000010", "fr%2d90000010"} {
			parse(t, get(t, s, route.path+id), 200)
		}
		for _, want := range []struct {
			query  string
			status int
			code   string
		}{
			{"market=XX", 400, "INVALID_PARAMETER"},
			{"market=DROM", 404, route.code},
			{"market=PT", 404, route.code},
			{"market=CA", 503, "NOT_READY"},
			{"operator=ZEOP", 400, "INVALID_OPERATOR"},
			{"operator=nonsense", 400, "INVALID_OPERATOR"},
			{"operator=%C5%BFfx", 400, "INVALID_OPERATOR"}, // with a long s
		} {
			t.Run(want.query, func(t *testing.T) {
				wantError(t, get(t, s, route.path+"90000010?"+want.query), want.status, want.code)
			})
		}
		wantError(t, get(t, s, route.path+"ca-abc"), 503, "NOT_READY", "relais ingest --data DIR CA")
	}
	key, _ := testKeys.Load(s.Gate)
	for _, id := range []string{"%00", "1%00", "%ff", "%0a", strings.Repeat("9", 129)} {
		wantError(t, get(t, s, "/sites/"+id+"/photos"), 404, "SITE_NOT_FOUND")
		body, contentType := form(part{"file", "photo.jpg", "x"})
		wantError(t, postTo(t, s, key.(string), "/sites/"+id+"/photos", contentType, bytes.NewReader(body)), 404,
			"SITE_NOT_FOUND")
		wantError(t, postTo(t, s, key.(string), "/photos/"+id+"/report", "application/json",
			strings.NewReader(`{"reason":"spam"}`)), 404, "PHOTO_NOT_FOUND")
		wantError(t, get(t, s, "/anfr/archive/"+id), 400, "INVALID_DATE")
	}
}

var parameterRulesCases = []struct {
	target, code string
	mentions     string
}{
	{"/antennas?north=49", "INVALID_BBOX", "south, east, west"},
	{"/antennas?north=49&south=48&east=3", "INVALID_BBOX", "west"},
	{"/antennas?north=49&south=48&east=3&west=", "INVALID_BBOX", "west"},
	{"/antennas?north=48&south=49&east=3&west=2", "INVALID_BBOX", "south"},
	{"/antennas?north=91&south=48&east=3&west=2", "INVALID_BBOX", "north"},
	{"/antennas?north=49&south=48&east=181&west=2", "INVALID_BBOX", "east"},
	{"/antennas?north=x&south=48&east=3&west=2", "INVALID_BBOX", "north"},
	{"/antennas?lat=48", "INVALID_PARAMETER", "belong together"},
	{"/antennas?lat=48&lon=2", "INVALID_PARAMETER", "radiusKm"},
	{"/antennas?lat=48&lon=2&radiusKm=0", "INVALID_PARAMETER", "radiusKm"},
	{"/antennas?lat=48&lon=2&radiusKm=50.1", "INVALID_PARAMETER", "radiusKm"},
	{"/antennas?lat=48&lon=2&radiusKm=5&north=49&south=48&east=3&west=2", "INVALID_PARAMETER",
		"exclude each other"},
	{"/antennas?limit=1001", "INVALID_PARAMETER", "limit"},
	{"/antennas?limit=5001&north=49&south=48&east=3&west=2", "INVALID_PARAMETER", "limit"},
	{"/antennas?offset=-1", "INVALID_PARAMETER", "offset"},
	{"/antennas?generation=6G", "INVALID_PARAMETER", "2G, 3G, 4G, 5G"},
	{"/antennas?province=QC", "INVALID_PARAMETER", "province"},
	{"/antennas?territory=974", "INVALID_PARAMETER", "territory"},
	{"/antennas?department=974", "INVALID_PARAMETER", "department"},
	{"/antennas?department=96", "INVALID_PARAMETER", "department"},
	{"/antennas?market=DROM&department=0974", "INVALID_PARAMETER", "department"},
	{"/antennas?market=DROM&department=75", "INVALID_PARAMETER", "971, 972, 973, 974, 976"},
	{"/antennas?market=DROM&department=974&territory=971", "INVALID_PARAMETER", "territory"},
	{"/antennas?market=PT&department=01", "INVALID_PARAMETER", "department"},
	{"/antennas?operator=ZEOP", "INVALID_OPERATOR", "SFR, BOUYGUES, ORANGE, FREE, ALL"},
	{"/antennas?market=DROM&operator=SFR", "INVALID_OPERATOR", "ZEOP"},
	{"/antennas?market=PT&operator=ORANGE", "INVALID_OPERATOR", "ALL"},
	{"/antennas/export?format=kml", "INVALID_PARAMETER", "json, geojson"},
	{"/antennas/export?operator=X", "INVALID_OPERATOR", "operator"},
	{"/antennas/search?limit=101", "INVALID_PARAMETER", "limit"},
	{"/antennas/search?q=" + strings.Repeat("é", 201), "INVALID_PARAMETER", "200 characters"},
	{"/antennas/lookup-by-radio", "MISSING_RADIO_VALUE", "value"},
	{"/antennas/lookup-by-radio?value=", "MISSING_RADIO_VALUE", "value"},
	{"/antennas/lookup-by-radio?type=enb", "MISSING_RADIO_VALUE", "value"},
	{"/antennas/lookup-by-radio?value=1&enb=1", "INVALID_PARAMETER", "enb"},
	{"/antennas/lookup-by-radio?pci=1008", "INVALID_PARAMETER", "from 0 to 1007"},
	{"/antennas/lookup-by-radio?enb=1048576", "INVALID_PARAMETER", "from 0 to 1048575"},
	{"/antennas/lookup-by-radio?value=68719476736", "INVALID_PARAMETER", "value"},
	{"/antennas/lookup-by-radio?value=1&type=lac", "INVALID_PARAMETER", "auto, enb, gnb, ci, cellid, pci"},
	{"/outages?lat=48", "INVALID_PARAMETER", "belong together"},
	{"/outages?lat=48&lon=2&radiusKm=0", "INVALID_PARAMETER", "radiusKm"},
	{"/outages?lat=48&lon=2&radiusKm=200.01", "INVALID_PARAMETER", "radiusKm"},
	{"/outages?lat=90.1&lon=3&radiusKm=1", "INVALID_PARAMETER", "lat"},
	{"/outages?lat=45&lon=180.5&radiusKm=1", "INVALID_PARAMETER", "lon"},
	{"/outages?radiusKm=3", "INVALID_PARAMETER", "belong together"},
	{"/outages?lat=48&lon=2&north=49&south=48&east=3&west=2", "INVALID_PARAMETER", "radiusKm"},
	{"/outages?north=49&south=48&east=3", "INVALID_BBOX", "west"},
	{"/outages?north=48&south=49&east=3&west=2", "INVALID_BBOX", "south"},
	{"/outages?limit=0", "INVALID_PARAMETER", "limit"},
	{"/outages?limit=-1", "INVALID_PARAMETER", "limit"},
	{"/outages?source=everybody", "INVALID_PARAMETER", "all, operator, community"},
	{"/outages?territory=974", "INVALID_PARAMETER", "territory"},
	{"/outages?market=DROM&territory=75", "INVALID_PARAMETER", "971, 972, 973, 974, 976"},
	{"/outages?operator=BELL", "INVALID_OPERATOR", "SFR, BOUYGUES, ORANGE, FREE, ALL"},
	{"/outages?market=PT&operator=ORANGE", "INVALID_OPERATOR", "ALL"},
	{"/sites-hs?market=DROM&operator=SFR", "INVALID_OPERATOR", "ZEOP"},
	{"/sites-hs?market=CA&territory=974", "INVALID_PARAMETER", "territory"},
	{"/sites-hs?market=XX", "INVALID_PARAMETER", "market"},
	{"/stats/departments?operator=BELL", "INVALID_OPERATOR", "FREE_CARAIBES"},
}

// Rules over several parameters, and over a parameter and its market.
func TestParameterRules(t *testing.T) {
	s := newServer(t)
	for _, tt := range parameterRulesCases {
		wantError(t, get(t, s, tt.target), 400, tt.code, tt.mentions)
	}
	for _, target := range []string{
		"/antennas?limit=5000&north=90&south=-90&east=180&west=-180", "/antennas?limit=5000&lat=0&lon=180&radiusKm=50",
		"/antennas?north=49&south=49&east=2&west=2",
		"/antennas?offset=999999999", "/antennas/search", "/antennas?status=nobody%20has%20it",
		"/antennas?q=" + url.QueryEscape(strings.Repeat("é", 200)),
		"/outages?limit=1000000", "/outages?lat=0&lon=180&radiusKm=200&north=1",
		"/outages?market=drom&territory=974&source=COMMUNITY", "/sites-hs?market=drom&territory=974&operator=zeop",
	} {
		parse(t, get(t, s, target), 200)
	}
	for _, target := range []string{"/antennas?market=CA", "/antennas/export?market=BE", "/antennas/search?market=CH",
		"/antennas/lookup-by-radio?market=CA&value=1"} {
		w := get(t, s, target)
		wantError(t, w, 503, "NOT_READY", "relais ingest --data DIR")
		if w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", target)
		}
	}
}

// FuzzQuery sends any query to any operation.
func FuzzQuery(f *testing.F) {
	f.Add(0, "q=%ff&limit=1")
	f.Add(1, "format=geojson&department=75&operator=orange")
	f.Add(2, "commune=lyon&postalCode=69001&anfr=x")
	f.Add(3, "ci=25600001&type=auto")
	f.Add(0, "north=1&south=-1&east=-170&west=170&status=projet")
	f.Add(0, "lat=89.9&lon=180&radiusKm=50&generation=5g")
	s := newServer(f)
	all := api.Operations()
	f.Fuzz(func(t *testing.T, which int, query string) {
		op := all[((which%len(all))+len(all))%len(all)]
		body, contentType := bodyOf(op, nil)
		r := httptest.NewRequest(op.Method, "http://relais.test"+mount+path(op), bytes.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", contentType)
		key, _ := testKeys.Load(s.Gate)
		r.Header.Set("X-API-Key", key.(string))
		w := httptest.NewRecorder()
		s.mapCaller = newMapCaller() // an operation without a key has few requests a minute
		s.ServeHTTP(w, r)
		switch w.Code {
		case op.Status, 400, 404:
		case 503:
			if !strings.Contains(w.Body.String(), "NOT_READY") {
				t.Errorf("%s?%s: %s, want NOT_READY in it", op.Path, query, w.Body)
			}
		default:
			t.Errorf("%s?%s: got %d %s, want %d, 400, 404 or 503", op.Path, query, w.Code, w.Body, op.Status)
		}
	})
}
