//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"relais/internal/filetest"
)

const hsHeader = "code_site_op;Antenne relais gérée par %s;region;departement;commune;code_insee;Lat;Lon;2Gvoix;3Gvoix;4Gvoix;3Gdata;4Gdata;5Gdata;voix;data;raison;detail;debut;fin_prev\n"

// unavailable is an operator's file with a site that is out of service.
func unavailable(operator, code, lat string) string {
	return fmt.Sprintf(hsHeader, operator) + code + ";OUI;;63;Orléat;63265;" + lat +
		";3.08;HS;HS;HS;HS;HS;HS;HS;HS;Incident;;2026-08-20 06:10:00;\n"
}

// importOutages imports an operator's file in FR.
func importOutages(t *testing.T, dir, operator, text string) {
	t.Helper()
	run(t, "outage", "import", "--data", dir, "--market", "FR", "--operator", operator, filetest.New(t, "hs.csv", text))
}

// An outageReport is a part of what commands print of a report.
type outageReport struct{ ID, State string }

// reportOutage reports an outage in FR.
func reportOutage(t *testing.T, dir, operator, user string) (r outageReport) {
	t.Helper()
	command(t, &r, "outage", "report", "--data", dir, "--market", "FR", "--operator", operator, "--lat=45.77",
		"--lon=3.08", "--user", user)
	return r
}

// feed is operatorFeed of an answer, and how many entries it has.
func (s *server) feed(path string) string {
	s.t.Helper()
	meta := s.meta(path)
	f := meta["operatorFeed"].(object)
	return fmt.Sprintf("exists %v, available %v, %v entries", f["exists"], f["available"], meta["count"])
}

// What commands change next to a server is in its next answer, and no entity tag of before
// stands for it: files of operators, reports, confirmations and decisions.
func TestOutages(t *testing.T) {
	dir := newFolder(t)
	s := serve(t, dir)
	if got, want := s.feed("/outages?operator=ORANGE"), "exists true, available false, 0 entries"; got != want {
		t.Errorf("nothing was read: got %s, want %s", got, want)
	}
	importOutages(t, dir, "ORANGE", unavailable("Orange", "1", "45.772")) // 222 m from the report
	if got, want := s.feed("/outages?operator=ORANGE"), "exists true, available true, 1 entries"; got != want {
		t.Errorf("a file was read: got %s, want %s", got, want)
	}
	id := reportOutage(t, dir, "ORANGE", "ann").ID
	shown := func() string {
		for _, x := range s.list("/outages?source=community") {
			if o := x.(object); o["id"] == id {
				return fmt.Sprint(o["state"], " ", o["confirmCount"], " ", o["operatorConfirmed"])
			}
		}
		return "none"
	}
	other := filetest.New(t, "hs.csv", unavailable("Orange", "2", "48.85"))
	for _, step := range []struct{ name, want, command string }{
		{"by its author", "reported 0 true", "confirm " + id + " --user ann"},
		{"bob", "reported 1 true", "confirm " + id + " --user bob"},
		{"bob again", "reported 1 true", "confirm " + id + " --user bob"},
		{"cid", "reported 2 true", "confirm " + id + " --user cid"},
		{"dan", "confirmed 3 true", "confirm " + id + " --user dan"},
		{"the operator omits it", "confirmed 3 false", "import --market FR --operator ORANGE " + other},
		{"the feed is cleared", "confirmed 3 false", "clear --market FR --operator ORANGE"},
		{"resolved", "none", "resolve " + id},
		{"rejected", "none", "reject " + id + " --why spam"},
	} {
		tag, before := s.tag("/outages"), shown()
		run(t, append(strings.Fields("outage "+step.command), "--data", dir)...)
		if got := shown(); got != step.want {
			t.Errorf("%s: got %s, want %s", step.name, got, step.want)
		}
		if got := s.status("/outages", tag); before != step.want && got != 200 {
			t.Errorf("%s: got %d to the entity tag of before, want 200", step.name, got)
		}
	}
	fails(t, 1, "resolved or rejected", "outage", "confirm", "--data", dir, id, "--user", "fay")
	fails(t, 1, "web page", "outage", "import", "--data", dir, "--market", "FR", "--operator", "ORANGE",
		filetest.New(t, "hs.csv", "<!DOCTYPE html><p>Maintenance\n"))
	if got, want := s.feed("/sites-hs?operator=ORANGE"), "exists true, available false, 0 entries"; got != want {
		t.Errorf("after a web page: got %s, want %s", got, want)
	}
}
