package outage

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/market"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// kit names a folder with what tools/make_france.py --all writes.
const kit = "RELAIS_FRANCE_KIT"

// The generated files hold what an independent reader finds in them.
func TestKit(t *testing.T) {
	dir := os.Getenv(kit)
	if dir == "" {
		t.Skip(kit + " names no folder with generated files")
	}
	for _, op := range french {
		path := filepath.Join(dir, "sites_hs_"+strings.ToLower(op)+".csv")
		text := filetest.Read(t, path)
		_, table, _ := strings.Cut(string(text), "\n\n")
		table, _, _ = strings.Cut(table, "\n\n")
		r := csv.NewReader(strings.NewReader(table))
		r.Comma = ';'
		rows, err := r.ReadAll()
		must(t, err)
		s, db := opened(t, newClock())
		served := 0
		for _, code := range []market.Code{market.FR, market.DROM} {
			if _, ok := market.Get(code).Operator(op); !ok {
				continue
			}
			reports, err := s.Import(context.Background(), code, op, path)
			if err != nil || reports[0].Rows != len(rows)-1 {
				t.Fatalf("%s %s: %+v, %v, want no error and Rows = %v", code, op, reports[0], err, len(rows)-1)
			}
			list, _ := reopen(t, db, newClock()).Entries(Query{Market: code})
			if served += reports[0].Served; len(list) != reports[0].Served {
				t.Errorf("%s: %d entries, %+v, want %d", op, len(list), reports[0], reports[0].Served)
			}
			for _, e := range list {
				compare(t, e, rows)
			}
			t.Logf("%s %s: %d of %d rows, %v", code, op, reports[0].Served, reports[0].Rows, reports[0].Rejected)
		}
		if op == "ORANGE" && served != len(rows)-1 {
			t.Errorf("ORANGE: got %d rows in the two markets, want %d", served, len(rows)-1)
		}
	}
}

func compare(t *testing.T, e *Entry, rows [][]string) {
	t.Helper()
	at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == e.Code })
	if at < 0 {
		t.Errorf("no row has the code %s", e.Code)
		return
	}
	raw := e.Raw()
	for i, name := range rows[0] {
		if raw[name] != rows[at][i] {
			t.Errorf("%s: %s is %q, not %q", e.Code, name, raw[name], rows[at][i])
		}
	}
	lat, _ := strconv.ParseFloat(rows[at][6], 64)
	if d := lat - e.Lat; d > 1e-7 || d < -1e-7 || string(e.Services.Data5G) != rows[at][13] ||
		e.Start.Format("2006-01-02 15:04") != "2026-08-20 04:10" {
		t.Errorf("got %+v, want %v", e, rows[at])
	}
}
