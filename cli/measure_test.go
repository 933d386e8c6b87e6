package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

func TestImportMeasures(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().UTC().Format(time.RFC3339)
	tests, points := filepath.Join(dir, "tests.csv"), filepath.Join(dir, "points.csv")
	for _, tt := range []struct{ path, text string }{
		{tests, "timestamp,lat,lng,download_mbps\n" + now + ",48,2.5,100\n" + now + ",48,2.5,100\n" + now +
			",0,0,100\n"},
		{points, "timestamp,lat,lng,technology,signal_strength\n" + now + ",48,2.5,LTE,-60\n"},
	} {
		filetest.Write(t, tt.path, tt.text)
	}
	data := filepath.Join(dir, "data")
	must(t, os.Mkdir(data, 0o700))
	out, _, code := command(t.Context(), "speedtest", "import", "--data", data, "--market", "fr", tests)
	for _, want := range []string{"speedtests", "3", "1 position unknown (line 4)", "1 duplicate",
		"FR has 1 speedtest now", "done in"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("code %d, no %q in %s, want 0 and %q in it", code, want, out, want)
		}
	}
	out, _, code = command(t.Context(), "coverage", "import", "--data", data, "--market", "FR", "--json", points)
	var r struct {
		Files []struct {
			Kind         string
			Rows, Served int
			Rejected     map[string]int
		}
		Market, Kind string
		Total        int
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Market != "FR" || r.Kind != "coverage" ||
		r.Total != 1 || r.Files[0].Rows != 1 || r.Files[0].Served != 1 {
		t.Errorf("code %d, %v: %s, Market %v, Kind %v, Total %v, Rows %v, Served %v, want 0, no error, Market = "+
			"FR, Kind = coverage, Total = 1, Rows = 1 and Served = 1", code, err, out, r.Market, r.Kind, r.Total,
			r.Files[0].Rows, r.Files[0].Served)
	}
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"speedtest", "import", "--data", data, "--market", "FR", points}, 1, "points.csv:1"},
		{[]string{"speedtest", "import", "--data", data, "--market", "FR", filepath.Join(dir, "missing.csv")}, 1,
			"missing.csv"},
		{[]string{"coverage", "import", "--data", filepath.Join(dir, "nowhere"), "--market", "FR", points},
			1, "the data folder"},
		{[]string{"coverage", "import", "--data", data, "--market", "XX", points}, 2, "FR, DROM"},
		{[]string{"coverage", "import", "--data", data, points}, 2, "--market"},
		{[]string{"coverage", "import", "--data", data, "--market", "FR"}, 2, "file"},
		{[]string{"serve", "--data", data, "--keep-measures", "soon"}, 2, "keep-measures"},
	} {
		if _, err, code := command(t.Context(), tt.args...); code != tt.code || !strings.Contains(err, tt.says) {
			t.Errorf("relais %q: exit %d with %q, want %d with %q", tt.args, code, err, tt.code, tt.says)
		}
	}
}
