package httpapi

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/archive"
	"relais/demo"
	"relais/market"
)

// weeks are editions of the country, as their files have them.
type weeks struct {
	dates []string
	rows  []map[string]map[string]int // by edition, support and row: how often
}

// archiveWeeks adds n editions of the country to the server.
func archiveWeeks(t *testing.T, s *Server, n int) (w weeks) {
	t.Helper()
	store := noArchives(t)
	dir := filepath.Join(t.TempDir(), "weeks")
	err := demo.Publications(dir, 1500, n, func(path string) error {
		files, err := archive.Files([]string{path})
		if err != nil {
			return err
		}
		report, err := store.Add(context.Background(), &files[0], archive.Options{})
		if err != nil {
			return err
		}
		w.dates = append(w.dates, report.Date)
		w.rows = append(w.rows, readWeek(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Archives = store
	return w
}

// readWeek reads the rows of an edition by support, without what every edition changes and what it
// does not compare.
func readWeek(t *testing.T, path string) map[string]map[string]int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	r.Comma = ';'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]int{}
	for _, row := range all[1:] {
		var said []string
		for i, name := range all[0] {
			if name != "id" && name != "date_maj" && name != "list_azimut" {
				said = append(said, row[i])
			}
		}
		support := row[slices.Index(all[0], "sup_id")]
		if rows[support] == nil {
			rows[support] = map[string]int{}
		}
		rows[support][strings.Join(said, "\x00")]++
	}
	return rows
}

// changedAfter returns the supports that differ between an edition after the date and the one
// before it.
func (w *weeks) changedAfter(date string) map[string]bool {
	changed := map[string]bool{}
	for i := 1; i < len(w.dates); i++ {
		if w.dates[i] <= date {
			continue
		}
		for _, of := range w.rows[i-1 : i+1] {
			for support := range of {
				if !maps.Equal(w.rows[i-1][support], w.rows[i][support]) {
					changed[support] = true
				}
			}
		}
	}
	return changed
}

// The sites with a change are those whose rows differ in the files.
func TestChangedSince(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 4)
	all := func(emission) bool { return true }
	orange := func(e emission) bool { return e.operator == "ORANGE" && e.generation == "5G" }
	for _, tt := range []struct {
		market market.Code
		date   string
		query  string
		asked  func(emission) bool
	}{
		{"FR", w.dates[2], "", all}, {"FR", w.dates[1], "", all}, {"FR", w.dates[0], "", all},
		{"FR", w.dates[2][:8] + "09", "", all}, // between two editions
		{"FR", w.dates[0], "&operator=ORANGE&generation=5G", orange},
		{"DROM", w.dates[0], "", all}, {"FR", w.dates[3], "", all}, {"FR", "2031-01-01", "", all},
		{"FR", "2020-02-29", "", all},
	} {
		t.Run(fmt.Sprint(tt.market, " ", tt.date, tt.query), func(t *testing.T) {
			changed, want := w.changedAfter(tt.date), []string{}
			for _, id := range matchingSites(t, tt.market, tt.asked) {
				if changed[id] || tt.date < w.dates[0] {
					want = append(want, id)
				}
			}
			if tt.date < w.dates[3] && len(want) == 0 {
				t.Fatal("no site has changed: the test shows nothing")
			}
			query := "market=" + string(tt.market) + "&changedSince=" + tt.date + tt.query
			if got, _ := listed(t, s, "/antennas/export?"+query); !slices.Equal(got, want) {
				t.Errorf("export: %d sites %.60q, want %d %.60q", len(got), got, len(want), want)
			}
			if _, meta := listed(t, s, "/antennas?limit=1&"+query); fmt.Sprint(meta["totalMatched"]) != fmt.Sprint(len(want)) {
				t.Errorf("list: %v sites, want %d", meta["totalMatched"], len(want))
			}
			if _, meta := listed(t, s, "/antennas/search?"+query); fmt.Sprint(meta["total"]) != fmt.Sprint(len(want)) {
				t.Errorf("search: %v sites, want %d", meta["total"], len(want))
			}
			wantTiles(t, s, "/tiles/"+string(tt.market), "?changedSince="+tt.date+tt.query, len(want))
		})
	}
}

// wantTiles compares the number of sites on the tiles of low zooms.
func wantTiles(t *testing.T, s *Server, path, query string, want int) {
	t.Helper()
	for z := range 5 {
		n := 0
		for x := range 1 << z {
			for y := range 1 << z {
				if w := get(t, s, fmt.Sprintf("%s/%d/%d/%d.mvt%s", path, z, x, y, query)); w.Code == 200 {
					n += countSites(t, w.Body.Bytes())
				}
			}
		}
		if n != want {
			t.Errorf("tiles of zoom %d: %d sites, want %d", z, n, want)
		}
	}
}

// What the archives' own operation answers as changes has changed since the edition before.
func TestChangedSinceHasTheChangesOfTheArchive(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 2)
	got, _ := listed(t, s, "/antennas/export?changedSince="+w.dates[0])
	answer := parse(t, get(t, s, "/anfr/archive/"+w.dates[1]), 200)
	n := 0
	for _, id := range matchingSites(t, "FR", func(emission) bool { return true }) {
		if _, has := answer["data"].(object)[id]; has {
			if n++; !slices.Contains(got, id) {
				t.Errorf("%s changed in %s, and is not among those changed since %s", id, w.dates[1], w.dates[0])
			}
		}
	}
	if n == 0 {
		t.Error("no site of the archive is in the register: the test shows nothing")
	}
}

func TestChangedSinceErrors(t *testing.T) {
	s := newServer(t)
	archiveWeeks(t, s, 2)
	for _, tt := range []struct {
		query  string
		status int
		code   string
	}{
		{"changedSince=2026-01-08", 200, ""},
		{"changedSince=0001-01-01", 200, ""},
		{"changedSince=9999-12-31", 200, ""},
		{"changedSince=2026-02-30", 400, "INVALID_DATE"},
		{"changedSince=2026-1-08", 400, "INVALID_DATE"},
		{"changedSince=yesterday", 400, "INVALID_DATE"},
		{"changedSince=2026-01-08T00:00:00Z", 400, "INVALID_DATE"},
		{"changedSince=-2026-01-08", 400, "INVALID_DATE"},
		{"changedSince=%00%E2%80%AE", 400, "INVALID_DATE"},
		{"changedSince=" + strings.Repeat("9", 5000), 400, "INVALID_DATE"},
		{"changedSince=2026-01-08&changedSince=2026-01-08", 400, "INVALID_PARAMETER"},
		{"changedSince=2026-01-08,2026-01-15", 400, "INVALID_DATE"},
		{"market=CA&changedSince=2026-01-08", 400, "INVALID_PARAMETER"},
		{"market=CH&changedSince=2026-01-08", 400, "INVALID_PARAMETER"},
		{"market=PT&changedSince=2026-01-08", 400, "INVALID_PARAMETER"},
	} {
		for _, path := range []string{"/antennas?", "/antennas/export?", "/antennas/search?"} {
			t.Run(fmt.Sprintf("%s%.40s", path, tt.query), func(t *testing.T) {
				w := get(t, s, path+tt.query)
				if tt.code != "" {
					wantError(t, w, tt.status, tt.code)
				} else if w.Code != tt.status {
					t.Errorf("status %d, want %d: %.200s", w.Code, tt.status, w.Body)
				}
			})
		}
	}
	s.Archives = noArchives(t)
	wantError(t, get(t, s, "/antennas?changedSince=2026-01-08"), 404, "ARCHIVE_NOT_FOUND")
	wantError(t, get(t, s, "/tiles/FR/0/0/0.mvt?changedSince=2026-01-08"), 404, "ARCHIVE_NOT_FOUND")
	if w := get(t, s, "/antennas?changedSince=2031-01-01"); w.Code != 200 {
		t.Errorf("a day in the future without archives: status %d, want 200", w.Code)
	}
}

// An archive that is added changes the answer, and its entity tag with it; the tags of answers
// without the filter stay.
func TestChangedSinceFollowsTheArchives(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 1)
	target := "/antennas?limit=1&changedSince=" + w.dates[0][:8] + "01"
	before, plain := get(t, s, target), get(t, s, "/antennas?limit=1")
	archiveWeeks(t, s, 3)
	after := get(t, s, target, "If-None-Match", before.Header().Get("Etag"))
	if after.Code != 200 || after.Header().Get("Etag") == before.Header().Get("Etag") {
		t.Errorf("with other archives: status %d and tag %s, want 200 and another tag than %s", after.Code,
			after.Header().Get("Etag"), before.Header().Get("Etag"))
	}
	if w := get(t, s, "/antennas?limit=1", "If-None-Match", plain.Header().Get("Etag")); w.Code != 304 {
		t.Errorf("without the filter: status %d, want 304", w.Code)
	}
}
