package web

import (
	"encoding/csv"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/archive"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

// The map and the table of departments have the sites of the register's file.
func TestStatsOfDepartments(t *testing.T) {
	p, files, _ := figurePages(t, 1)
	newest := files[len(files)-1]
	for _, tt := range []struct {
		query string
		drom  bool
		has   func(csvRow) bool
	}{
		{"market=FR", false, func(csvRow) bool { return true }},
		{"market=DROM", true, func(csvRow) bool { return true }},
		{"market=FR&operator=FREE", false, func(r csvRow) bool { return r.operator() == "FREE" }},
		{"market=FR&operator=SFR&show=5g", false, func(r csvRow) bool {
			return r.operator() == "SFR" && r["generation"] == "5G" && r["statut"] != "Projet approuvé"
		}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			sites := map[string]map[string]bool{}
			for _, r := range newest {
				if tt.has(r) && r.overseas() == tt.drom {
					if sites[r["sta_nm_dpt"]] == nil {
						sites[r["sta_nm_dpt"]] = map[string]bool{}
					}
					sites[r["sta_nm_dpt"]][r["sup_id"]] = true
				}
			}
			page := ask(p, "GET", "/stats?lang=en&"+tt.query).Body.String()
			on, column := map[string]int{}, 0
			for _, m := range ofArea.FindAllStringSubmatch(page, -1) {
				on[m[1]] = number(t, m[2])
			}
			if strings.Contains(tt.query, "5g") {
				column = 4
			}
			code := market.FR
			if tt.drom {
				code = market.DROM
			}
			if !strings.Contains(page, "<p class=\"quiet\">"+english["areasWhy"]+"</p>") {
				t.Error("the table does not say that projects do not count for generations")
			}
			table := tableAfter(t, page, `<details id="areas">`)
			for _, a := range market.Get(code).Areas {
				want := len(sites[a.Code])
				if got, ok := on[a.Code]; !ok || got != want {
					t.Errorf("%s on the map: %d (there: %v), want %d", a.Code, got, ok, want)
				}
				if got := table[a.Code]; len(got) != 7 || got[column] != want {
					t.Errorf("%s in the table: %d, want %d at %d", a.Code, got, want, column)
				}
			}
		})
	}
}

// The tables under the charts have the emissions of the files, and the lines have the tables' numbers.
func TestTrends(t *testing.T) {
	tier.Slow(t)
	p, files, dates := figurePages(t, 4)
	for _, code := range archive.Markets {
		m := market.Get(code)
		page := ask(p, "GET", "/stats?lang=en&market="+string(code)).Body.String()
		for _, g := range []string{"5G", "4G", "3G", "2G"} {
			t.Run(string(code)+" "+g, func(t *testing.T) {
				_, figure, found := strings.Cut(page, "<h3>Emissions in "+g+"</h3>")
				if !found {
					t.Fatal("there is no such chart")
				}
				all := make([][]int, len(dates)) // by edition and operator
				for i := range dates {
					counts := make([]int, len(m.Operators))
					for _, r := range files[i] {
						at, ok := m.OperatorNamed(r["adm_lb_nom"])
						if ok && r["generation"] == g && r["statut"] != "Projet approuvé" && r.overseas() == (code == market.DROM) {
							counts[at]++
						}
					}
					all[i] = counts
				}
				var has []int // the operators with emissions in one of the editions
				want := map[string][]int{}
				for at := range m.Operators {
					if slices.ContainsFunc(all, func(counts []int) bool { return counts[at] > 0 }) {
						has = append(has, at)
						for i, date := range dates {
							want[english.Date(date)] = append(want[english.Date(date)], all[i][at])
						}
					}
				}
				got := tableAfter(t, figure, `<table`)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("emissions by edition (-want +got):\n%s", diff)
				}
				_, last, _ := strings.Cut(figure, "<svg")
				last, _, _ = strings.Cut(last, "</svg>")
				wantLines(t, last, m, has, all[0], all[3])
			})
		}
	}
}

var (
	ofAxis = regexp.MustCompile(`<text class="y"[^>]* y="([0-9.]+)"[^>]*>([0-9,]+)</text>`)
	ofLine = regexp.MustCompile(`<g class="c-([A-Z_]+)"><path class="line d(\d)" d="M[0-9.]+ ([0-9.]+)[^"]*?` +
		`L[0-9.]+ ([0-9.]+)"/>`)
	ofArea = regexp.MustCompile(`<title>[^<]*\(([0-9AB]+)\): ([0-9,]+)</title>`)
)

// wantLines reads the ends of lines off the axis, to a tenth of a unit of the drawing.
func wantLines(t *testing.T, svg string, m *market.Market, has, first, last []int) {
	t.Helper()
	axis := ofAxis.FindAllStringSubmatch(svg, -1)
	lines := ofLine.FindAllStringSubmatch(svg, -1)
	if len(axis) < 2 || len(lines) != len(has) {
		t.Fatalf("%d ticks and %d lines, want at least 2 and %d", len(axis), len(lines), len(has))
	}
	at := func(text string) float64 {
		y, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	y0, y1 := at(axis[0][1]), at(axis[len(axis)-1][1])
	n0, n1 := float64(number(t, axis[0][2])), float64(number(t, axis[len(axis)-1][2]))
	perUnit := (n1 - n0) / (y1 - y0)
	dashes := map[string]bool{}
	for _, l := range lines {
		i, ok := m.Operator(l[1])
		if !ok {
			t.Fatalf("a line of %q", l[1])
		}
		dashes[l[2]] = true
		for k, want := range []int{first[i], last[i]} {
			if got := n0 + (at(l[3+k])-y0)*perUnit; math.Abs(got-float64(want)) > math.Abs(perUnit)*0.11 {
				t.Errorf("%s: the line says %.1f, want %d", l[1], got, want)
			}
		}
		if !strings.Contains(svg, ">"+m.Operators[i].Label+"</text>") {
			t.Errorf("the line of %s has no label", l[1])
		}
	}
	if len(dashes) != len(lines) {
		t.Errorf("%d styles of %d lines: without colour they are alike", len(dashes), len(lines))
	}
}

// Each area of a market has a shape, which is where the towns of the demonstration are.
func TestShapesOfAreas(t *testing.T) {
	towns := map[string][][2]float64{}
	f, err := os.Open("../../data/demo/towns.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = ';'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		code := row[0][:2]
		if code == "97" {
			code = row[0][:3]
		}
		lat, _ := strconv.ParseFloat(row[3], 64)
		lng, _ := strconv.ParseFloat(row[4], 64)
		towns[code] = append(towns[code], [2]float64{lng, lat})
	}
	checked := 0
	for _, m := range market.All {
		if len(m.Areas) == 0 {
			continue
		}
		t.Run(string(m.Code), func(t *testing.T) {
			shapes := areaMaps()[m.Code]
			all := maps.Clone(shapes.Areas)
			for _, inset := range shapes.Insets {
				maps.Copy(all, inset.Areas)
			}
			if len(all) != len(m.Areas) {
				t.Errorf("%d shapes, want %d", len(all), len(m.Areas))
			}
			for _, a := range m.Areas {
				s, ok := all[a.Code]
				if !ok || len(s.Path) < 20 || s.R <= 0 {
					t.Errorf("%s %s has no shape: %.30q", a.Code, a.Label, s.Path)
				}
				for _, town := range towns[a.Code] {
					checked++
					if b := s.Box; town[0] < b[0]-0.1 || town[0] > b[2]+0.1 || town[1] < b[1]-0.1 || town[1] > b[3]+0.1 {
						t.Errorf("a town of %s %s at %v is outside of %v", a.Code, a.Label, town, b)
					}
				}
			}
		})
	}
	if checked < 100 {
		t.Errorf("%d towns checked, want 100 at least", checked)
	}
}

// A register that may not be redistributed is not counted for readers without a key.
func TestRestrictedFigures(t *testing.T) {
	be := market.Get(market.BE)
	loaded := indextest.Market(t, market.BE, site.Site{ID: "1", Position: geo.Point{Lat: 50.8, Lng: 4.3}, Area: -1,
		Stations: []site.Station{{Code: "1"}}})
	loaded.Snap.Registers = []string{be.OtherRegisters[0].Source}
	if !be.NeedsPermission(loaded.Snap.Registers) {
		t.Fatalf("the register of %v needs no permission: the test shows nothing", loaded.Snap.Registers)
	}
	p, _, _ := figurePages(t, 0)
	for _, tt := range []struct {
		keyless bool
		status  int
	}{{true, 404}, {false, 200}} {
		set := index.NewSet([]*index.Market{p.Env().Set.Market(market.FR), loaded}, nil)
		p := New(Options{Env: func() *api.Env { return &api.Env{Catalog: catalog.Catalog{Set: set, Keyless: tt.keyless}} },
			Address: p.Address, Log: p.Log})
		if w := ask(p, "GET", "/stats?market=BE"); w.Code != tt.status {
			t.Errorf("keyless %v: status %d, want %d", tt.keyless, w.Code, tt.status)
		}
		if w := ask(p, "GET", "/stats"); strings.Contains(w.Body.String(), "Belgium") == tt.keyless {
			t.Errorf("keyless %v: the choice of markets has, or lacks, Belgium", tt.keyless)
		}
	}
}

func TestRoundNumbers(t *testing.T) {
	for _, tt := range []struct{ n, want int }{{0, 0}, {7, 7}, {99, 99}, {104, 100}, {1250, 1300}, {987654, 990000}} {
		if got := roundNumber(tt.n); got != tt.want {
			t.Errorf("roundNumber(%d) = %d, want %d", tt.n, got, tt.want)
		}
	}
	for _, tt := range []struct{ least, most, low, high int }{
		{0, 0, 0, 2}, {5, 5, 4, 6}, {0, 9, 0, 10}, {2810, 3680, 2500, 4000}, {90, 100, 90, 100}} {
		low, high, step := niceRange(tt.least, tt.most)
		if low > tt.least || high < tt.most || step < 1 || (high-low)%step != 0 || (high-low)/step > 6 || high == low {
			t.Errorf("niceRange(%d, %d) = %d, %d, %d", tt.least, tt.most, low, high, step)
		}
	}
}
