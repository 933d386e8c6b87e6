package archive

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/ingest/anfr/column"
	"relais/internal/filetest"
)

// withColumns is a file of a date with further columns. Each line has the values of them at its end.
func withColumns(t *testing.T, date, columns string, lines ...string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("\ufeff" + strings.TrimSuffix(header, "\n") + ";" + columns + "\n")
	for i, l := range lines {
		fmt.Fprintf(&text, "%d;"+l+"\n", i+1, date+"T16:11:53")
	}
	return filetest.New(t, "observatoire.csv", text.String())
}

// further returns what the rows of a publication state in further columns, by operator and system.
func further(t *testing.T, s *Store, date string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for r, err := range records(sitesOf(s.Whole(date))) {
		must(t, err)
		text := r.Values[column.Azimuths]
		for _, m := range r.More {
			text += " " + m.Name + "=" + m.Value
		}
		got[r.Values[column.Operator]+" "+r.Values[column.System]] = text
	}
	return got
}

// A publication keeps list_azimut and columns that nobody knows as they are written. Publications without them have
// fewer columns, and what only one of two has is not a change.
func TestFurtherColumns(t *testing.T) {
	s, _ := opened(t)
	sfr, orange := line("SFR", "1", "LTE 700", "0031300001", "En service"), line("ORANGE", "1", "LTE 800", "0031300002", "En service")
	free := line("FREE MOBILE", "2", "LTE 700", "0031300003", "En service")
	mustAdd(t, s, publication(t, "2026-08-27", sfr, orange, free), Options{})
	mustAdd(t, s, withColumns(t, "2026-09-03", "list_azimut", sfr+";240|0|120", orange+";", free+";5"), Options{})
	mustAdd(t, s, withColumns(t, "2026-09-10", "puissance;list_azimut;mode", sfr+";43,5;240|0|120;", orange+";;;partagé", free+";;15;"),
		Options{})
	mustAdd(t, s, publication(t, "2026-09-17", sfr, orange, free), Options{})
	for date, want := range map[string]map[string]string{
		"2026-08-27": {"SFR LTE 700": "", "ORANGE LTE 800": "", "FREE MOBILE LTE 700": ""},
		"2026-09-03": {"SFR LTE 700": "240|0|120", "ORANGE LTE 800": "", "FREE MOBILE LTE 700": "5"},
		"2026-09-10": {"SFR LTE 700": "240|0|120 puissance=43,5", "ORANGE LTE 800": " mode=partagé", "FREE MOBILE LTE 700": "15"},
		"2026-09-17": {"SFR LTE 700": "", "ORANGE LTE 800": "", "FREE MOBILE LTE 700": ""},
	} {
		if got := further(t, s, date); !maps.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", date, got, want)
		}
	}
	all, err := s.List()
	must(t, err)
	var columns [][]string
	for _, p := range all {
		columns = append(columns, p.Columns)
	}
	if diff := cmp.Diff([][]string{nil, {"list_azimut"}, {"list_azimut", "puissance", "mode"}, nil}, columns); diff != "" {
		t.Errorf("columns (-want +got)\n%s", diff)
	}
	// Only the antenna of FREE was turned.
	var turned []string
	for _, support := range []string{"1", "2"} {
		versions, err := s.History(support)
		must(t, err)
		for _, v := range versions[1:] {
			for _, d := range v.Differences {
				turned = append(turned, fmt.Sprint(v.Date, " ", d.After.Values[column.Operator], " ",
					d.Before.Values[column.Azimuths], " to ", d.After.Values[column.Azimuths], " ", d.Columns))
			}
		}
	}
	slices.Sort(turned)
	if want := []string{fmt.Sprint("2026-09-10 FREE MOBILE 5 to 15 ", []int{column.Azimuths})}; !slices.Equal(turned, want) {
		t.Errorf("changes %q, want %q", turned, want)
	}
	// A copy of a support has its rows as they are, with the same columns.
	to, db := opened(t)
	if n, err := s.CopyTo(t.Context(), db, func(of *Site) bool { return of.ID == "1" }); n != 4 || err != nil {
		t.Fatalf("CopyTo: got %d, %v, want 4 publications", n, err)
	}
	copied, err := to.List()
	must(t, err)
	for i, p := range copied {
		was, err1 := s.SiteAt("1", p.Date)
		is, err2 := to.SiteAt("1", p.Date)
		if diff := cmp.Diff(was, is); diff != "" || err1 != nil || err2 != nil || p.Rows != 2 || p.Updated != all[i].Updated {
			t.Errorf("%s: %v, %v, %d rows of %s (-source +copy)\n%s", p.Date, err1, err2, p.Rows, p.Updated, diff)
		}
	}
	mustBeWhole(t, to, 4)
	if _, _, _, err := s.CheckRecords(); err != nil {
		t.Errorf("check: %v", err)
	}
}

// A file of the newest date with other rows takes the place of the publication when it may. One with the same rows does
// not, nor does one with far fewer supports, nor one of an older date.
func TestNewestIsReplaced(t *testing.T) {
	s, _ := opened(t)
	var lines []string
	for i := range 40 {
		lines = append(lines, line("SFR", fmt.Sprint(i+1), "LTE 700", fmt.Sprintf("00313%05d", i+1), "En service"))
	}
	mustAdd(t, s, publication(t, "2026-08-06", lines...), Options{})
	mustAdd(t, s, publication(t, "2026-08-13", lines...), Options{})
	if _, err := add(s, publication(t, "2026-08-13", lines...), Options{Newest: true}); !errors.Is(err, ErrExists) {
		t.Errorf("the same rows: %v, want ErrExists", err)
	}
	corrected := append(slices.Clone(lines), line("SFR", "41", "LTE 700", "0031300041", "En service"))
	corrected[3] = strings.Replace(corrected[3], "En service", "Projet approuvé", 1)
	if _, err := add(s, publication(t, "2026-08-13", corrected...), Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("without permission: %v, want ErrExists", err)
	}
	if _, err := add(s, publication(t, "2026-08-13", lines[:30]...), Options{Newest: true}); !errors.Is(err, ErrRefused) {
		t.Errorf("three quarters of the supports: %v, want ErrRefused", err)
	}
	if _, err := add(s, publication(t, "2026-08-06", corrected...), Options{Newest: true}); !errors.Is(err, ErrExists) {
		t.Errorf("an older date: %v, want ErrExists", err)
	}
	r := mustAdd(t, s, publication(t, "2026-08-13", corrected...), Options{Newest: true})
	if !r.Replaced || r.Supports != 41 || r.Before != "2026-08-06" || r.Changes["new"] != 1 {
		t.Errorf("report %+v, want a replaced publication of 41 supports, one of them new", r)
	}
	got := map[string]string{}
	for r, err := range records(sitesOf(s.Whole("2026-08-13"))) {
		must(t, err)
		got[r.Values[column.Support]] = r.Values[column.Status]
	}
	if len(got) != 41 || got["4"] != "Projet approuvé" || got["5"] != "En service" {
		t.Errorf("%d supports, the fourth is %q; want 41, Projet approuvé", len(got), got["4"])
	}
}
