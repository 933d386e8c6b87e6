package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/admin/backup"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
)

// speedtests writes a file of n speedtests of some days ago, the last one out of place.
func speedtests(t *testing.T, n, days int) string {
	t.Helper()
	text := "timestamp,lat,lng,download_mbps\n"
	for i := range n - 1 {
		text += fmt.Sprintf("%s,48.%d,2.5,%d\n", time.Now().UTC().AddDate(0, 0, -days).Format(time.RFC3339), 1000+i, i)
	}
	return filetest.New(t, "speedtests.csv", text+time.Now().UTC().Format(time.RFC3339)+",0,0,1\n")
}

func importing(path string) ImportMeasures {
	return ImportMeasures{Market: market.FR, Kind: measure.Speedtest, Paths: []string{path}}
}

// checked lists what a check says of measures, problems after what is well.
func checked(t *testing.T, dir folder.Dir) string {
	t.Helper()
	files, err := checkData(context.Background(), dir)
	must(t, err)
	text := ""
	for _, f := range files {
		if f.Kind == "measures" {
			text += f.Path + " " + f.Detail + f.Problem + "\n"
		}
	}
	return text
}

// Measures are imported, checked, backed up and restored, by a server and without one.
func TestMeasures(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		if served {
			serve(t, dir)
		}
		ctx, path := context.Background(), speedtests(t, 51, 1)
		c := importing(path)
		var total, read int64
		c.Progress = func(n int64) func(int) {
			total = n
			return func(n int) { read += int64(n) }
		}
		var r Imported
		must(t, Call(ctx, dir, c, &r, quiet))
		if f := r.Files[0]; r.Total != 50 || f.Rows != 51 || f.Served != 50 || f.Rejected["position unknown"] != 1 ||
			f.Examples[0].Line != 52 || f.Path != path {
			t.Errorf("served %v: got %+v, %+v, want 50 of 51 rows of %s, and line 52 without a position", served, r,
				f, path)
		}
		if info, err := os.Stat(path); err != nil || !served && (total != info.Size() || read != total) {
			t.Errorf("%d of %d bytes were told, %v, want all", read, total, err)
		}
		if err := Call(ctx, dir, importing(path), &r, quiet); err != nil || r.Total != 50 ||
			r.Files[0].Rejected["duplicate"] != 50 {
			t.Errorf("served %v: again: %+v, %v, want no error, Total = 50 and duplicate = 50", served, r, err)
		}
		bad := importing(path)
		bad.Kind = measure.Coverage
		if err := Call(ctx, dir, bad, &r, quiet); err == nil || !strings.Contains(err.Error(), path+":1") {
			t.Errorf("served %v: another kind: %v, want an error with %q", served, err, path+":1")
		}
		name := segmentOf(t, dir)
		want := "measures/" + name + " 50 speedtests of FR\n"
		if got := checked(t, dir); got != want {
			t.Errorf("served %v: %q, want %q", served, got, want)
		}
		copied, restored := filepath.Join(t.TempDir(), "backup"), folder.Dir(filepath.Join(t.TempDir(), "restored"))
		if err := errors.Join(Backup(ctx, dir, copied, true, quiet), Restore(ctx, copied, restored)); err != nil {
			t.Fatalf("served %v: %v", served, err)
		}
		for _, dir := range []string{string(dir), copied, string(restored)} {
			info, err := os.Stat(filepath.Join(dir, measure.Dir))
			must(t, err)
			if mode := info.Mode().Perm(); mode != 0o700 {
				t.Errorf("served %v: the measures of %s: mode %o, want 0o700", served, dir, mode)
			}
		}
		if got := checked(t, restored); got != want {
			t.Errorf("served %v: restored: %q, want %q", served, got, want)
		}
		filetest.Write(t, filepath.Join(copied, "measures", name), "no")
		if err := Restore(ctx, copied, folder.Dir(filepath.Join(t.TempDir(), "again"))); !errors.Is(err,
			backup.ErrDamaged) {
			t.Errorf("a damaged backup: %v, want backup.ErrDamaged", err)
		}
	}
}

// segmentOf is the name of the only segment of a folder.
func segmentOf(t *testing.T, dir folder.Dir) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(string(dir), "measures", "*.seg"))
	if err != nil || len(list) != 1 {
		t.Fatalf("got %v, %v, want no error and len(list) = 1", list, err)
	}
	return filepath.Base(list[0])
}

// What is damaged is named, no file of measures goes, and the other stores go on.
func TestDamagedMeasures(t *testing.T) {
	junk := func(path string) error { return os.WriteFile(path, []byte("{no"), 0o600) }
	for _, served := range []bool{false, true} {
		for _, tt := range []struct {
			name, file, says string // "" is the segment
			damage           func(path string) error
			whole            bool // it is still known what counts
		}{
			{"a file", "", "damaged", junk, true},
			{"rows", "measures.db", "damaged", junk, false},
			{"no rows", "measures.db", "missing", os.Remove, false},
		} {
			dir := folder.Dir(t.TempDir())
			ctx := context.Background()
			var r Imported
			must(t, Call(ctx, dir, importing(speedtests(t, 5, 1)), &r, quiet))
			segment := segmentOf(t, dir)
			path := filepath.Join(string(dir), "measures", segment)
			before, err := os.ReadFile(path)
			if tt.file != "" {
				path = filepath.Join(string(dir), tt.file)
			}
			must(t, errors.Join(err, tt.damage(path)))
			if served {
				serve(t, dir)
			}
			if list := problems(t, dir); len(list) != 1 || !strings.Contains(list[0], tt.says) ||
				!strings.Contains(list[0], filepath.Base(path)) {
				t.Errorf("%s, served %v: got %q, want one with %s and the file", tt.name, served, list, tt.says)
			}
			create(t, dir, spec("one"))
			if err := Backup(ctx, dir, filepath.Join(t.TempDir(), "backup"), true, quiet); (err == nil) != tt.whole {
				t.Errorf("%s, served %v: the backup: got %v, want no error: %v", tt.name, served, err, tt.whole)
			}
			if err := Call(ctx, dir, importing(speedtests(t, 9, 1)), &r, quiet); (err == nil) != tt.whole {
				t.Errorf("%s, served %v: an import: got %v, want no error: %v", tt.name, served, err, tt.whole)
			}
			after, err := os.ReadFile(filepath.Join(string(dir), "measures", segment))
			if err != nil || !tt.whole && !bytes.Equal(after, before) {
				t.Errorf("%s, served %v: the measures changed: got %d bytes, %v, want the %d before", tt.name, served,
					len(after), err, len(before))
			}
		}
	}
}

// Measures that are too old go when a server starts.
func TestRetainMeasures(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, stop := serve(t, dir)
	defer stop()
	var r Imported
	for _, days := range []int{1, 400} {
		must(t, Call(context.Background(), dir, importing(speedtests(t, 11, days)), &r, quiet))
	}
	m, err := s.Measures()
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		keep time.Duration
		left int
	}{{0, 20}, {365 * 24 * time.Hour, 10}, {time.Hour, 0}} {
		NewJobs(s, quiet).RetainMeasures(ctx, tt.keep)
		if n := m.Count(market.FR, measure.Speedtest); n != tt.left {
			t.Errorf("kept for %v: %d are left, want %d", tt.keep, n, tt.left)
		}
	}
}

// How far a server's import is can be asked while it runs.
func TestImportProgress(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, _ := serve(t, dir)
	s.importing.total.Store(1000)
	s.importing.read.Store(400)
	ctx, cancel := context.WithCancel(context.Background())
	var told []int64
	followImport(ctx, dir, func(total int64) func(int) {
		told = append(told, total)
		return func(n int) {
			if told = append(told, int64(n)); len(told) == 3 {
				cancel()
			}
			s.importing.read.Store(1000)
		}
	})
	if fmt.Sprint(told) != "[1000 400 600]" {
		t.Errorf("told %v, want [1000 400 600]", told)
	}
	r, err := Import(context.Background(), dir, importing(speedtests(t, 5, 1)), quiet)
	if err != nil || r.Total != 4 || s.importing.read.Load() != s.importing.total.Load() ||
		s.importing.total.Load() == 1000 {
		t.Errorf("%+v, %v, %d bytes, want no error, %d, Total = 4 and total other than 1000", r, err,
			s.importing.read.Load(), s.importing.total.Load())
	}
}

// Many small imports make few files, with a server and without one, and a server begins with
// those that are there.
func TestMergeMeasures(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	var r Imported
	files := func() int {
		list, err := filepath.Glob(filepath.Join(string(dir), "measures", "*.seg"))
		must(t, err)
		return len(list)
	}
	some := func(days int) {
		t.Helper()
		for i := range 20 {
			must(t, Call(context.Background(), dir, importing(speedtests(t, 2, days+i)), &r, quiet))
		}
	}
	some(1)
	if n := files(); n >= 16 || r.Total != 20 {
		t.Errorf("%d files of %d speedtests, want less than 16 and 20", n, r.Total)
	}
	s, stop := serve(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { NewJobs(s, quiet).MergeMeasures(ctx); close(ended) }()
	some(30)
	for end := time.Now().Add(time.Minute); files() >= 16 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	<-ended
	if n := files(); n >= 16 || r.Total != 40 {
		t.Errorf("%d files of %d speedtests, want less than 16 and 40", n, r.Total)
	}
	stop()
	if got := checked(t, dir); strings.Contains(got, "damaged") || strings.Count(got, "\n") != files() {
		t.Errorf("got %s, want %d files, none damaged", got, files())
	}
}

// A folder that is missing is not made by a repair.
func TestRepairOfNothing(t *testing.T) {
	none := folder.Dir(filepath.Join(t.TempDir(), "none"))
	if _, err := RepairMeasures(none); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(string(none)); err == nil {
		t.Error("it is made")
	}
}
