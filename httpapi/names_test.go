package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"relais/api"
	"relais/httpapi/web/docs"
)

// unknown is a name that no operation has.
const unknownName = "frobnicate"

func TestUnknownParameters(t *testing.T) {
	s := newServer(t)
	for _, op := range api.Operations() {
		w := ask(t, s, op, requiredQuery(op, "")+unknownName+"=1", nil, nil)
		wantError(t, w, 400, "INVALID_PARAMETER", unknownName+": ")
		o := parse(t, w, 400)
		wantMembers(t, o, object{"parameter": unknownName, "docs": "http://relais.test/openapi.json"}, "%s",
			op.Name)
		var want []any
		for _, p := range op.Params {
			if p.In == "query" {
				want = append(want, p.Name)
			}
		}
		if got, _ := o["allowed"].([]any); !slices.Equal(got, want) {
			t.Errorf("%s: allowed %v, want %v", op.Name, got, want)
		}
	}
}

// Every error of a server with documentation has the address of its code.
func TestErrorDocs(t *testing.T) {
	s := newServer(t)
	s.ErrorDocs = func(code string) string { return docs.ErrorAddress(s.BaseURL, code) }
	for _, target := range []string{"/antennas?limit=0", "/antennas?operator=NOBODY", "/antennas/0", "/nowhere"} {
		w := get(t, s, target)
		o := parse(t, w, w.Code)
		if want := "http://relais.test/docs#error-" + fmt.Sprint(o["code"]); w.Code < 400 || o["docs"] != want {
			t.Errorf("%s: answer = %v, want docs = %s", target, o, want)
		}
	}
	o := parse(t, get(t, s, "/antennas", "X-API-Key", "wrong"), 401)
	if want := "http://relais.test/docs#error-INVALID_API_KEY"; o["docs"] != want {
		t.Errorf("answer = %v, want docs = %s", o, want)
	}
}

// Each of these answered the first page of the whole country.
func TestUnknownParametersOfOtherSpellings(t *testing.T) {
	s := newServer(t)
	for _, query := range []string{"limt=5", "Limit=5", "limit+=5", "%6Cimt=5", "limit=5&&limt=5"} {
		wantError(t, get(t, s, "/antennas?"+query), 400, "INVALID_PARAMETER", "the nearest is limit")
	}
	wantError(t, get(t, s, "/antennas?market=FR&operators=SFR"), 400, "INVALID_PARAMETER", "the nearest is operator")
	for _, query := range []string{"fields=id", "page=2", "sort=id", "=5", "%zz=1", "id=1", "utm=1", "a_pi_key=x"} {
		wantError(t, get(t, s, "/antennas?"+query), 400, "INVALID_PARAMETER", "allowed lists the parameters of this route")
	}
	for _, target := range []string{"/coverage/at?lat=46&lon=5&generation=4G", "/coverage/at?lat=46&lon=5&radius=5",
		"/coverage/area?lat=46", "/stats/departments?department=01"} {
		wantError(t, get(t, s, target), 400, "INVALID_PARAMETER", "allowed lists the parameters of this route")
	}
	// A member of the path or of the body is not a parameter of the query.
	wantError(t, get(t, s, "/antennas/90000010?id=90000011"), 400, "INVALID_PARAMETER", "id: ")
	wantError(t, do(t, s, "POST", mount+"/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7/report?reason=spam"), 400,
		"INVALID_PARAMETER", "reason: ")
	// The name is shown so that it breaks no line, and not at any length.
	o := parse(t, get(t, s, "/antennas?a%0ab"+strings.Repeat("x", 1000)+"=1"), 400)
	if message := o["error"].(string); len(message) > 300 || strings.Contains(message, "\n") || o["parameter"] != nil {
		t.Errorf("answer = %v, want a short error without a line break and without parameter", o)
	}
	// A key that is refused is refused first.
	wantError(t, get(t, s, "/antennas?limt=5", "X-API-Key", "wrong"), 401, "INVALID_API_KEY")
}

func TestUnknownParametersPassedOver(t *testing.T) {
	s := newServer(t)
	for _, op := range api.Operations() {
		w := ask(t, s, op, requiredQuery(op, "")+"_=1&_cb=2&utm_source=x&utm_=&api_key=secret&&", nil, nil)
		if w.Code == 400 && strings.Contains(w.Body.String(), "unknown parameter") {
			t.Errorf("%s: %s; want the parameters ignored", op.Name, w.Body)
		}
	}
	for _, path := range []string{"/stats/departments", "/markets", "/anfr/archives", "/anfr/archive/2026-08-27"} {
		parse(t, get(t, s, path+"?market=FR"), 200)
	}
	for _, tt := range []struct {
		target string
		status int
	}{
		{"/openapi.json", 200},
		{"/healthz", 200},
		{"/readyz", 200},
		{"/api/public/antennas", 410},
		{"/media/photos/x/main.webp", 404},
	} {
		t.Run(tt.target, func(t *testing.T) {
			if w := do(t, s, http.MethodGet, tt.target+"?"+unknownName+"=1"); w.Code != tt.status {
				t.Errorf("%s: status %d %s, want %d", tt.target, w.Code, w.Body, tt.status)
			}
		})
	}
}

// What a parameter may be stands in a member of its own, where it is a list.
func TestAllowedValues(t *testing.T) {
	s := newServer(t)
	markets := []any{"FR", "DROM", "CA", "BE", "CH", "PT", "ES", "BA"}
	for _, tt := range []struct {
		target, parameter string
		allowed           []any
	}{
		{"/antennas?market=XX", "market", markets}, {"/antennas/1?market=XX", "market", markets},
		{"/antennas?generation=6G", "generation", []any{"2G", "3G", "4G", "5G"}},
		{"/antennas?operator=ZEOP", "operator", []any{"SFR", "BOUYGUES", "ORANGE", "FREE", "ALL"}},
		{"/antennas?market=DROM&territory=975", "territory", []any{"971", "972", "973", "974", "976"}},
		{"/antennas/export?format=xml", "format", []any{"json", "geojson", "csv", "parquet", "kmz"}},
		{"/outages?source=x", "source", []any{"all", "operator", "community"}},
		{"/speedtests/site?siteId=1&bestOnly=yes", "bestOnly", []any{"true", "false"}},
		{"/antennas?limit=0", "limit", nil}, {"/antennas?north=48", "south", nil}, {"/antennas?north=91", "north", nil},
		{"/antennas/lookup-by-radio", "value", nil}, {"/speedtests/site", "siteId", nil},
		{"/anfr/archive/yesterday", "date", nil},
	} {
		o := parse(t, get(t, s, tt.target), 400)
		allowed, _ := o["allowed"].([]any)
		if o["parameter"] != tt.parameter || !slices.Equal(allowed, tt.allowed) {
			t.Errorf("%s: parameter %v, allowed %v, want %s and %v", tt.target, o["parameter"], o["allowed"],
				tt.parameter, tt.allowed)
		}
	}
	// Whatever is wrong with limit, the error says the same of it.
	for _, limit := range []string{"abc", "0", "1001", "5001"} {
		wantError(t, get(t, s, "/antennas?limit="+limit), 400, "INVALID_PARAMETER",
			"from 1 to 1000; up to 5000 with north")
	}
	key, _ := testKeys.Load(s.Gate)
	o := parse(t, postTo(t, s, key.(string), "/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7/report",
		"application/json", strings.NewReader(`{"reason":"dislike"}`)), 400)
	if reasons := "inappropriate, spam, wrong-location, copyright, quality, privacy, other"; !strings.HasSuffix(
		o["error"].(string), "one of "+reasons) {
		t.Errorf("%v does not end with %s, want %q at the error's end", o["error"], reasons, "one of "+reasons)
	}
	for _, target := range []string{"/nowhere", "/antennas/0"} { // nothing of a parameter is wrong
		if o := parse(t, get(t, s, target), 404); len(o) != 3 {
			t.Errorf("%s: answer = %v, want 3 members", target, o)
		}
	}
}
