package tools

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/auth/account"
	"relais/community"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/measure"
	"relais/outage"
)

func TestSubmitBadArguments(t *testing.T) {
	w := newTown(t)
	ann := w.someone("Annabel")
	key, operator, _ := w.site(2)
	now := w.at.Format(time.RFC3339)
	for _, tt := range []struct{ tool, fields, says string }{
		{"community_submit_report", `"operator":"SFR"`, "siteId: missing"},
		{"community_submit_report", `"operator":"SFR","lat":48.85`, "siteId: missing"},
		{"community_submit_report", fmt.Sprintf(`"operator":%q,"siteId":%q,"lat":48,"lon":2`, operator, key),
			"not with siteId"},
		{"community_submit_report", fmt.Sprintf(`"operator":"ALL","siteId":%q`, key), "one operator"},
		{"community_submit_report", `"operator":"ROGERS","lat":48.85,"lon":2.29`, "FR has"},
		{"community_submit_report", `"lat":48.85,"lon":2.29`, "operator: it must be given"},
		{"community_submit_report", `"operator":"SFR","lat":10,"lon":10`, "is not in the market FR"},
		{"community_submit_report", `"operator":"SFR","siteId":"fr-none"`, "no site"},
		{"community_submit_report", `"operator":"SFR","lat":48.85,"lon":2.29,"services":"fax"`, "data, voice, sms"},
		{"community_submit_report", `"operator":"SFR","lat":48.85,"lon":2.29,"technologies":"6g"`, "2g, 3g, 4g, 5g"},
		{"community_submit_report", `"operator":"SFR","lat":48.85,"lon":2.29,"severity":"bad"`, "down, degraded"},
		{"community_submit_report", `"operator":"SFR","lat":48.85,"lon":2.29,"startedAt":"yesterday"`,
			"a time with its zone"},
		{"community_submit_report", `"operator":"SFR","lat":48.85,"lon":2.29,"startedAt":"2020-01-01T00:00:00Z"`,
			"over 30 days ago"},
		{"community_submit_report",
			`"operator":"SFR","lat":48.85,"lon":2.29,"reason":"` + strings.Repeat("x", 501) + `"`, "500 characters"},
		{"community_submit_report", `"operator":"SFR","lat":48.85,"lon":2.29,"reason":"a\u0000b"`,
			"control characters"},
		{"community_submit_speedtest", `"measuredAt":"` + now + `","lat":48.85,"lon":2.29`, "no speed"},
		{"community_submit_speedtest", `"measuredAt":"` + now + `","lat":0,"lon":0,"downloadMbps":1`,
			"position unknown"},
		{"community_submit_speedtest", `"measuredAt":"` + now + `","lat":10,"lon":10,"downloadMbps":1`,
			"outside the market"},
		{"community_submit_speedtest", `"measuredAt":"2099-01-01T00:00:00Z","lat":48.85,"lon":2.29,"downloadMbps":1`,
			"time in the future"},
		{"community_submit_speedtest", `"measuredAt":"` + now + `","lat":48.85,"lon":2.29,"downloadMbps":-1`,
			"out of range"},
		{"community_submit_speedtest", `"measuredAt":"` + now + `","lat":48.85,"lon":2.29,"downloadMbps":1e300`,
			"out of range"},
		{"community_submit_speedtest", `"measuredAt":"` + now + `","lat":48.85,"lon":2.29,"downloadMbps":"fast"`,
			"a number"},
		{"community_submit_speedtest", `"measuredAt":"` + now + `","lat":48.85,"lon":2.29,"downloadMbps":1,"mcc":310`,
			"another country"},
		{"community_submit_speedtest", `"lat":48.85,"lon":2.29,"downloadMbps":1`, "measuredAt: it must be given"},
		{"community_submit_validation", fmt.Sprintf(`"siteId":%q,"subject":"colour"`, key), "exists, gone"},
		{"community_submit_validation", fmt.Sprintf(`"siteId":%q,"subject":"azimuth","value":"360"`, key),
			"from 0 to 359"},
		{"community_submit_validation", fmt.Sprintf(`"siteId":%q,"subject":"exists","operator":"SFR"`, key),
			"operator"},
		{"community_submit_validation", fmt.Sprintf(`"siteId":%q,"subject":"exists","day":"2099-01-01"`, key), "day"},
		{"community_submit_validation", `"siteId":"fr-none","subject":"exists"`, "no site"},
		{"bug_submit", `"title":" ","text":"x"`, "title"},
		{"bug_submit", `"title":"x"`, "text: it must be given"},
		{"bug_submit", `"title":"x","text":"` + strings.Repeat("x", 4001) + `"`, "4000 characters"},
		{"bug_submit", `"title":"x","text":"y","user":"me"`, "unknown argument"},
	} {
		_, err := call(w.as(ann), tt.tool, `{"clientToken":"1",`+tt.fields+`}`)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s %.80s: %v, want an error with %q", tt.tool, tt.fields, err, tt.says)
		}
		if _, err := call(w.as(ann), tt.tool, `{`+tt.fields+`}`); err == nil {
			t.Errorf("%s without a token", tt.tool)
		}
	}
	wantNothingSubmitted(t, w, ann)
}

func TestSubmitBadTokens(t *testing.T) {
	w := newTown(t)
	ann := w.someone("Annabel")
	for _, token := range []string{"", " ", "a b", "é", strings.Repeat("x", 101)} {
		if _, err := call(w.as(ann), "bug_submit",
			fmt.Sprintf(`{"clientToken":%q,"title":"x","text":"y"}`, token)); err == nil ||
			!strings.Contains(err.Error(), "clientToken") || token != "" && strings.Contains(err.Error(), token+`"`) {
			t.Errorf("%q: got %v, want an error with clientToken and without the token", token, err)
		}
	}
	wantNothingSubmitted(t, w, ann)
}

// A folder that cannot be written to takes nothing, and says so.
func TestSubmitReadOnly(t *testing.T) {
	w := newTown(t)
	ann := w.someone("Annabel")
	w.close()
	db, err := store.OpenReadOnly(filepath.Join(w.dir, "users.db"))
	if err != nil {
		t.Fatal(err)
	}
	w.open = append(w.open, db)
	var err1, err3, err4 error
	w.people, err1 = account.Open(db, time.Now)
	feeds, err2 := outage.Open(nil, time.Now)
	w.community, err3 = community.Open(nil, feeds, time.Now)
	w.measures, err4 = measure.New(folder.Dir(w.dir), nil, time.Now)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	w.submissions = NewSubmissionStores(w.community, nil)
	if _, err := call(w.as(ann), "bug_submit", `{"clientToken":"1","title":"x","text":"y"}`); err == nil ||
		!strings.Contains(err.Error(), "cannot be written to") {
		t.Errorf("got %v, want an error with cannot be written to", err)
	}
	for _, tool := range []string{"me_whoami", "me_reports_status", "me_bugs_status", "me_gamification_stats",
		"me_sessions_list", "me_speedtests_list"} {
		mustCall(t, w.as(ann), tool, `{}`)
	}
}

// Many submit at once, the same token several times.
