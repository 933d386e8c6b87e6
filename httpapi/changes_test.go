package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"relais/api/view"
)

// A changesBody is an answer of /changes.
type changesBody = view.Body[[]view.Change, view.ChangesMeta]

// askChanges returns an answer of /changes.
func askChanges(t *testing.T, s *Server, query string) ([]view.Change, view.ChangesMeta) {
	t.Helper()
	w := get(t, s, "/changes?"+query)
	var body changesBody
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != 200 {
		t.Fatalf("%s: status %d, %v: %.300s", query, w.Code, err, w.Body)
	}
	return body.Data, body.Meta
}

// textOf returns a text that may be null.
func textOf(s *string) string { return *cmp.Or(s, new(string)) }

func TestChangesErrors(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 2)
	for _, tt := range []struct {
		query, code string
		mentions    []string
	}{
		{"since=2026-02-30", "INVALID_DATE", []string{"since", "YYYY-MM-DD"}},
		{"until=yesterday", "INVALID_DATE", []string{"until"}},
		{"since=2026-01-15&until=2026-01-08", "INVALID_DATE", []string{"since", "not after until"}},
		{"since=1999-01-01", "INVALID_DATE", []string{"since", "a date from " + w.dates[0] + " on", "first edition of FR"}},
		{"until=1999-01-01", "INVALID_DATE", []string{"until", w.dates[0], "first edition"}},
		{"kind=new", "INVALID_PARAMETER", []string{"site-added", "moved"}},
		{"kind=site-added,,moved", "INVALID_PARAMETER", []string{"kind"}},
		{"kind=site-added&kind=moved", "INVALID_PARAMETER", []string{"once"}},
		{"net=yes", "INVALID_PARAMETER", []string{"net"}},
		{"operator=NOBODY", "INVALID_OPERATOR", []string{"FREE"}},
		{"technology=LTE+3", "INVALID_PARAMETER", []string{"LTE 800"}},
		{"band=-1", "INVALID_PARAMETER", []string{"FR has 700, 800, 900, 1800, 2100, 2600, 3500"}},
		{"band=" + strings.Repeat("9", 400), "INVALID_PARAMETER", []string{"band"}},
		{"generation=6G", "INVALID_PARAMETER", nil},
		{"province=QC", "INVALID_PARAMETER", []string{"department"}},
		{"department=96", "INVALID_PARAMETER", nil},
		{"lat=48&lon=2", "INVALID_PARAMETER", []string{"radiusKm"}},
		{"lat=48&lon=2&radiusKm=50.1", "INVALID_PARAMETER", []string{"at most 50"}},
		{"lat=48&lon=2&radiusKm=NaN", "INVALID_PARAMETER", nil},
		{"lat=48&lon=2&radiusKm=5&bbox=1,2,3,4", "INVALID_PARAMETER", []string{"exclude"}},
		{"bbox=1,2,3", "INVALID_BBOX", nil},
		{"north=1", "INVALID_BBOX", nil},
		{"limit=1001", "INVALID_PARAMETER", []string{"1000"}},
		{"limit=5001&bbox=1,2,3,4", "INVALID_PARAMETER", nil},
		{"offset=-1", "INVALID_PARAMETER", nil},
		{"status=project", "INVALID_PARAMETER", []string{"unknown parameter"}},
		{"kind=" + url.QueryEscape("\x00\u202e<script>"), "INVALID_PARAMETER", nil},
	} {
		t.Run(fmt.Sprintf("%.60s", tt.query), func(t *testing.T) {
			wantError(t, get(t, s, "/changes?"+tt.query), 400, tt.code, tt.mentions...)
		})
	}
}
