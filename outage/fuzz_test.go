package outage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
)

// Whatever a file holds: no panic, rows that add up, entries that can be stored, and
// errors that say where.
func FuzzFile(f *testing.F) {
	f.Add(rowOf("1")+rowOf("2"), true)
	f.Add("Titre\n\n"+fmt.Sprintf(header, "SFR")+rowOf("01014_002_01")+"\n\"x;\nHS;hors service\n", false)
	f.Add("\ufeffCode SI,a,début,Lat,Lon,voix\r\nT1,\xe9,2026-02-30,\"45,77\",3.08,hs\r\n", false)
	f.Add("code_si;x;y;X_WGS84_GPS;Y_WGS84_GPS;debut_voix;debut_data;fin_voix\n7;;;45.77;3.08;20/08/2026 06:10:00;2026-08-19;21/08/2026", false)
	f.Fuzz(func(t *testing.T, text string, headed bool) {
		if headed {
			text = fmt.Sprintf(header, "SFR") + text
		}
		p, err := newParser(market.Get(market.FR), "SFR")
		must(t, err)
		report := &source.Report{Path: "f.csv", Rejected: map[string]int{}}
		err = p.read(context.Background(), strings.NewReader(text), "f.csv", report)
		if bad := (*table.Error)(nil); err != nil {
			if !errors.As(err, &bad) || bad.Line < 1 || bad.Name != "f.csv" {
				t.Fatalf("got %v, want a line of f.csv", err)
			}
			return
		}
		rejected := 0
		for _, n := range report.Rejected {
			rejected += n
		}
		if report.Served != len(p.entries) || report.Rows != report.Served+rejected {
			t.Fatalf("%d entries, %+v, want Served = %v and Rows = %v", len(p.entries), report, len(p.entries),
				report.Served+rejected)
		}
		for _, e := range p.entries {
			checkEntry(t, e)
		}
	})
}

func checkEntry(t *testing.T, e *Entry) {
	t.Helper()
	if !market.Get(e.Market).Contains(e.Point()) || e.Code == "" || len(e.Raw()) != 20 {
		t.Errorf("got %+v, want a code, a place in its market and 20 cells", e)
	}
	if e.Start != nil && e.End != nil && e.End.Before(*e.Start) {
		t.Errorf("%s before %s", e.End, e.Start)
	}
	for key, cell := range e.Raw() {
		if !utf8.ValidString(cell) || len(cell) > maxCell {
			t.Errorf("%s: got %q, want at most %d bytes of UTF-8", key, cell, maxCell)
		}
	}
	for _, at := range []*time.Time{e.Start, e.End} {
		if at != nil && (at.Year() < 1999 || at.Year() > 2100) {
			t.Errorf("got %s, want 1999 to 2100", at)
		}
	}
	e.Severity()
	e.Affected()
	text, err := json.Marshal(e)
	again := &Entry{}
	if err == nil {
		err = json.Unmarshal(text, again)
	}
	if err != nil || again.Lat != e.Lat || again.Code != e.Code || again.Cells != e.Cells ||
		len(again.Cells.list()) != len(rawColumns) {
		t.Errorf("got %+v, %v, of %s, want %+v", again, err, text, e)
	}
}
