package view

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"relais/community"
	"relais/market"
	"relais/outage"
)

var began = time.Date(2026, 8, 20, 4, 10, 0, 0, time.UTC)

// fullEntry is of an operator that states everything, bareEntry of one that states only where.
func fullEntry() *outage.Entry {
	managed, end := true, began.Add(26*time.Hour)
	return &outage.Entry{Market: market.DROM, Operator: "FREE_CARAIBES", Code: "97120_001_01", Area: "971",
		Lat: 16.25, Lng: -61.55, Region: "Guadeloupe", Department: "971", Commune: "Pointe-à-Pitre", INSEE: "97120",
		Services: outage.Services{Voice2G: "OK", Voice3G: "HS", Data4G: "DE", Voice: "HS", Data: "DE", VoiceSMS: "HS"},
		Managed:  &managed, Reason: "Panne <électrique>", Start: &began, End: &end}
}

func bareEntry() *outage.Entry {
	return &outage.Entry{Market: market.FR, Operator: "SFR", Code: "42", Lat: 48.5, Lng: 2.5}
}

// The shapes are written out here by hand, from the contract.
func TestOutageShapes(t *testing.T) {
	open := &community.Report{ID: "community:1", Market: market.FR, Operator: "ORANGE", SiteKey: "fr-9",
		Area: "75", Lat: 48.85, Lng: 2.35, Severity: outage.Down, Services: []string{"voice"}, Technologies: []string{"4g"},
		StartedAt: began, CreatedAt: began, NewsAt: began, State: "reported", Confirms: 1}
	for _, tt := range []struct {
		name  string
		given community.Outage
		at    *string
		want  []string // members as they are encoded
		not   []string
	}{
		{"an operator's", community.Outage{Entry: fullEntry()}, new("drom-7"),
			[]string{`"source":"operator"`, `"siteName":"97120_001_01"`, `"commune":"Pointe-à-Pitre"`, `"severity":"degraded"`,
				`"startedAt":"2026-08-20T04:10:00.000Z"`, `"expectedEndAt":"2026-08-21T06:10:00.000Z"`,
				`"siteKey":"drom-7"`, `"reason":"Panne <électrique>"`, `"operatorKey":"FREE_CARAIBES"`, `"marketCode":"DROM"`},
			nil},
		{"an operator's, of little", community.Outage{Entry: bareEntry()}, nil,
			[]string{`"commune":null`, `"siteKey":null`, `"startedAt":""`, `"expectedEndAt":null`, `"reason":null`,
				`"latitude":48.5`}, nil},
		{"a person's", community.Outage{Report: open}, nil,
			[]string{`"source":"community"`, `"id":"community:1"`, `"affectedServices":["voice"]`,
				`"affectedTechnologies":["4g"]`, `"confirmCount":1`, `"operatorConfirmed":false`, `"reason":null`},
			[]string{"Why", `"area"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := encode(t, NewOutage(tt.given, tt.at))
			for _, member := range tt.want {
				if !strings.Contains(text, member) {
					t.Errorf("%s\nlacks %s", text, member)
				}
			}
			for _, member := range tt.not {
				if strings.Contains(text, member) {
					t.Errorf("%s\nhas %s", text, member)
				}
			}
		})
	}
}

// A site that is not available has two members with the name of its operator.
func TestUnavailableSites(t *testing.T) {
	for _, tt := range []struct {
		name  string
		given *outage.Entry
		want  map[string]any // nil is null
	}{
		{"everything stated", fullEntry(), map[string]any{"sourceId": "drom-free_caraibes", "market": "DROM",
			"operator": "FREE_CARAIBES", "territory": "971", "Lat": 16.25, "Lon": -61.55, "commune": "Pointe-à-Pitre",
			"departement": "971", "code_insee": "97120", "raison": "Panne <électrique>",
			"debut": "2026-08-20T04:10:00.000Z", "fin_prev": "2026-08-21T06:10:00.000Z", "region": "Guadeloupe",
			"voixSms": "HS", "2Gvoix": "OK", "3Gvoix": "HS", "4Gdata": "DE", "5Gdata": "", "managedByFreeCaraibes": true}},
		{"little stated", bareEntry(), map[string]any{"market": "FR", "operator": "SFR", "territory": nil, "debut": "",
			"voix": "", "managedBySfr": nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := encode(t, NewUnavailableSite(tt.given, nil))
			var got map[string]any
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for name, want := range tt.want {
				if value, ok := got[name]; !ok || value != want {
					t.Errorf("%s = %v, %t; want %v", name, value, ok, want)
				}
			}
			if _, ok := got["fin_prev"]; ok != (tt.given.End != nil) {
				t.Errorf("fin_prev is there: %t, want it only if the operator states it", ok)
			}
			raw, _ := got["raw"].(map[string]any)
			if _, ok := raw[outage.ManagedColumn(tt.given.Operator)]; !ok {
				t.Errorf("raw = %v, want the column of the operator", raw)
			}
		})
	}
}
