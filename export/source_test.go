package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/api/view"
	"relais/export"
	"relais/index"
	"relais/ingest"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// france ingests the authority's own rows, which are not in this repository.
func france(t *testing.T) (*index.Market, string) {
	t.Helper()
	paths, _ := filepath.Glob("../../shared/data/fr/observatoire_*_extract.csv")
	if len(paths) == 0 {
		t.Skip("the authority's files are not here")
	}
	dir := folder.Dir(t.TempDir())
	if _, err := ingest.Run(context.Background(), ingest.Options{Dir: dir, Markets: []market.Code{market.FR}, Paths: paths,
		Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	snap, err := snapshot.ReadFile(filepath.Join(string(dir), "snapshots", "FR.snap"), market.FR)
	must(t, err)
	m, err := index.Load(snap, view.Summaries, time.Now())
	must(t, err)
	return m, paths[0]
}

// The rows of emissions say what the authority's file says, value by value.
func TestEmissionsAgainstTheSource(t *testing.T) {
	m, path := france(t)
	text := filetest.Read(t, path)
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	r.Comma = ';'
	source, err := r.ReadAll()
	must(t, err)
	var want []string
	for _, row := range source[1:] {
		cell := func(name string) string { return row[slices.Index(source[0], name)] }
		o, known := m.Table.OperatorNamed(cell("adm_lb_nom"))
		if !known {
			continue
		}
		department := strings.TrimPrefix(cell("sta_nm_dpt"), "0")
		want = append(want, strings.Join([]string{cell("sup_id"), m.Table.Operators[o].Key, cell("sta_nm_anfr"),
			cell("emr_lb_systeme"), cell("generation"), cell("statut"), cell("emr_dt"), department, cell("com_cd_insee"),
			cell("adr_nm_cp")}, "|"))
	}
	var b bytes.Buffer
	must(t, (export.CSV{}).Write(&b, (&export.Register{Market: m, Whole: true}).EmissionTable()))
	rows, err := csv.NewReader(&b).ReadAll()
	must(t, err)
	var got []string
	for _, row := range rows[1:] {
		var cells []string
		for _, name := range []string{"id", "operator", "station", "technology", "generation", "status", "date", "department",
			"insee", "postalCode"} {
			cells = append(cells, row[slices.Index(rows[0], name)])
		}
		got = append(got, strings.Join(cells, "|"))
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) < 50 {
		t.Fatalf("the source has only %d rows", len(want))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("got + and want -:\n%s", d)
	}
}
