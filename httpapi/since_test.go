package httpapi

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/archive"
	"relais/demo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

// weeks are editions of the country, as their files have them.
type weeks struct {
	dates []string
	sites []map[string]fileSite // by edition and support
}

// A fileSite is what /changes compares of a support: its position under "", and the most advanced
// status of each of its systems under operator and technology.
type fileSite map[string]string

// archiveWeeks adds n editions of the country to the server.
func archiveWeeks(t *testing.T, s *Server, n int) (w weeks) {
	t.Helper()
	store := noArchives(t)
	dir := filepath.Join(t.TempDir(), "weeks")
	france, err := demo.NewFrance(1500)
	if err != nil {
		t.Fatal(err)
	}
	err = france.Publications(dir, n, func(path string) error {
		files, err := archive.Files([]string{path})
		if err != nil {
			return err
		}
		report, err := store.Add(context.Background(), &files[0], archive.Options{})
		if err != nil {
			return err
		}
		w.dates = append(w.dates, report.Date)
		w.sites = append(w.sites, readWeek(t, path))
		return nil
	})
	must(t, err)
	s.Archives = store
	return w
}

// readWeek reads the supports of an edition.
func readWeek(t *testing.T, path string) map[string]fileSite {
	t.Helper()
	sites := map[string]fileSite{}
	for _, row := range weeklyRows(t, path) {
		s := sites[row["sup_id"]]
		if s == nil {
			s = fileSite{"": row["coordonnees"]}
			sites[row["sup_id"]] = s
		}
		system := row["adm_lb_nom"] + " " + row["emr_lb_systeme"]
		if fileStatus(row["statut"]) >= fileStatus(s[system]) {
			s[system] = row["statut"]
		}
	}
	return sites
}

// fileStatus returns how advanced a status is.
func fileStatus(text string) int {
	return slices.Index([]string{"", "Projet approuvé", "Techniquement opérationnel", "En service"}, text)
}

// changedAfter returns the supports that differ between an edition after the date and the one
// before it.
func (w *weeks) changedAfter(date string) map[string]bool {
	changed := map[string]bool{}
	for i := 1; i < len(w.dates); i++ {
		if w.dates[i] <= date {
			continue
		}
		for _, sites := range w.sites[i-1 : i+1] {
			for id := range sites {
				if !maps.Equal(w.sites[i-1][id], w.sites[i][id]) {
					changed[id] = true
				}
			}
		}
	}
	return changed
}

// The sites with a change are those whose systems, statuses or positions differ in the files.
func TestChangedSince(t *testing.T) {
	tier.Slow(t)
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
			wantChanged(t, s, string(tt.market), "changedSince="+tt.date+tt.query, want)
		})
	}
}

// wantChanged compares the sites that each route answers.
func wantChanged(t *testing.T, s *Server, code, query string, want []string) {
	t.Helper()
	asked := "market=" + code + "&" + query
	got, _ := listed(t, s, "/antennas/export?"+asked)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("export: %d sites %.60q, want %d %.60q", len(got), got, len(want), want)
	}
	if _, meta := listed(t, s, "/antennas?limit=1&"+asked); fmt.Sprint(meta["totalMatched"]) != fmt.Sprint(len(want)) {
		t.Errorf("list: %v sites, want %d", meta["totalMatched"], len(want))
	}
	if _, meta := listed(t, s, "/antennas/search?"+asked); fmt.Sprint(meta["total"]) != fmt.Sprint(len(want)) {
		t.Errorf("search: %v sites, want %d", meta["total"], len(want))
	}
	wantTiles(t, s, "/tiles/"+code, "?"+query, len(want))
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

// The editions of a market without an archive of its authority are the snapshots that were noted.
func TestChangedSinceOfSwitzerland(t *testing.T) {
	s := newServer(t)
	s.Archives = noArchives(t)
	planned, second := station("d", 46.2, 9), station("e", 46.3, 9)
	planned.Emissions[0].Status = 0
	second.Emissions = append(second.Emissions, second.Emissions[0])
	second.Emissions[1].System = "LTE 1800"
	note(t, s.Archives, market.CH, "2026-08-13", station("a", 47, 8), station("b", 46, 7), planned, second,
		station("h", 46.5, 8))
	note(t, s.Archives, market.CH, "2026-08-20", station("a", 47, 8), station("d", 46.2, 9), second, station("g", 46, 8),
		station("h", 46.5, 8))
	served := []site.Site{station("a", 47.001, 8), station("b", 46.00001, 7), station("d", 46.2, 9),
		station("e", 46.3, 9), station("f", 46.4, 9), station("h", 46.50001, 8)}
	m := indextest.Market(t, market.CH, served...)
	s.SetData(index.NewSet([]*index.Market{m}, nil))
	target := "/antennas?market=CH&changedSince=2026-08-20"
	wantError(t, get(t, s, target), 404, "ARCHIVE_NOT_FOUND", "2026-08-27")
	if _, err := s.Archives.Note(t.Context(), m.Snap); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		date string
		want []string
	}{
		{"2026-08-27", nil}, {"2026-08-26", []string{"a", "b", "e", "f"}}, {"2026-08-20", []string{"a", "b", "e", "f"}},
		{"2026-08-19", []string{"a", "b", "d", "e", "f"}}, {"2026-08-13", []string{"a", "b", "d", "e", "f"}},
		{"2026-08-12", []string{"a", "b", "d", "e", "f", "h"}},
	} {
		t.Run(tt.date, func(t *testing.T) {
			wantChanged(t, s, "CH", "changedSince="+tt.date, append([]string{}, tt.want...))
		})
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
