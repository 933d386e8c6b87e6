package anfr

import (
	"fmt"
	"strings"
	"testing"

	"relais/ingest/anfr/column"
	"relais/ingest/source"
	"relais/internal/filetest"
)

func TestPublishedColumns(t *testing.T) {
	for i, name := range column.Names {
		if got := observatoryColumns[publishedAt[i]].Name; got != name {
			t.Errorf("column %d is %s, want %s", i, got, name)
		}
	}
}

// Rows of every territory and operator are read unchanged, except those without an identity.
func TestPublishedRow(t *testing.T) {
	text := strings.Join(column.Names[:column.Azimuths], ";") + "\n" + // a file before autumn 2026
		"7;Gouv Nelle Calédonie (OPT);0042;LTE 800;02/01/2020;988;98818;4G;2026-08-27T16:11:53;9880110001;23;\"27,2\";72;a;b;c;d;98800;98818;\"-22,1 , 166\";x;Inconnu\n" +
		"8; SFR ;42;LTE 800 ;;3;3258;4G;;32700001;;;;  ;LA RONCHÈRE \t; x;\"y \";3110;;;;\r\n" +
		"9;SFR;42;;;;;;;32700001;;;;;;;;;;;;\n" +
		"10;SFR;000;LTE 800;;;;;;32700001;;;;;;;;;;;;\n" +
		"11;SFR;42;LTE 800;;;;;;;;;;;;;;;;;;\n" +
		"12;SFR;42;LTE 800;" + strings.Repeat("x", 501) + ";;;;;32700001;;;;;;;;;;;;\n" +
		"13;SFR\n"
	path := filetest.New(t, "x.csv", text)
	var got []string
	f := source.Found{Input: &source.Input{Path: path}, Kind: Kinds[0]}
	in, err := f.Read(nil)
	must(t, err)
	defer in.Close()
	var row PublishedRow
	err = row.Read(in, func() (string, error) {
		var fields []string
		for _, b := range row.Values[:column.Azimuths] {
			fields = append(fields, string(b))
		}
		got = append(got, strings.Join(fields, ";"))
		return "", nil
	})
	must(t, err)
	r, err := in.Done()
	must(t, err)
	r.CountServed()
	want := []string{
		"7;Gouv Nelle Calédonie (OPT);42;LTE 800;2020-01-02;988;98818;4G;2026-08-27;9880110001;23;27,2;72;a;b;c;d;98800;98818;-22,1 , 166;x;Inconnu",
		"8;SFR;42;LTE 800;;003;03258;4G;;0032700001;;;;  ;LA RONCHÈRE  ; x;y ;03110;;;;",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %s, want %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Rows != 7 || r.Served != 2 || len(r.Rejected) != 5 {
		t.Errorf("r = %+v; want r.Rows = 7, r.Served = 2, len(r.Rejected) = 5", r)
	}
}

// Rows that repeat the one before are the same as rows that are read alone, whatever was rejected in between.
func TestRepeatedPublishedRows(t *testing.T) {
	header := strings.Join(column.Names[:], ";") + ";puissance\n"
	place := ";3;3258;4G;2026-08-27T16:11:53;%s;23;20;72;LIEU \t;;;;3110;3258;\"46,1 , 3,2\";x;En service;%s\n"
	more := []string{"0|120;", ";5", ";"}
	row := func(id, operator, support, system, date, station string) string {
		return strings.Join([]string{id, operator, support, system, date}, ";") + fmt.Sprintf(place, station, more[len(system)%3])
	}
	lines := []string{
		row("1", "SFR", "42", "LTE 800", "2020-01-02", "32700001"),
		row("2", "SFR", "42", "LTE 900", "02/01/2020", "32700001"), // as an integer, and another format of date
		row("3", "SFR", "042", "LTE 900", "2020-01-02", "0032700001"),
		row("4", "SFR", "42", "", "2020-01-02", "0032700001"), // rejected
		row("5", "SFR", "42", "LTE 1800", "2020-01-02", "0032700001"),
		row("6", "SFR", "42", "LTE 2100", "2020-01-02", ""), // rejected
		row("7", "SFR", "42", "LTE 2600", "2020-01-02", "32700001"),
		row("8", "SFR", "42", "refused", "2020-01-02", "32700001"), // by the function that takes it
		row("9", "SFR", "42", "LTE 2600", "2020-01-02", "32700001"),
		row("10", "ORANGE", "43", "LTE 2600", strings.Repeat("9", 501), "32700001"), // rejected
		row("11", "ORANGE", "43", "LTE 2600", "2020-01-02", "32700001"),
	}
	read := func(lines ...string) (rows []string) {
		path := filetest.New(t, "x.csv", header+strings.Join(lines, ""))
		f := source.Found{Input: &source.Input{Path: path}, Kind: Kinds[0]}
		in, err := f.Read(nil)
		must(t, err)
		defer in.Close()
		var row PublishedRow
		var before [len(column.Names)]string
		moreBefore := ""
		must(t, row.Read(in, func() (string, error) {
			if string(row.Values[column.System]) == "refused" {
				return "refused", nil
			}
			var fields [len(column.Names)]string
			for i, b := range row.Values {
				fields[i] = string(b)
				if row.Same>>i&1 == 1 && fields[i] != before[i] {
					t.Errorf("column %d of %q is marked as the same, and was %q", i, fields, before[i])
				}
			}
			if row.SameMore && string(row.More[0]) != moreBefore {
				t.Errorf("the further columns of %q are marked as the same, and were %q", row.More, moreBefore)
			}
			before, moreBefore = fields, string(row.More[0])
			rows = append(rows, strings.Join(fields[:], ";")+";"+moreBefore)
			return "", nil
		}))
		return rows
	}
	var alone []string
	for _, line := range lines {
		alone = append(alone, read(line)...)
	}
	if together := read(lines...); len(together) != 7 || strings.Join(together, "\n") != strings.Join(alone, "\n") {
		t.Errorf("rows of a file:\n%s\nwant those of files of one row, 7:\n%s", strings.Join(together, "\n"),
			strings.Join(alone, "\n"))
	}
}
