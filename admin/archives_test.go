package admin

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"relais/archive"
	"relais/internal/filetest"
	"relais/internal/folder"
)

// observatory writes a publication of so many rows, each of a support.
func observatory(t *testing.T, date string, rows int) string {
	t.Helper()
	text := "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;coordonnees;statut\n"
	for i := range rows {
		text += fmt.Sprintf("%d;SFR;%d;LTE 800;2020-01-02;003;03258;4G;%s;003270%04d;\"46.1 , 3.3\";En service\n",
			i+1, i+1, date, i+1)
	}
	return filetest.New(t, "observatoire.csv", text)
}

// Archives are added and listed whether a server has the stores or not, and a backup
// and a check have them.
func TestArchives(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		if served {
			serve(t, dir)
		}
		add := func(c AddArchives) (reports []*archive.Report, err error) {
			err = Call(context.Background(), dir, c, &reports, quiet)
			return reports, err
		}
		first, second := observatory(t, "2026-08-20", 2), observatory(t, "2026-08-27", 3)
		if reports, err := add(AddArchives{Paths: []string{second, first}}); err != nil || len(reports) != 2 ||
			reports[0].Date != "2026-08-27" || reports[1].Before != "" {
			t.Fatalf("got %+v, %v, want no error, len(reports) = 2, Date = 2026-08-27 and Before empty", reports, err)
		}
		for _, c := range []struct {
			do   AddArchives
			want string
		}{
			{AddArchives{Paths: []string{first}}, "observatoire.csv: 2026-08-20: there is an archive of that date"},
			{AddArchives{Paths: []string{observatory(t, "2026-09-03", 3), first}},
				"observatoire.csv: 2026-08-20: there is an archive of that date (--force replaces it); before it " +
					"1 archive added: 2026-09-03"},
			{AddArchives{Paths: []string{first, second}, Date: "2026-01-01"}, "one by one"},
			{AddArchives{Paths: []string{first}, Date: "2026-02-30"}, "not a date"},
			{AddArchives{Paths: []string{first}, Date: "01/02/2026"}, "not a date"},
			{AddArchives{Paths: []string{first + "x"}}, "no such file"},
		} {
			if _, err := add(c.do); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %s", c.do, err, c.want)
			}
		}
		if reports, err := add(AddArchives{Paths: []string{first}, Known: true}); err != nil || len(reports) != 0 {
			t.Errorf("known: %+v, %v, want none and no error", reports, err)
		}
		if reports, err := add(AddArchives{Paths: []string{second}, Date: "2026-08-20", Force: true}); err != nil ||
			!reports[0].Replaced {
			t.Errorf("got %+v, %v, want it replaced", reports, err)
		}
		var list []archive.Publication
		if err := Call(context.Background(), dir, ListArchives{}, &list, quiet); err != nil || len(list) != 3 ||
			list[1].Date != "2026-08-27" || list[2].Rows != 3 {
			t.Errorf("got %+v, %v, want no error, len(list) = 3, Date = 2026-08-27 and Rows = 3", list, err)
		}
		if got := holdings(t, dir)[ArchivesFile]; !strings.HasPrefix(got, "3 archives, ") {
			t.Errorf("the check says %q, want 3 archives", got)
		}
	}
}
