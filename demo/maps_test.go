package demo

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/coverage"
	"relais/geo"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/market"
)

// imported writes the maps and imports them.
func imported(t *testing.T, f *France) *coverage.Store {
	files, dir := t.TempDir(), folder.Dir(t.TempDir())
	must(t, f.WriteMaps(files))
	r, err := coverage.Import(t.Context(), coverage.Options{Dir: dir, Paths: []string{files}, Metres: coverage.MostMetres,
		Now: time.Now()})
	must(t, err)
	must(t, r.Failed())
	if there, err := coverage.Files(dir.Coverage()); err != nil || len(there) != Maps() {
		t.Errorf("%d maps are imported, %v; want %d", len(there), err, Maps())
	}
	return coverage.NewStore(dir.Coverage())
}

// What is imported is what the sites reach, by a search through all of them.
func TestMaps(t *testing.T) {
	tier.Slow(t)
	f, err := NewFrance(3000)
	must(t, err)
	store, rng := imported(t, f), rand.New(rand.NewPCG(1, 2))
	all, err := terrains()
	must(t, err)
	for _, frame := range mapFrames {
		c, err := newCanvas(frame.epsg, frame.cell, all[frame.frame])
		must(t, err)
		for _, edition := range frame.editions {
			for _, o := range frame.operators {
				m := &coverageMap{&frame, edition, o[0], o[1]}
				sites, found := f.transmitters(m, c.projection), map[string]int{}
				for range 300 {
					p := all[frame.frame].draw(rng)
					x, y := c.projection.To(p)
					col, row := int((x-c.x0)/c.cell), int((y-c.y0)/c.cell)
					x, y = c.middle(col, row)
					far := math.Inf(1) // in hundredths of the reach
					for _, s := range sites {
						far = min(far, 100*math.Hypot(x-s.x, y-s.y)/s.reach*float64(c.shade[row*c.cols+col]))
					}
					want := "none"
					switch {
					case far >= 100 || !all[frame.frame].dry(c.projection.From(x, y)):
					case m.generation == "5G":
						want = "covered"
					case far < 40:
						want = "very_good"
					case far < 70:
						want = "good"
					default:
						want = "limited"
					}
					found[want]++
					places, err := store.At(coverage.Filter{Operators: []string{market.ByPLMN(m.plmn)},
						Technologies: []string{m.generation}, Edition: []string{"2025-12-31", "2025-09-30"}[m.ago]}, p, 0)
					must(t, err)
					if len(places) != 1 || places[0].Word.Level != want || !places[0].Layer.Synthetic {
						t.Errorf("%s %s at %v: got %+v, want one synthetic layer that says %s", m.operator, m.generation, p, places, want)
					}
				}
				if n := map[string]int{"4G": 4, "5G": 2}[m.generation]; len(found) != n {
					t.Errorf("%s %s: found %v, want %d levels", m.operator, m.generation, found, n)
				}
			}
		}
	}
}

// Operators have most of the land, more of it than the quarter before, and a few of the coverage points are where the
// map has nothing.
func TestMapsOfTheDemonstration(t *testing.T) {
	tier.Slow(t)
	f, err := NewFrance(Supports)
	must(t, err)
	store := imported(t, f)
	shares, err := store.Area(t.Context(), coverage.Filter{Market: "FR"}, coverage.AreaBoxes("35"))
	must(t, err)
	for _, s := range shares {
		none := s.Levels[0].Amount / s.Total
		if !(none > 0.005 && none < 0.35) || (s.Before != nil) != (s.Layer.Technology == "4G") ||
			s.Before != nil && !(s.Gained > s.Lost && s.Better > s.Worse && s.Worse > 0) {
			t.Errorf("%s %s: got %+v", s.Layer.Operator, s.Layer.Technology, s)
		}
	}
	var points bytes.Buffer
	must(t, writePoints(&points, f.supports, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), 5, pointsOfADay))
	rows, err := csv.NewReader(&points).ReadAll()
	must(t, err)
	covered, not := 0, 0
	for _, row := range rows[1:] {
		lat, _ := strconv.ParseFloat(row[1], 64)
		lng, _ := strconv.ParseFloat(row[2], 64)
		places, err := store.At(coverage.Filter{Operators: []string{market.ByPLMN(row[8] + fmt.Sprintf("%02s", row[9]))},
			Technologies: []string{map[string]string{"LTE": "4G", "NR": "5G"}[row[6]]}}, geo.Point{Lat: lat, Lng: lng}, 0)
		must(t, err)
		for _, p := range places {
			switch {
			case p.Word.Level == coverage.LevelNone:
				not++
			case p.Word.Level != "": // not in the sea
				covered++
			}
		}
	}
	if not < 5 || not*20 > covered {
		t.Errorf("of the coverage points, %d are where a map has its network, and %d are not; want a few", covered, not)
	}
}

// GDAL reads the files, and finds their polygons valid.
func TestGDALReadsMaps(t *testing.T) {
	tier.Slow(t)
	ogrinfo, err := exec.LookPath("ogrinfo")
	if err != nil {
		t.Skip("ogrinfo is not installed (Debian: gdal-bin)")
	}
	f, err := NewFrance(1000)
	must(t, err)
	dir := t.TempDir()
	must(t, f.WriteMaps(dir))
	for _, tt := range []struct{ layer, system, levels string }{
		{"2025_T4_couv_Metropole_SFR0_4G_data", `ID["EPSG",2154]`, "CL BC TBC"},
		{"2025_T4_couv_Metropole_FREE_5G_data", `ID["EPSG",2154]`, ""},
		{"2025_T4_couv_Guadeloupe_ORCA_4G_data", `ID["EPSG",5490]`, "CL BC TBC"},
	} {
		t.Run(tt.layer, func(t *testing.T) {
			info := func(args ...string) string {
				out, err := exec.Command(ogrinfo, append(args, filepath.Join(dir, "SYNTHETIC_"+tt.layer+".gpkg"))...).CombinedOutput()
				if err != nil || bytes.Contains(out, []byte("Warning")) || bytes.Contains(out, []byte("ERROR")) {
					t.Fatalf("ogrinfo %v: %v: %s", args, err, out)
				}
				return string(out)
			}
			levels := strings.Fields(tt.levels)
			about := info("-al", "-so")
			for _, want := range []string{"Layer name: " + tt.layer + "\n", "Geometry: Multi Polygon\n", tt.system,
				fmt.Sprintf("Feature Count: %d\n", max(1, len(levels))), "operateur_infra: String", "niveau: String", "dept: String"} {
				if !strings.Contains(about, want) {
					t.Errorf("got %s, want %q in it", about, want)
				}
			}
			rows := info("-q", "-dialect", "SQLite", "-sql", `SELECT niveau, date, ST_IsValid(geom) AS valid FROM "`+tt.layer+`"`)
			if n := strings.Count(rows, "valid (Integer) = 1\n"); n != max(1, len(levels)) || strings.Count(rows, " = 2025-12-31\n") != n {
				t.Errorf("got %s, want %d valid areas of 2025-12-31", rows, max(1, len(levels)))
			}
			for _, l := range levels {
				if !strings.Contains(rows, "niveau (String) = "+l+"\n") {
					t.Errorf("got %s, want the level %s", rows, l)
				}
			}
		})
	}
	again := t.TempDir()
	must(t, f.WriteMaps(again))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	for _, path := range files {
		if !bytes.Equal(filetest.Read(t, path), filetest.Read(t, filepath.Join(again, filepath.Base(path)))) {
			t.Errorf("%s is written in two ways", filepath.Base(path))
		}
	}
	if len(files) != Maps() {
		t.Errorf("%d files, want %d", len(files), Maps())
	}
}

// Each cell is in as many rings as the even-odd rule needs, the first ring of an area goes around it, and the rings
// touch no corner twice.
func TestOutlines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		cols, rows, share := 1+rng.IntN(9), 1+rng.IntN(9), rng.Float64()
		on := make([]bool, cols*rows)
		for i := range on {
			on[i] = rng.Float64() < share
		}
		crossed := make([]int, len(on)) // rings to the west of a cell that are crossed on the way to it
		for _, rings := range outlines(cols, rows, func(col, row int) bool { return on[row*cols+col] }) {
			for i, r := range rings {
				if (r.area() > 0) != (i == 0) {
					t.Fatalf("%v: ring %d has the area %v", on, i, r.area()/2)
				}
				corners := map[[2]float64]bool{}
				for k, p := range r {
					next := r[(k+1)%len(r)]
					if corners[p] || (p[0] == next[0]) == (p[1] == next[1]) {
						t.Fatalf("%v: ring %v", on, r)
					}
					corners[p] = true
					for y := min(p[1], next[1]); y < max(p[1], next[1]); y++ {
						for x := p[0]; x < float64(cols); x++ {
							crossed[int(y)*cols+int(x)]++
						}
					}
				}
			}
		}
		for i := range on {
			if on[i] != (crossed[i]%2 == 1) {
				t.Fatalf("%d columns, %v: cell %d is in %d rings", cols, on, i, crossed[i])
			}
		}
	}
}
