package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"relais/ingest/source"
	"relais/internal/filetest"
)

const observatoryHeader = "adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;" +
	"sta_nm_anfr;coordonnees;statut\n"

// The report fits a terminal, and says what is normal and what is wrong apart.
func TestPrintFiles(t *testing.T) {
	files := []*source.Report{
		{Path: "/data/sources/FR/20261123T000000Z-1/observatoire_2026-08-20_with_a_very_long_name.csv.zst",
			Kind: "anfr-observatoire", Rows: 1660000, Served: 1650000, Kept: true,
			Rejected: map[string]int{"territory not served: Nouvelle-Calédonie (NC)": 9990, "no position": 10},
			Unused:   map[string]int{"territory not served: Nouvelle-Calédonie (NC)": 9990},
			Examples: []source.Example{{Line: 7, Reason: "no position"},
				{Line: 9, Reason: "territory not served: Nouvelle-Calédonie (NC)"}}},
		{Path: "/kit/SUP_tables.zip:SUP_NATURE.txt", Kind: "anfr-ref-proprietaire", Rows: 60, Served: 60},
		{Path: "/a/x.csv", Kind: "k", Rows: 1, Served: 1}, {Path: "/b/z.zip:x.csv", Kind: "k", Rows: 1, Served: 1},
	}
	var out bytes.Buffer
	must(t, printFiles(&out, files))
	for _, line := range strings.Split(out.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%d columns, want at most 100: %s", n, line)
		}
	}
	for _, text := range []string{"9990    10", " (kept)", "SUP_NATURE.txt  ", "x.csv  ", "z.zip:x.csv  ",
		"unused, which is normal", ": 9990 territory not served: Nouvelle-Calédonie (NC)\n", ": 10 no position (line 7)\n"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the report lacks %q:\n%s", text, out.String())
		}
	}
}

// Rows are served or rejected, and the unused are among the rejected.
func TestUnusedKeepsTheSum(t *testing.T) {
	path := filetest.New(t, "observatoire_2026-08-27.csv", observatoryHeader+
		"SFR;1;LTE 800;;003;03001;4G;2026-08-27T10:00:00;0032700001;\"46.1 , 3.1\";En service\n"+
		"SFR;2;LTE 800;;988;98818;4G;2026-08-27T10:00:00;9882700001;\"-22.2 , 166.4\";En service\n"+
		"SFR;3;LTE 800;;003;03001;9G;2026-08-27T10:00:00;0032700002;\"46.1 , 3.1\";En service\n")
	dir := filepath.Join(t.TempDir(), "data")
	out, errs, code := command(t.Context(), "ingest", "--data", dir, "FR,DROM", path, "--json")
	var r struct {
		Files []struct {
			Rows, Served     int
			Rejected, Unused map[string]int
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone || len(r.Files) != 1 {
		t.Fatalf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	f := r.Files[0]
	const reason = "territory not served: Nouvelle-Calédonie (NC)"
	if f.Rows != 3 || f.Served+source.Sum(f.Rejected) != f.Rows || f.Rejected[reason] != 1 || f.Unused[reason] != 1 ||
		len(f.Unused) != 1 {
		t.Errorf("%+v: want 3 rows = 1 served + 2 rejected, and 1 of these unused", f)
	}
	out, _, _ = command(t.Context(), "ingest", "--data", dir, "FR,DROM", path)
	if !strings.HasSuffix(out, "next: relais serve --data "+dir+"\n") {
		t.Errorf("the report ends with %q, want what to do next", out)
	}
}

// Arguments in the wrong order are answered with the right one.
func TestSwappedArguments(t *testing.T) {
	path := filetest.New(t, "observatoire_2026-08-27.csv", observatoryHeader+"x\n")
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"file and market", []string{"--data", dir, path, "FR"},
			"it is the anfr-observatoire of FR,DROM, and files come after the market: relais ingest --data DIR FR,DROM " +
				path},
		{"folder and market", []string{"--data", "FR", dir, path}, "is not a market, which comes before the files"},
		{"a missing file", []string{"--data", dir, "none.csv", "FR"}, "is not a market, which comes before the files"},
		{"file and folder", []string{"--data", path, "FR", dir}, "a file, and the data folder belongs here"},
		{"neither", []string{"--data", dir, "XX", path}, `"XX" is not a market: want one of`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, errs, code := command(t.Context(), append([]string{"ingest"}, tt.args...)...)
			if code != exitUsage || !strings.Contains(errs, tt.want) {
				t.Errorf("exit %d, want %d with %q\n%s", code, exitUsage, tt.want, errs)
			}
		})
	}
	if _, err := os.Stat("FR"); err == nil {
		t.Error("a folder FR was made")
	}
}
