package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// failedFeeds makes sure that a feed that failed says so, and keeps what it had.
func failedFeeds(t *testing.T, s *server, dir string) {
	t.Helper()
	orange := hsFiles["ORANGE"].text
	tag := s.tag("/sites-hs")
	for _, tt := range []struct{ why, text string }{
		{"web page", "<!DOCTYPE html><html><body>Maintenance</body></html>\n"},
		{"empty", ""},
		{"no header", "10235;63;63113;45.7;3.08\n"},
		{"the column lat is missing", "code_site_op;commune;Lon;voix;data\n1;x;3.08;HS;HS\n"},
		{"no row", fmt.Sprintf(hsHeader, "Orange")},
		{"file of SFR", fmt.Sprintf(hsHeader, "SFR") + "1;OUI;;63;;63113;45.7;3.08;HS;;;;;;HS;HS;;;;\n"},
		{"cut short", orange[:strings.Index(orange, ";HS;HS;HS")]},
		{"none can be used", fmt.Sprintf(hsHeader, "Orange") + "1;OUI;;63;;63113;?;?;HS;;;;;;HS;HS;;;;\n"},
		{"the column Lat is empty", fmt.Sprintf(hsHeader, "Orange") + "1;OUI;;63;;63113;;;HS;;;;;;HS;HS;;;;\n"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			fails(t, 1, tt.why, "outage", "import", "--data", dir, "--market", "FR", "--operator", "ORANGE",
				writeFile(t, "hs.csv", tt.text))
			for _, c := range []struct{ path, want string }{
				{"?operator=ORANGE", "exists true, available false, 2 entries"},
				{"", "exists true, available false, 6 entries"},
				{"?operator=SFR", "exists true, available true, 2 entries"},
			} {
				t.Run(c.path, func(t *testing.T) {
					if got := s.feed("/sites-hs" + c.path); got != c.want {
						t.Errorf("%s, %q: %s, want %s", tt.why, c.path, got, c.want)
					}
				})
			}
		})
	}
	if got := s.status("/sites-hs", tag); got != 200 {
		t.Errorf("an answer whose feed failed since: %d", got)
	}
	var list struct {
		Feeds []struct{ Market, Operator, State, Why string }
	}
	command(t, &list, "outage", "list", "--data", dir, "--market", "FR", "--operator", "orange")
	if f := list.Feeds; len(f) != 1 || f[0].State != "failed" || f[0].Why == "" ||
		strings.Contains(f[0].Why, filepath.Dir(dir)) {
		t.Errorf("wrong list %+v", list)
	}
	for _, tt := range []struct{ market, operator, why string }{{"BE", "PROXIMUS_BE", "publish no unavailable sites"},
		{"FR", "ZEOP", "ZEOP"}, {"XX", "SFR", "one of FR"}} {
		code := 1
		if tt.market == "XX" {
			code = 2
		}
		fails(t, code, tt.why, "outage", "import", "--data", dir, "--market", tt.market, "--operator", tt.operator,
			writeFile(t, "hs.csv", orange))
	}
	fails(t, 1, "no such file", "outage", "import", "--data", dir, "--market", "FR", "--operator", "ORANGE",
		filepath.Join(dir, "none.csv"))
	importOutages(t, dir, "ORANGE", orange)
	if got := s.feed("/outages"); got != "exists true, available true, 6 entries" {
		t.Errorf("read again: %s", got)
	}
	// A site that the operator omits works again; a cleared feed is unknown.
	lines := strings.SplitAfter(orange, "\r\n")
	importOutages(t, dir, "ORANGE", strings.Join(slices.Delete(lines, 3, 4), ""))
	if got := s.feed("/outages?operator=ORANGE"); got != "exists true, available true, 1 entries" {
		t.Errorf("one is over: %s", got)
	}
	command(t, &struct{}{}, "outage", "clear", "--data", dir, "--market", "FR", "--operator", "ORANGE")
	if got := s.feed("/outages?operator=ORANGE"); got != "exists true, available false, 0 entries" {
		t.Errorf("cleared: %s", got)
	}
}

func TestOutageReports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	letIn(t, dir)
	s := serve(t, nil, "serve", "--data", dir)
	report := func(operator, lat, lon string, flags ...string) (r outageSaid) {
		t.Helper()
		command(t, &r, append([]string{"outage", "report", "--data", dir, "--market", "FR", "--operator", operator,
			"--lat=" + lat, "--lon=" + lon, "--user", "ann"}, flags...)...)
		return r
	}
	decide := func(what, id string, flags ...string) (r outageSaid) {
		t.Helper()
		command(t, &r, append([]string{"outage", what, "--data", dir, id}, flags...)...)
		return r
	}
	shown := func(id string) object {
		t.Helper()
		for _, x := range s.ask("/outages?source=community")["data"].([]any) {
			if o := x.(object); o["id"] == id {
				return o
			}
		}
		return nil
	}
	life := func(id string) string {
		o := shown(id)
		return spaced(o["state"], o["confirmCount"], o["confirmationsRemaining"], o["operatorConfirmed"])
	}
	// The site of Orange stands 222 m north of the first report, and 444 m of the third.
	importOutages(t, dir, "ORANGE",
		fmt.Sprintf(hsHeader, "Orange")+"1;OUI;;63;;63113;45.772;3.08;HS;HS;HS;HS;HS;HS;HS;HS;;;;\n")
	one := report("ORANGE", "45.77", "3.08", "--service", "sms", "--service", "data", "--technology", "5g",
		"--severity", "degraded", "--commune", "Orléat", "--reason", "orage", "--started-at",
		time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))
	two := report("SFR", "45.77", "3.08")
	three := report("ORANGE", "45.768", "3.08")
	if o := shown(one.ID); spaced(o["source"], o["operatorKey"], o["severity"], o["affectedServices"],
		o["affectedTechnologies"], o["commune"], o["reason"], o["latitude"], o["longitude"]) !=
		"community ORANGE degraded [data sms] [5g] Orléat orage 45.77 3.08" ||
		!strings.HasPrefix(one.ID, "community:") {
		t.Errorf("wrong answer %v", o)
	}
	for _, tt := range []struct{ id, want string }{
		{one.ID, "reported 0 3 true"},
		{two.ID, "reported 0 3 false"},
		{three.ID, "reported 0 3 false"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			if got := life(tt.id); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.id, got, tt.want)
			}
		})
	}
	if o := s.ask("/outages"); len(o["data"].([]any)) != 4 {
		t.Errorf("reports and the operator's entry side by side: %v", o)
	}
	for _, step := range []struct{ user, want string }{
		{"ann", "reported 0 3 true"}, {"bob", "reported 1 2 true"}, {"bob", "reported 1 2 true"},
		{"cid", "reported 2 1 true"}, {"dan", "confirmed 3 0 true"}, {"eve", "confirmed 4 0 true"},
	} {
		tag := s.tag("/outages")
		r := decide("confirm", one.ID, "--user", step.user)
		if got := life(one.ID); got != step.want || r.State != strings.Fields(step.want)[0] {
			t.Errorf("%s confirms: %s (%+v), want %s", step.user, got, r, step.want)
		}
		if got := s.status("/outages", tag); got != 200 {
			t.Errorf("%s confirms: %d to the tag before", step.user, got)
		}
	}
	// An outage that the operator's file omits is not confirmed by it.
	importOutages(t, dir, "ORANGE",
		fmt.Sprintf(hsHeader, "Orange")+"2;OUI;;75;;75056;48.85;2.35;HS;HS;HS;HS;HS;HS;HS;HS;;;;\n")
	if got := life(one.ID); got != "confirmed 4 0 false" {
		t.Errorf("without the operator's entry: %s", got)
	}
	if r := decide("resolve", one.ID); r.State != "resolved" || shown(one.ID) != nil {
		t.Errorf("wrong report %+v, shown as %v", r, shown(one.ID))
	}
	if r := decide("reject", two.ID, "--why", "nothing there"); r.State != "rejected" || shown(two.ID) != nil ||
		shown(three.ID) == nil {
		t.Errorf("unexpected report %+v", r)
	}
	fails(t, 1, "resolved or rejected", "outage", "confirm", "--data", dir, one.ID, "--user", "fay")
	fails(t, 1, "resolved or rejected", "outage", "resolve", "--data", dir, two.ID)
	fails(t, 1, "no such outage report", "outage", "confirm", "--data", dir,
		"community:01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7")
	fails(t, 1, "no such outage report", "outage", "confirm", "--data", dir, "operator:fr-orange:2")
	for _, tt := range []struct {
		why   string
		flags []string
	}{
		{"not in the market", []string{"--lat=0", "--lon=0"}},
		{"in the future", []string{"--lat=45", "--lon=3", "--started-at",
			time.Now().Add(time.Hour).Format(time.RFC3339)}},
		{"service", []string{"--lat=45", "--lon=3", "--service", "tv"}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			fails(t, 1, tt.why,
				append([]string{"outage", "report", "--data", dir, "--market", "FR", "--operator", "SFR"},
					tt.flags...)...)
		})
	}
	// With no feed at all, people's reports are the only source.
	var be outageSaid
	command(t, &be, "outage", "report", "--data", dir, "--market", "BE", "--operator", "PROXIMUS_BE", "--lat=50.85",
		"--lon=4.35")
	if got := s.feed("/outages?market=BE"); got != "exists false, available false, 1 entries" {
		t.Errorf("BE: %s", got)
	}
	if got := s.feed("/sites-hs?market=BE"); got != "exists false, available false, 0 entries" {
		t.Errorf("BE: %s", got)
	}
	var list struct {
		Total   int
		Reports []outageSaid
	}
	s.stop()
	command(t, &list, "outage", "list", "--data", dir, "--market", "FR") // the newest first, those that are closed too
	if got := spaced(list.Total, list.Reports[0].State, list.Reports[1].State,
		list.Reports[2].State); got != "3 reported rejected resolved" {
		t.Errorf("wrong list %s", got)
	}
}
