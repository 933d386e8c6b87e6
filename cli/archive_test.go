package cli

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/admin"
	"relais/ingest"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// observatory writes an edition with rows supports around Paris.
func observatory(t *testing.T, date string, rows int) string {
	t.Helper()
	text := "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;" +
		"nat_id;sup_nm_haut;tpo_id;adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut\n"
	for i := range rows {
		text += fmt.Sprintf("%d;SFR;%d;LTE 800;2020-01-02;075;75056;4G;%sT10:00:00;075270%04d;23;20;72;;;;;75001;75056;"+
			"\"48.%d , 2.35\";;En service\n", i+1, i+1, date, i+1, 80+i)
	}
	return filetest.New(t, "observatoire.csv", text)
}

func archived(t *testing.T, dir string) (dates []string) {
	t.Helper()
	out, errs, code := command(t.Context(), "archive", "list", "--data", dir, "--json")
	var list struct{ Archives []struct{ Date string } }
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitDone || list.Archives == nil {
		t.Fatalf("archive list: exit %d, stdout %q, stderr %q, %v; want a list", code, out, errs, err)
	}
	for _, a := range list.Archives {
		dates = append(dates, a.Date)
	}
	return dates
}

// An ingest adds the archive of an observatoire once.
func TestIngestAddsTheArchive(t *testing.T) {
	dir, path := t.TempDir(), observatory(t, "2026-08-20", 3)
	for i := range 2 {
		out, errs, code := command(t.Context(), "ingest", "--data", dir, "FR,DROM", path)
		if code != exitDone || strings.Contains(out, "archive of 2026-08-20 added") != (i == 0) ||
			strings.Contains(out, "no archive") {
			t.Fatalf("ingest %d: exit %d, stdout %q, stderr %q; want the archive added by the first only", i, code, out,
				errs)
		}
	}
	if out, errs, code := command(t.Context(), "ingest", "--data", dir, "FR,DROM", path, "--force"); code != exitDone ||
		!strings.Contains(out, "archive of 2026-08-20 replaced\n") {
		t.Errorf("forced: exit %d, stdout %q, stderr %q; want the archive replaced, and no word of its rows", code, out, errs)
	}
	s := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(observatory(t, "2026-08-27", 4)))))
	defer s.Close()
	table := tableFile(t, [3]string{"FR", "observatoire", s.URL + "/observatoire.csv"})
	if out, errs, code := command(t.Context(), "update", "--data", dir, "--sources", table); code != exitDone ||
		!strings.Contains(out, "archive of 2026-08-27 added") {
		t.Errorf("update: exit %d, stdout %q, stderr %q; want the archive of 2026-08-27", code, out, errs)
	}
	if dates := archived(t, dir); fmt.Sprint(dates) != "[2026-08-27 2026-08-20]" {
		t.Errorf("archives = %q, want 2026-08-27 and 2026-08-20", dates)
	}
	// A demonstration's archive is marked.
	dir2, synthetic := t.TempDir(), filepath.Join(t.TempDir(), "SYNTHETIC_observatoire.csv")
	must(t, os.Rename(observatory(t, "2026-08-20", 3), synthetic))
	if out, errs, code := command(t.Context(), "ingest", "--data", dir2, "FR,DROM", synthetic); code != exitDone ||
		!strings.Contains(out, "archive of 2026-08-20 added") {
		t.Errorf("synthetic ingest: exit %d, stdout %q, stderr %q; want the archive of 2026-08-20", code, out, errs)
	}
	if out, _, _ := command(t.Context(), "archive", "list", "--data", dir2); !strings.Contains(out, "SYNTHETIC") {
		t.Errorf("archive list: %q, want SYNTHETIC", out)
	}
}

// If the archive cannot be added, the snapshot is new, the command fails, and the same ingest mends it.
func TestIngestWithoutArchive(t *testing.T) {
	dir, path := t.TempDir(), observatory(t, "2026-08-20", 3)
	store := filepath.Join(dir, "archives.db")
	filetest.Write(t, store, "no database")
	out, errs, code := command(t.Context(), "ingest", "--data", dir, "FR,DROM", path)
	if code != exitFailed || !strings.Contains(errs, "no archive was added") || !strings.Contains(errs, "archives.db") ||
		!strings.Contains(out, "FR: 3 sites") {
		t.Errorf("ingest with a damaged archives.db: exit %d, stdout %q, stderr %q; want the snapshot, and a failure",
			code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "snapshots", "FR.snap")); err != nil {
		t.Error(err)
	}
	must(t, os.Remove(store))
	command(t.Context(), "check", "--data", dir, "--accept")
	out, errs, code = command(t.Context(), "ingest", "--data", dir, "FR,DROM", path)
	if code != exitDone || !strings.Contains(out, "archive of 2026-08-20 added") {
		t.Errorf("the same ingest: exit %d, stdout %q, stderr %q; want the archive", code, out, errs)
	}
}

// An ingest that ended between the snapshot and the archive does not lose its edition, although the next
// one replaces the file. Run without Archive leaves what a killed ingest leaves then.
func TestEditionOfAnEndedIngest(t *testing.T) {
	ended := func(t *testing.T) string {
		dir := t.TempDir()
		if _, err := ingest.Run(t.Context(), ingest.Options{Dir: folder.Dir(dir), Now: time.Now(),
			Markets: []market.Code{market.FR, market.DROM}, Paths: []string{observatory(t, "2026-08-20", 3)}}); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Run("next ingest", func(t *testing.T) {
		dir := ended(t)
		out, errs, code := command(t.Context(), "ingest", "--data", dir, "FR,DROM", observatory(t, "2026-08-27", 3))
		if code != exitDone || !strings.Contains(out, "note: the archive of 2026-08-20 was added") ||
			!strings.Contains(out, "archive of 2026-08-27 added") {
			t.Errorf("ingest: exit %d, stdout %q, stderr %q; want both archives", code, out, errs)
		}
		if dates := archived(t, dir); fmt.Sprint(dates) != "[2026-08-27 2026-08-20]" {
			t.Errorf("archives = %q, want 2026-08-27 and 2026-08-20", dates)
		}
	})
	t.Run("server", func(t *testing.T) {
		dir := ended(t)
		s, err := admin.Open(folder.Dir(dir), "test", slog.New(slog.DiscardHandler))
		must(t, err)
		admin.NewJobs(s, slog.New(slog.DiscardHandler)).ArchiveKept(t.Context())
		must(t, s.Close())
		if dates := archived(t, dir); fmt.Sprint(dates) != "[2026-08-20]" {
			t.Errorf("archives = %q, want 2026-08-20", dates)
		}
	})
}

func TestArchiveCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	a, b := observatory(t, "2026-08-20", 3), observatory(t, "2026-08-27", 4)
	out, errs, code := command(t.Context(), "archive", "add", "--data", dir, b, a)
	if code != exitDone || !strings.Contains(out, "2026-08-27: 4 of 4 rows") ||
		!strings.Contains(out, "since the beginning: ") || strings.Count(out, "\n") != 2 {
		t.Errorf("archive add: exit %d, stdout %q, stderr %q; want 4 of 4 rows since the beginning", code, out, errs)
	}
	out, errs, code = command(t.Context(), "archive", "add", "--data", dir, "--json", "--force", b, a)
	var r struct {
		Added []struct {
			Date     string
			Replaced bool
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone || len(r.Added) != 2 || !r.Added[1].Replaced {
		t.Errorf("archive add: exit %d, stdout %q, stderr %q, %v; want two reports", code, out, errs, err)
	}
	out, errs, code = command(t.Context(), "archive", "add", "--data", dir, "--json", observatory(t, "2026-09-03", 4),
		a)
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitFailed || len(r.Added) != 1 ||
		r.Added[0].Date != "2026-09-03" || !strings.Contains(errs, "2026-08-20: there is an archive") {
		t.Errorf("archive add: exit %d, stdout %q, stderr %q, %v; want the report of the first", code, out, errs, err)
	}
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{exitFailed, "there is an archive of that date (--force replaces it)", []string{a}},
		{exitUsage, "--date", []string{"--date", "2026-02-30", a}},
		{exitUsage, "one by one", []string{"--date", "2026-02-28", a, b}},
		{exitFailed, "none.csv", []string{"none.csv"}},
		{exitFailed, "not an observatoire", []string{filepath.Join(dir, "clients.db")}},
		{exitFailed, "future", []string{"--date", "2996-02-28", a}},
	} {
		if _, errs, code := command(t.Context(),
			append([]string{"archive", "add", "--data", dir}, tt.args...)...); code != tt.code ||
			!strings.Contains(errs, tt.want) {
			t.Errorf("archive add %q: exit %d, stderr %q; want %d, %q", tt.args, code, errs, tt.code, tt.want)
		}
	}
	if dates := archived(t, dir); fmt.Sprint(dates) != "[2026-09-03 2026-08-27 2026-08-20]" {
		t.Errorf("archives = %q, want three", dates)
	}
	if _, _, code := command(t.Context(), "archive", "list", "--data", filepath.Join(dir, "none")); code != exitFailed {
		t.Errorf("archive list of a missing folder: exit %d, want %d", code, exitFailed)
	}
}

func TestArchiveNotes(t *testing.T) {
	path := observatory(t, "2026-08-20", 3)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, text[:len(text)-4], 0o600)
	}
	must(t, err)
	out, errs, code := command(t.Context(), "archive", "add", "--data", t.TempDir(), path)
	if code != exitDone || !strings.Contains(out, "3 of 3 rows") ||
		!strings.Contains(out, "note: "+path+": the last line has no line end") {
		t.Errorf("archive add: exit %d, stdout %q, stderr %q; want 3 of 3 rows and a note", code, out, errs)
	}
}
