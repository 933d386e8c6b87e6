package archive

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"relais/ingest/anfr"
	"relais/ingest/source"
	"relais/internal/filetest"
	"relais/site"
)

// FuzzAdd adds any bytes as a second publication: it is refused, or every row
// is there or rejected.
func FuzzAdd(f *testing.F) {
	row := "1;" + fmt.Sprintf(line("SFR", "10", "LTE 800", "0032700001", "En service"), "2026-08-13T00:00:00") + "\n"
	f.Add([]byte(header + row))
	f.Add([]byte("\ufeff" + header + row + strings.ReplaceAll(row, "LTE 800", "5G NR 3500") + row))
	f.Add([]byte(strings.ReplaceAll(header+row+"2;;\n\"", ";", ",")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Count(data, []byte("\n")) > 2000 {
			return
		}
		s, _ := opened(t)
		mustAdd(t, s, publication(t, "2026-08-06", line("SFR", "10", "LTE 800", "0032700001", "En service")), Options{})
		path := filetest.New(t, "x.csv", data)
		found := source.Found{Input: &source.Input{Path: path}, Kind: anfr.Kinds[0]}
		r, err := s.Add(t.Context(), &found, Options{Date: site.DateOf(2026, 8, 13), Force: true})
		if err != nil {
			mustBeWhole(t, s, 1)
			return
		}
		n := 0
		for _, reason := range r.File.Rejected {
			n += reason
		}
		whole := len(describe(t, sitesOf(s.Whole("2026-08-13"))))
		if r.File.Rows != r.File.Served+n || r.File.Served != whole {
			t.Errorf("%+v: %d shown, want Rows = %v and Served = %v", r.File, whole, r.File.Served+n, whole)
		}
		describe(t, sitesOf(s.Changes("2026-08-13")))
		mustBeWhole(t, s, 2)
	})
}

// One support does not have the rows of a country.
func TestBoundedSupport(t *testing.T) {
	s, _ := opened(t)
	var lines []string
	for i := range maxSupportRows + 5 {
		lines = append(lines, line("SFR", "10", fmt.Sprint("LTE ", i), "0032700001", "En service"))
	}
	r := mustAdd(t, s, publication(t, "2026-08-06", lines...), Options{})
	if r.File.Served != maxSupportRows || r.File.Rejected["over 1000 rows of one support"] != 5 {
		t.Errorf("got %+v, want %d rows served and 5 rejected", r.File, maxSupportRows)
	}
}

// A file with more names of operators than a row has room for is refused, and nothing is stored.
func TestBoundedNames(t *testing.T) {
	s, _ := opened(t)
	var lines []string
	for i := range maxNames {
		lines = append(lines, line(fmt.Sprint("SFR ", i), fmt.Sprint(1+i/500), "LTE 800", "0032700001", "En service"))
	}
	r, err := add(s, publication(t, "2026-08-06", lines[1:]...), Options{})
	if err != nil || r.File.Served != maxNames-1 {
		t.Fatalf("%d names: %+v, %v; want all rows", maxNames-1, r, err)
	}
	_, err = add(s, publication(t, "2026-08-13", lines...), Options{})
	if err == nil || !strings.Contains(err.Error(), "over 65,535 different texts in one column") {
		t.Errorf("%d names: %v; want an error", maxNames, err)
	}
	if all, err := s.List(); err != nil || len(all) != 1 {
		t.Errorf("List: %+v, %v; want the first publication alone", all, err)
	}
}
