package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What an operator publishes and what people report, from the command line.
func TestOutageCommands(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "sites\x1b_hs.csv")
	text := "code_site_op;departement;commune;Lat;Lon;data\n1;75;Paris;48.8584;2.2945;HS\n2;75;Paris;;;HS"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(code int, says string, args ...string) string {
		t.Helper()
		out, errs, got := command(context.Background(), append([]string{"outage", args[0], "--data", dir}, args[1:]...)...)
		if got != code || !strings.Contains(out+errs, says) || strings.Contains(out+errs, "\x1b") {
			t.Errorf("relais outage %q: exit %d, want %d with %q\n%s%s", args, got, code, says, out, errs)
		}
		return out
	}
	feed := []string{"--market", "fr", "--operator", "orange"}
	run(0, "1 no position (line 3)", append([]string{"import", path}, feed...)...)
	run(0, "note: "+filepath.Dir(path), append([]string{"import", path}, feed...)...)
	run(2, "--operator", "import", path, "--market", "FR")
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
	if err := json.Unmarshal([]byte(run(0, "", append([]string{"import", "--json", path}, feed...)...)), &made); err != nil || made.Feed.State != "available" || made.Files[0].Kind != "sites-hs" || made.Files[0].Rows != 2 || made.Files[0].Served != 1 {
		t.Errorf("%+v, %v", made, err)
	}
	var r struct {
		ID                string
		OperatorConfirmed bool
		ConfirmCount      int
		State             string
	}
	said := run(0, "community:", append([]string{"report", "--json", "--lat=48.8585", "--lon=2.2946", "--service", "data", "--technology", "4g"}, feed...)...)
	if err := json.Unmarshal([]byte(said), &r); err != nil || r.State != "reported" || !r.OperatorConfirmed {
		t.Errorf("%+v, %v", r, err)
	}
	run(1, "in the future", append([]string{"report", "--lat=48.8585", "--lon=2.2946", "--started-at", "2126-01-01T00:00:00Z"}, feed...)...)
	run(1, "not in the market", append([]string{"report", "--lat=48.8585", "--lon=-72.5"}, feed...)...)
	run(1, "none of data, voice, sms", append([]string{"report", "--lat=48.8585", "--lon=2.2946", "--service", "fax"}, feed...)...)
	run(2, "no position", append([]string{"report", "--lat=NaN", "--lon=2.2946"}, feed...)...)
	run(2, "lat", append([]string{"report", "--lon=2.2946"}, feed...)...)
	run(0, "confirmed by 0 and the operator", "confirm", r.ID) // who reported it
	run(0, "confirmed by 1 and the operator", append([]string{"confirm", r.ID, "--user", "two"}, feed...)...)
	run(0, "1 reports", append([]string{"list", "--state", "reported"}, feed...)...)
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
