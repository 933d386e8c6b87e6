package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

func TestOutageCommands(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "sites\x1b_hs.csv")
	text := "code_site_op;departement;commune;Lat;Lon;data\n1;75;Paris;48.8584;2.2945;HS\n2;75;Paris;;;HS"
	filetest.Write(t, path, text)
	run := func(code int, says string, args ...string) string {
		t.Helper()
		out, errs, got := command(context.Background(),
			append([]string{"outage", args[0], "--data", dir}, args[1:]...)...)
		if got != code || !strings.Contains(out+errs, says) || strings.Contains(out+errs, "\x1b") {
			t.Errorf("relais outage %q: exit %d, want %d with %q\n%s%s", args, got, code, says, out, errs)
		}
		return out
	}
	feed := []string{"--market", "fr", "--operator", "orange"}
	run(0, "1 no position (line 3)", append([]string{"import", path}, feed...)...)
	run(0, "note: "+filepath.Dir(path), append([]string{"import", path}, feed...)...)
	run(1, "--operator", "import", path, "--market", "FR")
	run(2, "--day", "import", path, "--market", "FR", "--day", "today")
	list := filepath.Join(dir, "raw2026-08-20.geojson")
	filetest.Write(t, list, `{"features":[{"properties":{"operateur":"Orange","station_anfr":"350000001","data4g":"HS"},"geometry":null}]}`)
	run(0, "2026-08-20: 1 unavailable site of ORANGE", "import", list, "--market", "FR")
	run(0, "unchanged", "import", list, "--market", "FR")
	run(2, "one of FR, DROM", "import", path, "--market", "XX", "--operator", "ORANGE")
	run(1, "publish no unavailable sites", "import", path, "--market", "CH", "--operator", "SALT_CH")
	var made struct {
		Feed  struct{ State string }
		Files []struct {
			Kind         string
			Rows, Served int
			Rejected     map[string]int
		}
	}
	if err := json.Unmarshal([]byte(run(0, "", append([]string{"import", "--json", path}, feed...)...)),
		&made); err != nil || made.Feed.State != "available" || made.Files[0].Kind != "sites-hs" ||
		made.Files[0].Rows != 2 || made.Files[0].Served != 1 {
		t.Errorf("import = %+v, %v; want an available feed, 1 of 2 rows served", made, err)
	}
	var r struct {
		ID                string
		OperatorConfirmed bool
		ConfirmCount      int
		State             string
	}
	said := run(0, "community:",
		append([]string{"report", "--json", "--lat=48.8585", "--lon=2.2946", "--service", "data", "--technology",
			"4g"}, feed...)...)
	if err := json.Unmarshal([]byte(said), &r); err != nil || r.State != "reported" || !r.OperatorConfirmed {
		t.Errorf("report = %+v, %v; want it reported and confirmed by the operator", r, err)
	}
	run(1, "in the future", append([]string{"report", "--lat=48.8585", "--lon=2.2946", "--started-at",
		"2126-01-01T00:00:00Z"}, feed...)...)
	run(1, "not in the market", append([]string{"report", "--lat=48.8585", "--lon=-72.5"}, feed...)...)
	run(1, "not one of data, voice, sms",
		append([]string{"report", "--lat=48.8585", "--lon=2.2946", "--service", "fax"}, feed...)...)
	run(2, "not a position", append([]string{"report", "--lat=NaN", "--lon=2.2946"}, feed...)...)
	run(2, "lat", append([]string{"report", "--lon=2.2946"}, feed...)...)
	run(0, "confirmed by 0 and the operator", "confirm", r.ID) // who reported it
	run(0, "confirmed by 1 and the operator", append([]string{"confirm", r.ID, "--user", "two"}, feed...)...)
	run(0, "1 report", append([]string{"list", "--state", "reported"}, feed...)...)
	run(0, "0 reports", "list", "--state", "resolved")
	run(2, "state", "list", "--state", "over")
	run(0, "is resolved", "resolve", r.ID)
	run(0, "is rejected", "reject", r.ID, "--why", "made up")
	run(1, "relais outage list", "reject", "community:1")
	run(0, "FR ORANGE: absent", append([]string{"clear"}, feed...)...)
	for _, verb := range []string{"import", "list", "clear", "report", "confirm", "resolve", "reject"} {
		run(0, "Example", verb, "--help")
	}
}

// A report stores the siteKey and the register's address, whichever identifier names the site.
// Unknown sites are refused.
func TestOutageReportOfASite(t *testing.T) {
	dir := t.TempDir()
	report := func(code int, says string, args ...string) (r struct{ SiteKey, SiteName, Address, Commune string }) {
		t.Helper()
		out, errs, got := command(t.Context(),
			append([]string{"outage", "report", "--data", dir, "--market", "FR", "--operator", "SFR", "--lat=48.81",
				"--lon=2.35", "--json"}, args...)...)
		if got != code || !strings.Contains(errs, says) {
			t.Fatalf("%q: exit %d, want %d with %q\n%s%s", args, got, code, says, out, errs)
		}
		if code == 0 {
			must(t, json.Unmarshal([]byte(out), &r))
		}
		return r
	}
	report(1, "no inventory of FR", "--site", "2")
	file := observatory(t, "2026-08-20", 3)
	text := filetest.Read(t, file)
	text = []byte(strings.ReplaceAll(string(text), "72;;;;;75001", "72;;3 rue de Rivoli;;;75001"))
	filetest.Write(t, file, text)
	if out, errs, code := command(t.Context(), "ingest", "--data", dir, "FR,DROM", file); code != 0 {
		t.Fatalf("ingest: exit %d\n%s%s, want 0", code, out, errs)
	}
	for _, name := range []string{"2", "fr-2", "FR-2", "0752700002"} {
		if r := report(0, "", "--site", name); r.SiteKey != "fr-2" || r.SiteName != "fr-2" ||
			!strings.Contains(strings.ToLower(r.Address), "3 rue de rivoli") {
			t.Errorf("report of site %s = %+v, want fr-2, 3 rue de Rivoli", name, r)
		}
	}
	if r := report(0, "", "--site", "3", "--site-name", "The tower", "--address", "A street", "--commune",
		"Paris"); r.SiteKey != "fr-3" ||
		r.SiteName != "The tower" || r.Address != "A street" || r.Commune != "Paris" {
		t.Errorf("report = %+v, want the stated name, address and commune", r)
	}
	report(1, "no site of FR has", "--site", "453481")
	report(1, "no site of FR has", "--site", "be-2")

	// The site has a position.
	base := []string{"outage", "report", "--data", dir, "--market", "FR", "--operator", "SFR", "--json"}
	out, errs, code := command(t.Context(), append(base, "--site", "fr-2")...)
	var r struct{ Lat, Lon float64 }
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
		t.Fatalf("report of a site without a position: exit %d, %v\n%s", code, err, errs)
	}
	for says, args := range map[string][]string{"Give --site, or --lat and --lon": nil,
		"belong together": {"--site", "fr-2", "--lon=2.35"}} {
		if _, errs, code := command(t.Context(), append(base, args...)...); code != 2 || !strings.Contains(errs, says) {
			t.Errorf("%q: exit %d, want 2 with %q\n%s", args, code, says, errs)
		}
	}
}
