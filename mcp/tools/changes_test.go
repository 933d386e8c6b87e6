package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tool finds what the API lists, in its order.
func TestChangesList(t *testing.T) {
	r := newArchiveReading(t, archiveWeeks())
	first := archiveDates[0]
	for _, tt := range []struct {
		name, arguments string
		api             map[string]string
	}{
		{"the newest edition", `{"net":false}`, map[string]string{}},
		{"a period", `{"since":"` + first + `"}`, map[string]string{"since": first}},
		{"net", `{"since":"` + first + `","net":true}`, map[string]string{"since": first, "net": "true"}},
		{"filters", `{"since":"` + first + `","operator":"SFR","kind":"system-added","technology":"LTE 800"}`,
			map[string]string{"since": first, "operator": "SFR", "kind": "system-added", "technology": "LTE 800"}},
		{"a commune", `{"since":"` + first + `","place":"Ville 100","radiusKm":3}`,
			map[string]string{"since": first, "lat": "46", "lon": "3", "radiusKm": "3"}},
		{"another market", `{"since":"` + first + `","market":"DROM"}`, map[string]string{"since": first, "market": "DROM"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.api["limit"] = "50"
			want := apiAnswer(t, r, "changes.list", tt.api)
			meta := want["meta"].(object)
			got := mustCall(t, r, "changes_list", strings.Replace(tt.arguments, "{", `{"limit":50,`, 1))
			if fmt.Sprint(got["total"]) != fmt.Sprint(meta["totalMatched"]) || cmp.Diff(got["kinds"], meta["kinds"]) != "" ||
				got["since"] != meta["since"] || got["until"] != meta["until"] {
				t.Errorf("got total %v, %v to %v, kinds %v; want %v, %v to %v, %v", got["total"], got["since"], got["until"],
					got["kinds"], meta["totalMatched"], meta["since"], meta["until"], meta["kinds"])
			}
			var lines [2][]string
			for _, item := range got["items"].([]any) {
				c := item.(object)
				lines[0] = append(lines[0], fmt.Sprint(c["date"], c["kind"], c["siteKey"], c["operator"], c["technology"], c["status"]))
			}
			for _, item := range want["data"].([]any) {
				c := item.(object)
				after, _ := c["after"].(object)
				lines[1] = append(lines[1], fmt.Sprint(c["date"], c["kind"], c["site"].(object)["siteKey"], c["operator"],
					c["technology"], after["status"]))
			}
			if d := cmp.Diff(lines[1], lines[0]); d != "" || len(lines[1]) == 0 && tt.name != "another market" {
				t.Errorf("%d changes; API (-), tool (+):\n%.1500s", len(lines[1]), d)
			}
		})
	}
}

func TestChangesListErrors(t *testing.T) {
	r := newArchiveReading(t, archiveWeeks())
	for _, tt := range []struct{ arguments, mention string }{
		{`{"since":"1999-01-01"}`, archiveDates[0]}, {`{"since":"2026-02-30"}`, "YYYY-MM-DD"},
		{`{"since":"2026-08-27","until":"2026-08-20"}`, "until"}, {`{"kind":"new"}`, "site-added"},
		{`{"technology":"6G"}`, "LTE 800"}, {`{"radiusKm":3}`, "place"}, {`{"place":"Xyzzy"}`, "Xyzzy"},
	} {
		t.Run(tt.arguments, func(t *testing.T) {
			if _, err := call(r, "changes_list", tt.arguments); err == nil || !strings.Contains(err.Error(), tt.mention) {
				t.Errorf("got the error %v, want it to mention %q", err, tt.mention)
			}
		})
	}
	answer := mustCall(t, r, "changes_list", `{"market":"CH"}`)
	if text, _ := json.Marshal(answer); !strings.Contains(string(text), "no edition of CH") || answer["total"] == nil {
		t.Errorf("got %s, want the reason", text)
	}
}
