package anfr

import (
	"strings"
	"testing"

	"relais/archive/column"
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
func TestReadPublished(t *testing.T) {
	text := strings.Join(column.Names[:], ";") + "\n" +
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
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := ReadPublished(in, func(row *PublishedRow) (string, error) {
		var fields []string
		for _, b := range row {
			fields = append(fields, string(b))
		}
		got = append(got, strings.Join(fields, ";"))
		return "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
