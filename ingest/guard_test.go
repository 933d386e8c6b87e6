package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// datedObservatory is an observatoire of so many supports. The first ones have a date of emission.
func datedObservatory(day string, supports, dates int, form string) string {
	var b strings.Builder
	b.WriteString("adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;coordonnees;statut\n")
	for i := range supports {
		date := ""
		if i < dates {
			date = form
		}
		fmt.Fprintf(&b, "SFR;%d;LTE 800;%s;003;03001;4G;%sT10:00:00;00327%05d;46.%03d , 3.1;En service\n", 100+i, date, day, i, i)
	}
	return b.String()
}

// Over 5 % of an enrichment must not go, unless those are few sites and others keep it.
func TestGuardOfEnrichments(t *testing.T) {
	for _, tt := range []struct {
		name           string
		before, after  int
		form           string
		refused, noted string
	}{
		{"5 %", 300, 285, "2016-01-02", "", ""},
		{"over 5 %", 300, 284, "2016-01-02", "emissionDates of 16 sites would be lost (284 now, 300 then)", ""},
		{"ten sites", 30, 20, "2016-01-02", "", ""},
		{"eleven sites", 30, 19, "2016-01-02", "emissionDates of 11 sites would be lost (19 now, 30 then)", ""},
		{"all of few", 3, 0, "", "emissionDates of 3 sites would be lost (0 now, 3 then): the column emr_dt is empty", ""},
		{"another form", 300, 300, "2016/01/02", "w.csv: emr_dt: 300 values are not dates and were left out; the first is on line 2",
			""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKit(t)
			k.must(k.file("o.csv", datedObservatory("2026-08-20", 300, tt.before, "2016-01-02")))
			path := k.file("w.csv", datedObservatory("2026-08-27", 300, tt.after, tt.form))
			_, err := k.run(false, both, path)
			if (err != nil) != (tt.refused != "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("error %v, want %q", err, tt.refused)
			}
			if _, err := k.run(true, both, path); err != nil {
				t.Errorf("with --force: %v", err)
			}
		})
	}
}

// A column is named in the report on the file that lacks it, once.
func TestColumnsAreNamedOnce(t *testing.T) {
	k := newKit(t)
	of := func(r *Report) []string {
		return slices.DeleteFunc(r.Notes, func(n string) bool { return !strings.Contains(n, "column") })
	}
	text := datedObservatory("2026-08-20", 100, 5, "2016-01-02")
	if notes := of(k.must(k.file("o.csv", text), k.file("a.txt", antennas))); len(notes) > 0 {
		t.Errorf("notes on the first files: %q", notes)
	}
	renamed := k.file("w.csv", strings.Replace(datedObservatory("2026-08-27", 100, 5, "2016-01-02"), "emr_dt", "emr_date", 1))
	if _, err := k.run(false, both, renamed); err == nil {
		t.Error("the loss of all dates was accepted")
	}
	r, err := k.run(true, both, renamed)
	must(t, err)
	want := []string{renamed + ": unknown columns: emr_date; missing columns that the file before had: emr_dt"}
	if notes := of(r); !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if notes := of(k.must(k.file("a.txt", antennas))); len(notes) > 0 {
		t.Errorf("notes on a kept file: %q", notes)
	}
	again := k.file("x.csv", strings.Replace(datedObservatory("2026-09-03", 100, 5, "2016-01-02"), "emr_dt", "emr_date", 1))
	if notes, want := of(k.must(again)), []string{again + ": unknown columns: emr_date"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q: the file before has no emr_dt either", notes, want)
	}
}

// What one of several parts has, is not missing.
func TestColumnsOfParts(t *testing.T) {
	p := columnsFlanders().cases[0].publication
	parts := func(k kit, sitecodes ...string) (paths []string) {
		for i, code := range sitecodes {
			q := p
			q.rows = [][]string{slices.Clone(p.rows[i*2])}
			q.rows[0][slices.Index(p.columns, "sitecode")] = code
			paths = append(paths, k.file(fmt.Sprintf("part%d_2018-03-05.geojson", i), q.String()))
		}
		return paths
	}
	k := newKit(t)
	markets := columnsFlanders().markets
	if _, err := k.run(false, markets, parts(k, `"A1"`, `"T1"`)...); err != nil {
		t.Fatal(err)
	}
	r, err := k.run(false, markets, parts(k, `"A1"`, "null")...)
	if err != nil || slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "column") }) {
		t.Errorf("report %+v, error %v; want no note on columns", r, err)
	}
}
