package coverage_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/coverage"
	"relais/coverage/coveragetest"
	"relais/geo"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/killtest"
	"relais/internal/tier"
	"relais/market"
)

var must, imported = errtest.Must, coveragetest.Import

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error {
		for {
			r, err := coverage.Import(context.Background(), coverage.Options{Dir: folder.Dir(args[0]), Paths: args[1:], Metres: 100,
				Now: time.Now()})
			if err := errors.Join(err, r.Failed()); err != nil {
				return err
			}
			fmt.Println("imported")
		}
	})
}

type ring = coveragetest.Ring

// A level is areas of one level, each with an outer ring and a hole.
type level struct {
	niveau any // nil where ARCEP publishes none
	rings  []ring
}

// An arcepFile is a file of ARCEP. Its name is one that other readers expect, as the columns of coveragetest.ARCEP.
type arcepFile struct {
	name, operateur, techno, date string
	epsg                          int
	levels                        []level
}

// geoPackage writes the file under its name.
func (f *arcepFile) geoPackage(t testing.TB, dir string) (path string) {
	t.Helper()
	var list []coveragetest.Area
	for _, l := range f.levels {
		list = append(list, coveragetest.Area{Columns: coveragetest.ARCEP(f.operateur, f.techno, f.date, l.niveau),
			Polygons: slices.Collect(slices.Chunk(l.rings, 2))})
	}
	path = filepath.Join(dir, f.name+".gpkg")
	coveragetest.GeoPackage(t, path, f.name, f.epsg, list...)
	return path
}

// star is a ring around a point.
func star(rng *rand.Rand, x, y, r float64, corners int) (list ring) {
	for i := range corners {
		a, d := 2*math.Pi*float64(i)/float64(corners), r*(0.7+0.3*rng.Float64())
		list = append(list, [2]float64{x + d*math.Cos(a), y + d*math.Sin(a)})
	}
	return list
}

// islands are areas of a level around some places.
func islands(rng *rand.Rand, x0, y0, r, hole float64) (list []ring) {
	for i := range 9 {
		x, y := x0+6000*float64(i%3), y0+6000*float64(i/3)
		list = append(list, star(rng, x, y, r, 40), star(rng, x, y, hole, 17))
	}
	return list
}

// arcepFiles are eight maps: of two territories and four operators.
func arcepFiles() (list []arcepFile) {
	rng := rand.New(rand.NewPCG(1, 8))
	for i, op := range []struct{ name, plmn string }{{"OF", "20801"}, {"SFR0", "20810"}, {"BOUY", "20820"}, {"FREE", "20815"},
		{"ORCA", "34001"}, {"OMT", "34002"}, {"DIGIC", "34020"}, {"FRCA", "34004"}} {
		f := arcepFile{name: "2026_T2_couv_Metropole_" + op.name + "_4G_data", operateur: op.plmn, techno: "4G",
			date: "2026-06-30", epsg: 2154}
		x, y := 350000.0, 6780000.0
		if i >= 4 {
			f.name, f.epsg, x, y = strings.Replace(f.name, "Metropole", "Guadeloupe", 1), 5490, 640000, 1780000
		}
		for k, niveau := range []string{"CL", "BC", "TBC"} { // they overlap: the best counts
			f.levels = append(f.levels, level{niveau, islands(rng, x, y, 2900-float64(k)*700, 300)})
		}
		list = append(list, f)
	}
	return list
}

// rasterized returns what GDAL makes of a file: cells of 100 m from a corner on, the best level burned last.
func rasterized(t *testing.T, path, layer string, x0, y0 float64, cols, rows int) []byte {
	t.Helper()
	to := filepath.Join(t.TempDir(), "cells.bin")
	for i, niveau := range []string{"CL", "BC", "TBC"} {
		args := []string{"-q", "-l", layer, "-where", "niveau = '" + niveau + "'", "-burn", fmt.Sprint(i + 1)}
		if i == 0 {
			args = append(args, "-ot", "Byte", "-of", "ENVI", "-tr", "100", "100", "-te", fmt.Sprint(x0), fmt.Sprint(y0),
				fmt.Sprint(x0+100*float64(cols)), fmt.Sprint(y0+100*float64(rows)))
		}
		if out, err := exec.Command("gdal_rasterize", append(args, path, to)...).CombinedOutput(); err != nil {
			t.Fatalf("gdal_rasterize: %v: %s", err, out)
		}
	}
	return filetest.Read(t, to)
}

// The cells of eight maps of two territories are those of GDAL, and so are the shares.
func TestAgainstGDAL(t *testing.T) {
	tier.Slow(t)
	dir, from := folder.Dir(t.TempDir()), t.TempDir()
	files := arcepFiles()
	for i := range files {
		files[i].geoPackage(t, from)
	}
	imported(t, dir, from)
	s := coverage.NewStore(dir.Coverage())
	layers := s.Layers(coverage.Filter{})
	if len(layers) != len(files) {
		t.Fatalf("%d layers, want %d", len(layers), len(files))
	}
	for i := range files {
		f := &files[i]
		var l *coverage.Layer
		for _, one := range layers {
			if one.From == f.name+".gpkg" {
				l = one
			}
		}
		const cols, rows = 220, 220
		x0, y0 := 346000.0, 6776000.0
		if f.epsg == 5490 {
			x0, y0 = 636000, 1776000
		}
		want := rasterized(t, filepath.Join(from, f.name+".gpkg"), f.name, x0, y0, cols, rows)
		var counts, expected [4]int
		differ := 0
		for row := range rows {
			for col := range cols {
				v, err := l.ValueOf(col+int((x0-l.X0)/100), row+int((y0-l.Y0)/100))
				must(t, err)
				w := coverage.Value(want[(rows-1-row)*cols+col]) // GDAL begins in the north
				counts[v]++
				expected[w]++
				if v != w {
					differ++
				}
			}
		}
		// A middle that is within a hair of an edge may be on either side of it.
		if differ > 3 {
			t.Errorf("%s: %d cells differ of %d", f.name, differ, cols*rows)
		}
		for v := 1; v < 4; v++ {
			if n := l.Cells[v]; n < 1000 || math.Abs(float64(n)-float64(expected[v])) > 0.002*float64(expected[v])+1 {
				t.Errorf("%s: %d cells of level %d, GDAL has %d", f.name, n, v, expected[v])
			}
		}
	}
}

// A level without a word, as 3G and 5G have it, is covered without a level.
func TestNoLevel(t *testing.T) {
	f := arcepFiles()[0]
	f.name, f.techno = "2026_T2_couv_Metropole_OF_5G_data", "5G"
	f.levels = []level{{nil, islands(rand.New(rand.NewPCG(1, 1)), 350000, 6780000, 2000, 200)}}
	dir := folder.Dir(t.TempDir())
	must(t, tried(t, dir, f.geoPackage(t, t.TempDir())).Failed())
	l := coverage.NewStore(dir.Coverage()).Layers(coverage.Filter{})[0]
	v, err := l.ValueOf(int((350000+1000-l.X0)/200), int((6780000-l.Y0)/200))
	must(t, err)
	w := l.Word(v, geo.Point{})
	if w.Level != coverage.LevelCovered || l.Metres != 200 || l.Operator != "ORANGE" || l.Edition != "2026-06-30" {
		t.Errorf("%v of %+v", w, l.Info)
	}
}

// What cannot be used is named, and what was there stays.
func TestBadFiles(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	good := arcepFiles()[0]
	imported(t, dir, good.geoPackage(t, t.TempDir()))
	version := coverage.NewStore(dir.Coverage()).Version()
	fewer := good
	fewer.levels = []level{{"CL", good.levels[0].rings[:2]}}
	for _, c := range []struct {
		name   string
		change func(f *arcepFile)
		want   string
	}{
		{"level", func(f *arcepFile) { f.levels[1].niveau = "TTBC" }, `niveau "TTBC"`},
		{"operator", func(f *arcepFile) { f.operateur = "20899" }, `operateur "20899"`},
		{"technology", func(f *arcepFile) { f.techno = "6G" }, `techno "6G"`},
		{"name", func(f *arcepFile) { f.name = strings.Replace(f.name, "4G", "3G", 1) }, "the name says 3G"},
		{"quarter", func(f *arcepFile) { f.date = "2026-09-30" }, "the name says 2026_T2"},
		{"place", func(f *arcepFile) { f.name = strings.Replace(f.name, "Metropole", "Guadeloupe", 1) }, "the projection is EPSG:2154"},
		{"projection", func(f *arcepFile) {
			f.levels = []level{{"BC", []ring{{{-1.7, 48.1}, {-1.6, 48.1}, {-1.6, 48.2}}, {{-1.69, 48.11}, {-1.68, 48.11}, {-1.68, 48.12}}}}}
		}, "far outside"},
		{"one with a level and one without", func(f *arcepFile) { f.levels[2].niveau = nil }, "area 3: "},
		{"no areas", func(f *arcepFile) { f.levels = nil }, "no areas"},
		{"areas smaller than a cell", func(f *arcepFile) {
			f.levels = []level{{"BC", []ring{{{350001, 6780001}, {350002, 6780001}, {350002, 6780002}},
				{{350001, 6780001}, {350001.1, 6780001}, {350001, 6780001.1}}}}}
		}, "no cell is covered"},
		{"less than half", func(f *arcepFile) { *f = fewer }, "less than half"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := arcepFiles()[0]
			c.change(&f)
			refused(t, dir, f.geoPackage(t, t.TempDir()), c.want)
			if coverage.NewStore(dir.Coverage()).Version() != version {
				t.Error("the maps changed")
			}
		})
	}
	path := fewer.geoPackage(t, t.TempDir())
	r, err := coverage.Import(t.Context(), coverage.Options{Dir: dir, Paths: []string{path}, Metres: 200, Force: true,
		Now: time.Now()})
	must(t, errors.Join(err, r.Failed()))
}

// tried imports a file or a folder, whose files may be refused. Large cells are quick.
func tried(t testing.TB, dir folder.Dir, paths ...string) *coverage.Report {
	t.Helper()
	r, err := coverage.Import(t.Context(), coverage.Options{Dir: dir, Paths: paths, Metres: 200, Now: time.Now()})
	must(t, err)
	return r
}

// refused imports a file that must be refused.
func refused(t testing.TB, dir folder.Dir, path, want string) {
	t.Helper()
	r := tried(t, dir, path)
	if err := r.Files[0].Error; !strings.Contains(err, want) || r.Failed() == nil {
		t.Errorf("%s: error %q, want %q", filepath.Base(path), err, want)
	}
}

// A folder may be a link. Its files with other endings are left out, and members of its zip archives are refused by name.
func TestFilesOfFolder(t *testing.T) {
	dir, from, link := folder.Dir(t.TempDir()), t.TempDir(), filepath.Join(t.TempDir(), "link")
	filetest.Write(t, filepath.Join(from, "Proximus_4G.json"), biptJSON(3))
	filetest.Write(t, filepath.Join(from, "readme.txt"), "not a map")
	filetest.Write(t, filepath.Join(from, "photos.zip"), "not an archive")
	zip := filetest.New(t, "maps.zip", filetest.Zip(t, "Proximus_5G.json", string(biptJSON(3))))
	if err := os.Symlink(from, link); err != nil {
		t.Skip("no links here")
	}
	r := tried(t, dir, link, zip)
	var got []string
	for _, f := range r.Files {
		got = append(got, fmt.Sprint(filepath.Base(f.Path), " ", len(f.Layers), " ", f.Error))
	}
	want := []string{"Proximus_4G.json 1 ", "maps.zip:Proximus_5G.json 0 zip archives are not read: unpack it, and import the files"}
	if !slices.Equal(got, want) || !r.Files[1].Refused {
		t.Errorf("files %q, want %q", got, want)
	}
}

// Why a file or a folder is not imported, and what to do.
func TestReasons(t *testing.T) {
	dir, from := folder.Dir(t.TempDir()), t.TempDir()
	good := arcepFiles()[0]
	path, empty := good.geoPackage(t, from), filetest.New(t, "empty.gpkg", "")
	one := func(market market.Code, paths ...string) (*coverage.Report, error) {
		return coverage.Import(t.Context(), coverage.Options{Dir: dir, Market: market, Paths: paths, Metres: 200, Now: time.Now()})
	}
	for _, tt := range []struct {
		market            market.Code
		paths             []string
		files             int
		reason, afterward string
	}{
		{"FR", []string{empty}, 1, "the file is empty", "the file was not imported: the maps that were there stay"},
		{"FR", []string{empty, path}, 2, "the file is empty", "1 of 2 files was not imported: the maps that were there stay"},
		{"BE", []string{path}, 1, "the file is of the market FR, not of BE: import it with FR", "the file was not imported"},
		{"FR", []string{path, from + "/../" + filepath.Base(from), path}, 1, "", ""},
		{"FR", []string{filetest.New(t, "a.map", "II*\x00")}, 1, "nor a GeoTIFF that ends in .tif", "the file was not imported"},
	} {
		r, err := one(tt.market, tt.paths...)
		must(t, err)
		failed := ""
		if err := r.Failed(); err != nil {
			failed = err.Error()
		}
		if len(r.Files) != tt.files || !strings.Contains(r.Files[0].Error, tt.reason) || !strings.HasPrefix(failed, tt.afterward) ||
			(tt.reason == "") != (failed == "") {
			t.Errorf("%s %s: %d files, %q, %q, want %d, %q, %q", tt.market, tt.paths, len(r.Files), r.Files[0].Error, failed,
				tt.files, tt.reason, tt.afterward)
		}
	}
	without := t.TempDir()
	filetest.Write(t, filepath.Join(without, "readme.txt"), "not a map")
	if _, err := one("FR", without); err == nil || !strings.HasPrefix(err.Error(), without+": the folder has no files that end in .7z, ") {
		t.Errorf("a folder without maps: %v", err)
	}
}

// Two editions of a layer stay, the older ones go, and one that is older than these is refused.
func TestEditions(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	for _, date := range []string{"2026-03-31", "2026-06-30", "2025-12-31", "2026-09-30", "2025-09-30"} {
		f := arcepFiles()[0]
		f.date, f.name = date, fmt.Sprintf("%s_T%d_couv_Metropole_OF_4G_data", date[:4], int(date[5]-'0')*10/3+int(date[6]-'0')/3)
		r := tried(t, dir, f.geoPackage(t, t.TempDir()))
		if old := date < "2026"; old != (r.Failed() != nil) {
			t.Errorf("%s: %v", date, r.Failed())
		}
		for _, l := range r.Files[0].Layers {
			if l.Newest != "" {
				t.Errorf("%s: the newest is %s", date, l.Newest)
			}
		}
	}
	s := coverage.NewStore(dir.Coverage())
	newest := s.Layers(coverage.Filter{})
	if len(newest) != 1 || newest[0].Edition != "2026-09-30" || s.Before(newest[0]).Edition != "2026-06-30" {
		t.Errorf("newest %v", newest)
	}
	if paths, err := coverage.Files(dir.Coverage()); err != nil || len(paths) != 2 {
		t.Errorf("%d files, %v, want 2", len(paths), err)
	}
	if l := s.Layers(coverage.Filter{Edition: "2026-06-30"}); len(l) != 1 {
		t.Errorf("%d layers of the edition before, want 1", len(l))
	}
}

// Two files of one import that are the same map do not replace each other, and an older edition may have less.
func TestSameMapTwice(t *testing.T) {
	dir, from := folder.Dir(t.TempDir()), t.TempDir()
	f := arcepFiles()[0]
	f.geoPackage(t, from)
	f.name = "part2"
	f.geoPackage(t, from)
	r := tried(t, dir, from)
	failed := 0
	for _, one := range r.Files {
		if strings.Contains(one.Error, "the same map as") {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d files are refused, want 1: %v", failed, r.Failed())
	}
	f.name, f.date, f.levels = "older", "2026-03-31", f.levels[2:]
	f.levels[0].rings = f.levels[0].rings[:4]
	r = tried(t, dir, f.geoPackage(t, t.TempDir()))
	must(t, r.Failed())
	if got := r.Files[0].Layers[0].Newest; got != "2026-06-30" {
		t.Errorf("newest %q, want 2026-06-30", got)
	}
}

// An import that is killed at any moment leaves the old map or the new one, and the next import works.
func TestKilledImport(t *testing.T) {
	tier.Slow(t)
	dir := folder.Dir(t.TempDir())
	f := arcepFiles()[0]
	path := f.geoPackage(t, t.TempDir())
	imported(t, dir, path)
	want := coverage.NewStore(dir.Coverage()).Version()
	for range 30 {
		killtest.Run(t, 500*time.Millisecond, func(string) {}, string(dir), path)
		s := coverage.NewStore(dir.Coverage())
		if s.Version() != want || s.Failed("") != nil {
			t.Fatalf("version %s, %v, want %s", s.Version(), s.Failed(""), want)
		}
	}
	imported(t, dir, path)
	entries, err := os.ReadDir(dir.Coverage())
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
}
