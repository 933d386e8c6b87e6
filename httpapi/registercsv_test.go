package httpapi

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/api/view"
	"relais/demo"
	"relais/geo"
	"relais/index"
	"relais/ingest"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/market"
)

// A csvRow is a row of the weekly file: an emission of a support.
type csvRow struct {
	support, operator, system, generation, status string
	at                                            geo.Point
}

// readWeekly reads the rows of mainland France.
func readWeekly(t *testing.T, path string) (rows []csvRow) {
	t.Helper()
	for _, line := range weeklyRows(t, path) {
		if line["sta_nm_dpt"] >= "097" {
			continue
		}
		lat, lng, _ := strings.Cut(line["coordonnees"], ",")
		row := csvRow{support: line["sup_id"], operator: line["adm_lb_nom"], system: line["emr_lb_systeme"],
			generation: line["generation"], status: line["statut"]}
		var err error
		row.at.Lat, err = strconv.ParseFloat(strings.TrimSpace(lat), 64)
		must(t, err)
		row.at.Lng, err = strconv.ParseFloat(strings.TrimSpace(lng), 64)
		must(t, err)
		rows = append(rows, row)
	}
	return rows
}

// weeklyServer serves the weekly file of a synthetic country alone.
func weeklyServer(t *testing.T) (*Server, []csvRow) {
	t.Helper()
	dir := t.TempDir()
	files, err := demo.Write(filepath.Join(dir, "files"), 800)
	must(t, err)
	data := folder.Dir(filepath.Join(dir, "data"))
	if _, err := ingest.Run(t.Context(), ingest.Options{Dir: data, Markets: []market.Code{market.FR, market.DROM},
		Paths: files[:1], Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s := empty(t)
	index.NewLive(data, view.Summaries, slog.New(slog.DiscardHandler), s.SetData).Refresh()
	return s, readWeekly(t, files[0])
}

// A csvFilter is a filter in the words of the API and of the file.
type csvFilter struct {
	query   url.Values
	accepts func(csvRow) bool
	each    []func(csvRow) bool // with together: a support has an accepted row for each of them
}

// randomCSVFilter picks values of a row, of one or two kinds or more, so that most filters select some.
func randomCSVFilter(r *rand.Rand, rows []csvRow) csvFilter {
	one, two := rows[r.IntN(len(rows))], rows[r.IntN(len(rows))]
	f := csvFilter{query: url.Values{}, accepts: func(csvRow) bool { return true }}
	together := r.IntN(2) == 0
	if together {
		f.query.Set("together", "true")
	}
	keys := map[string]string{"BOUYGUES TELECOM": "BOUYGUES", "FREE MOBILE": "FREE"}
	band := func(system string) string { return system[strings.LastIndexByte(system, ' ')+1:] }
	for _, p := range []struct {
		name        string
		value, sent func(csvRow) string
	}{
		{"operator", func(w csvRow) string { return w.operator }, func(w csvRow) string {
			if key := keys[w.operator]; key != "" {
				return key
			}
			return w.operator
		}},
		{"generation", func(w csvRow) string { return w.generation }, nil},
		{"status", func(w csvRow) string { return w.status }, nil},
		{"technology", func(w csvRow) string { return w.system }, nil},
		{"band", func(w csvRow) string { return band(w.system) }, nil},
	} {
		if r.IntN(3) > 0 {
			continue
		}
		if p.sent == nil {
			p.sent = p.value
		}
		wants, sent := []string{p.value(one)}, p.sent(one)
		if r.IntN(3) == 0 {
			wants, sent = append(wants, p.value(two)), sent+","+p.sent(two)
		}
		f.query.Set(p.name, sent)
		before := f.accepts
		f.accepts = func(w csvRow) bool { return before(w) && slices.Contains(wants, p.value(w)) }
		for _, want := range wants {
			if together && p.name != "status" {
				f.each = append(f.each, func(w csvRow) bool { return p.value(w) == want })
			}
		}
	}
	return f
}

// supports returns the supports that have a row that the filter accepts, by id.
func (f *csvFilter) supports(rows []csvRow) map[string]geo.Point {
	found, accepted := map[string]geo.Point{}, map[string][]csvRow{}
	for _, row := range rows {
		if f.accepts(row) {
			found[row.support] = row.at
			accepted[row.support] = append(accepted[row.support], row)
		}
	}
	for support, list := range accepted {
		for _, has := range f.each {
			if !slices.ContainsFunc(list, has) {
				delete(found, support)
			}
		}
	}
	return found
}

// Tiles count the supports that a scan of the register's file finds on them, the list has all of them, and
// its pages as GeoJSON are these supports at their places.
func TestAgainstTheRegister(t *testing.T) {
	tier.Slow(t)
	s, rows := weeklyServer(t)
	r, counted := rand.New(rand.NewPCG(13, 14)), 0
	for range 40 {
		f := randomCSVFilter(r, rows)
		query, all := f.query.Encode(), f.supports(rows)
		t.Run(query, func(t *testing.T) {
			checkPage(t, s, query, all)
			for range 5 {
				z, near := r.IntN(15), rows[r.IntN(len(rows))].at
				path, want := tileNear(market.FR, near, z), 0
				for _, at := range all {
					if tileNear(market.FR, at, z) == path {
						want++
					}
				}
				if got := countSites(t, get(t, s, path+"?"+query).Body.Bytes()); got != want {
					t.Errorf("%s: %d sites, want %d", path, got, want)
				}
				counted += want
			}
		})
	}
	if counted < 1000 {
		t.Errorf("%d sites on all tiles, want more", counted)
	}
}

func checkPage(t *testing.T, s *Server, query string, want map[string]geo.Point) {
	t.Helper()
	var page struct {
		Meta     struct{ TotalMatched int }
		Features []struct {
			ID       string
			Geometry struct{ Coordinates [2]float64 }
		}
	}
	w := get(t, s, "/antennas?format=geojson&limit=1000&"+query)
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != 200 {
		t.Fatalf("status %d, error %v: %.300s", w.Code, err, w.Body)
	}
	got, rounded := map[string]string{}, map[string]string{}
	for _, f := range page.Features {
		got[f.ID] = fmt.Sprintf("%.6f, %.6f", f.Geometry.Coordinates[1], f.Geometry.Coordinates[0])
	}
	for id, at := range want {
		rounded[id] = fmt.Sprintf("%.6f, %.6f", at.Lat, at.Lng)
	}
	if diff := cmp.Diff(rounded, got); diff != "" || page.Meta.TotalMatched != len(want) {
		t.Errorf("%d of %d supports, want %d (-want +got)\n%s", len(got), page.Meta.TotalMatched, len(want), diff)
	}
}
