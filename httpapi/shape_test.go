package httpapi

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

var update = flag.Bool("update", false, "write the golden files again")

// document reads /openapi.json.
func document(t *testing.T) object {
	t.Helper()
	return parse(t, do(t, empty(t), "GET", "/openapi.json"), 200)
}

func TestOpenAPIGolden(t *testing.T) {
	const golden = "testdata/openapi.json"
	text, err := json.MarshalIndent(document(t), "", " ")
	must(t, err)
	text = append(text, '\n')
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		filetest.Write(t, golden, text)
	}
	lines := func(text []byte) []string { return strings.Split(string(text), "\n") }
	if diff := cmp.Diff(lines(filetest.Read(t, golden)), lines(text)); diff != "" {
		t.Errorf("%s (-), got (+); go test ./httpapi -update writes it when this is meant:\n%.4000s", golden, diff)
	}
}

// Every parameter that the contract names is declared, and nothing else but the
// additions that are listed here.
func TestDeclaredParameters(t *testing.T) {
	contract := map[string]string{
		"/antennas": "market operator department territory province generation status technology " +
			"band together changedSince q ids bbox north south east west limit offset lat lon lng radiusKm format bom sep",
		"/antennas/export": "market operator format department territory province generation status technology band together " +
			"changedSince q bbox north south east west lat lon lng radiusKm rows properties bom sep lang",
		"/antennas/search": "q supId anfr nationalSiteCode sourceCode commune market department " +
			"territory province generation status technology band together changedSince operator limit offset postalCode",
		"/find":                     "q prefer lat lng limit",
		"/antennas/lookup-by-radio": "value enb gnb pci cellId ci type market operator limit",
		"/antennas/{id}":            "id market operator",
		"/sites/{siteId}":           "siteId market operator",
		"/stats/departments":        "operator",
		"/markets":                  "",
		"/sites/{siteId}/photos":    "siteId market operator limit offset",
		"/outages":                  "market operator territory source lat lon lng radiusKm bbox north south east west limit offset format bom sep",
		"/sites-hs":                 "market operator territory",
		"/outages/history": "market operator department territory province site bbox north south east west from to " +
			"limit offset format bom sep",
		"/anfr/archives":       "",
		"/anfr/archive/{date}": "date view",
		"/speedtests":          "market operator bbox north south east west days edition limit offset format bom sep",
		"/speedtests/site":     "siteId anfrCode nationalSiteCode sourceCode enb market operator mnc mcc bestOnly limit offset",
		"/coverage/points":     "market operator technology bbox north south east west days edition limit format bom sep",
		"/tiles/{market}/{z}/{x}/{y}.mvt": "market operator z x y department territory province generation status " +
			"technology band together changedSince layers v",
		"/tiles/{market}.json": "market",
		"/style.json": "market operator department territory province generation status technology band together " +
			"changedSince theme",
		"/changes": "market operator since until net kind department territory province generation technology band " +
			"bbox north south east west lat lon lng radiusKm format bom sep limit offset",
	}
	for _, tt := range []struct{ path, names string }{
		{"/sites/{siteId}/photos",
			"file description operator anfrCode nationalSiteCode sourceCode exifMetadata clientExifMetadata"},
		{"/photos/{photoId}/report", "reason description"},
		{"/antennas/lookup", "cells"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			post := document(t)["paths"].(object)[tt.path].(object)["post"].(object)
			for _, content := range post["requestBody"].(object)["content"].(object) {
				got := slices.Sorted(maps.Keys(content.(object)["schema"].(object)["properties"].(object)))
				if want := slices.Sorted(slices.Values(strings.Fields(tt.names))); !slices.Equal(got, want) {
					t.Errorf("%s: members %q, want %q", tt.path, got, want)
				}
			}
		})
	}
	paths := document(t)["paths"].(object)
	if len(paths) != len(contract)+5 { // and the report, the deletion, the look-up of cells, and two of coverage maps
		t.Errorf("%d paths, want %d", len(paths), len(contract)+5)
	}
	for path, names := range contract {
		op := paths[path].(object)["get"].(object)
		var got []string
		for _, p := range op["parameters"].([]any) {
			if p.(object)["$ref"] != nil { // a header of every request
				continue
			}
			got = append(got, p.(object)["name"].(string))
			if p.(object)["description"] == "" {
				t.Errorf("%s: %v has no description", path, p)
			}
		}
		want := strings.Fields(names)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: parameters %q, want %q", path, got, want)
		}
		for _, status := range []string{"200", "304", "400", "405", "500", "503"} {
			if op["responses"].(object)[status] == nil {
				t.Errorf("%s: no response %s", path, status)
			}
		}
	}
}

// mismatch lists at most a few places where v is not what the schema says.
func mismatch(doc, schema object, v any, at string) (problems []string) {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		return mismatch(doc, doc["components"].(object)["schemas"].(object)[name].(object), v, at)
	}
	if any, ok := schema["anyOf"].([]any); ok {
		for _, one := range any {
			if len(mismatch(doc, one.(object), v, at)) == 0 {
				return nil
			}
		}
		return []string{at + ": none of the alternatives"}
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
		return []string{fmt.Sprintf("%s: %v is not one of %v", at, v, enum)}
	}
	types, ok := schema["type"].([]any)
	if !ok {
		types = []any{schema["type"]}
	}
	if !slices.ContainsFunc(types, func(t any) bool { return hasJSONType(v, t.(string)) }) {
		return []string{fmt.Sprintf("%s: %T is no %v", at, v, types)}
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if problems = append(problems,
				mismatch(doc, schema["items"].(object), item, fmt.Sprintf("%s[%d]", at, i))...); len(problems) > 3 {
				return problems
			}
		}
	case object:
		if values, ok := schema["additionalProperties"].(object); ok {
			for name, member := range v {
				problems = append(problems, mismatch(doc, values, member, at+"."+name)...)
			}
			return problems
		}
		if schema["additionalProperties"] == true { // the format of others
			return nil
		}
		for name, member := range v {
			p := memberOf(schema, name)
			if p == nil {
				return append(problems, at+"."+name+" is not documented")
			}
			problems = append(problems, mismatch(doc, p, member, at+"."+name)...)
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				problems = append(problems, fmt.Sprintf("%s.%v is missing", at, name))
			}
		}
	}
	return problems
}

// memberOf returns the schema of a member, nil if it is missing.
func memberOf(schema object, name string) object {
	props, _ := schema["properties"].(object)
	if p, ok := props[name].(object); ok {
		return p
	}
	patterns, _ := schema["patternProperties"].(object)
	for pattern, p := range patterns {
		if regexp.MustCompile(pattern).MatchString(name) {
			return p.(object)
		}
	}
	p, _ := schema["additionalProperties"].(object)
	return p
}

func hasJSONType(v any, kind string) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case json.Number:
		return kind == "number" || kind == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case []any:
		return kind == "array"
	case object:
		return kind == "object"
	}
	return false
}
