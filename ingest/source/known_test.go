package source

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/ingest/table"
	"relais/internal/filetest"
)

// nests knows columns of every sort.
var nests = &Kind{Name: "nests", Columns: []table.Column{{Name: "bird", Required: true}, {Name: "day", Aliases: []string{"Tag"}},
	{Name: "eggs"}}, Others: []string{"tree"}, Personal: []string{"finder"}, Ignored: []string{"moon"}}

// report reads a table of the kind to its end.
func report(t *testing.T, k *Kind, text string) *Report {
	t.Helper()
	f := Found{Input: &Input{Path: filetest.New(t, "nests.csv", text)}, Kind: k}
	r, err := f.Read(nil)
	must(t, err)
	defer r.Close()
	for r.NextRow() {
		r.Date(1)
	}
	report, err := r.Done()
	must(t, err)
	return report
}

func TestColumnsOfATable(t *testing.T) {
	const odd = "day: 1 values are not dates and were left out; the first is on line "
	for _, tt := range []struct {
		name, text string
		want       Columns
		warning    string
	}{
		{"all known", "bird;day;eggs;tree;finder;moon\na;2026-01-02;3;oak;Zoe;full\n",
			Columns{Filled: []string{"bird", "day", "eggs", "tree", "finder", "moon"}}, ""},
		{"a later row fills", "bird;day;eggs\na;;\nb;;7\n", Columns{Filled: []string{"bird", "eggs"}, Empty: []string{"day"}}, ""},
		{"a broken row does not", "bird;day;eggs\na;;\nb;;7;8\n", Columns{Filled: []string{"bird"}, Empty: []string{"day", "eggs"}},
			""},
		{"blanks and controls are nothing", "bird;day;eggs\na; ;\x01\n",
			Columns{Filled: []string{"bird"}, Empty: []string{"day", "eggs"}}, ""},
		{"an alias, and the end of a line", "bird;Tag;eggs\r\na;x;\r\n",
			Columns{Filled: []string{"bird", "Tag"}, Empty: []string{"eggs"}}, odd + "2"},
		{"two names of one column", "bird;Tag;day\na;x;y\n", Columns{Filled: []string{"bird", "day"}, Twice: []string{"Tag"}},
			odd + "2; columns that are there twice: Tag"},
		{"unknown", "bird;;Nest\na;1;2\n", Columns{Filled: []string{"bird"}, Unknown: []string{"", "Nest"}},
			"unknown columns: (without a name), Nest"},
		{"twice", "bird;tree;tree;x;x\na;1;2;3;4\n",
			Columns{Filled: []string{"bird", "tree"}, Unknown: []string{"x"}, Twice: []string{"tree", "x"}},
			"unknown columns: x; columns that are there twice: tree, x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := report(t, nests, tt.text)
			r.WarnOfForeign()
			if diff := cmp.Diff(tt.want, r.Columns); diff != "" || r.Warning != tt.warning {
				t.Errorf("warning %q, want %q; columns (-want +got)\n%s", r.Warning, tt.warning, diff)
			}
		})
	}
}

// A table without a header has the kind's names.
func TestColumnsWithoutHeader(t *testing.T) {
	k := *nests
	k.Options = table.Options{NoHeader: true, Comma: ';'}
	want := Columns{Filled: []string{"bird", "eggs"}, Empty: []string{"day"}}
	if diff := cmp.Diff(want, report(t, &k, "a;;1\nb;;\n").Columns); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}
}

// What a warning says of columns is bounded, whatever the file has.
func TestMayBePersonal(t *testing.T) {
	for name, want := range map[string]bool{"userId": true, "user_id": true, "e-mail": true, "EMAIL": true, "ip": true,
		"ip_address": true, "IMEI": true, "deviceSerialNumber": true, "contact_phone": true, "Téléphone": true, "auteur": true,
		"list_azimut": false, "emr_puissance": false, "description": false, "zip": false, "mode": false, "tel que": true} {
		if got := mayBePersonal(name); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}

func TestListColumns(t *testing.T) {
	var header []string
	for i := range 400 {
		header = append(header, strings.Repeat("é", 50)+strings.Repeat("x", i%7))
	}
	text := ListColumns(header)
	if !strings.HasSuffix(text, " and 370 more") || len(text) > 30*70+20 || !strings.HasPrefix(text, strings.Repeat("é", 30)+"…, ") {
		t.Errorf("%d bytes: %q, want 30 shortened names and 370 more", len(text), text)
	}
}

// The members of the rows of a list are known, unknown or there twice like columns.
func TestColumnsOfAList(t *testing.T) {
	k := &Kind{Name: "list", Items: &Items{List: "features", Names: []string{"bird"},
		Columns:    []table.Column{{Name: "geometry", Required: true}},
		Properties: []table.Column{{Name: "bird", Required: true}, {Name: "day_en", Aliases: []string{"day_fr"}}},
		Others:     []string{"moon"}}}
	f := Found{Kind: k, Input: &Input{Path: filetest.New(t, "x.json", `{"features":[`+
		`{"type":"Feature","geometry":{"a":1},"place":3,"properties":{"bird":"a","day_en":null,"day_fr":"x","MOON":1,"moon":2}},`+
		`{"type":"Feature","geometry":{"a":1},"properties":{"bird":"b","nest":1,"place":2}}]}`)}}
	r, err := f.ReadItems(nil)
	must(t, err)
	defer r.Close()
	rows := 0
	for row := map[string]any(nil); r.NextRow(&row); {
		rows++
	}
	report, err := r.Done()
	if err != nil || rows != 2 {
		t.Fatalf("%d rows, error %v; want 2", rows, err)
	}
	want := Columns{Filled: []string{"geometry", "bird", "day_fr", "moon", "type", "properties"}, Empty: []string{"day_en"},
		Unknown: []string{"place", "nest"}, Twice: []string{"moon"}}
	if diff := cmp.Diff(want, report.Columns); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}
	if !k.Has(report.Columns.Filled, "day_fr") || k.Has(report.Columns.Filled, "day_en") || !nests.Has([]string{"TAG"}, "day") ||
		slices.Contains(report.Columns.Unknown, "bird") {
		t.Error("names of a list count by themselves, those of a table for their column")
	}
}
