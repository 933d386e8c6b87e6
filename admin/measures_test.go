package admin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/folder"
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
	path := filepath.Join(t.TempDir(), "speedtests.csv")
	if err := os.WriteFile(path, []byte(text+time.Now().UTC().Format(time.RFC3339)+",0,0,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func importing(path string) ImportMeasures {
	return ImportMeasures{Market: market.FR, Kind: measure.Speedtest, Paths: []string{path}}
}

// checked lists what a check says of measures, problems after what is well.
func checked(t *testing.T, dir folder.Dir) string {
	t.Helper()
	files, err := Check(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
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
		if err := Call(ctx, dir, c, &r, quiet); err != nil {
			t.Fatal(err)
		}
		if f := r.Files[0]; r.Total != 50 || f.Rows != 51 || f.Served != 50 || f.Rejected["position unknown"] != 1 || f.Examples[0].Line != 52 || f.Path != path {
			t.Errorf("served %v: %+v, %+v", served, r, r.Files[0])
		}
		if info, err := os.Stat(path); err != nil || !served && (total != info.Size() || read != total) {
			t.Errorf("%d of %d bytes were told, %v", read, total, err)
		}
		if err := Call(ctx, dir, importing(path), &r, quiet); err != nil || r.Total != 50 || r.Files[0].Rejected["duplicate"] != 50 {
			t.Errorf("served %v: again: %+v, %v", served, r, err)
		}
		bad := importing(path)
		bad.Kind = measure.Coverage
		if err := Call(ctx, dir, bad, &r, quiet); err == nil || !strings.Contains(err.Error(), path+":1") {
			t.Errorf("served %v: another kind: %v", served, err)
		}
		want := "measures/00000001.seg 50 speedtests of FR\n"
		if got := checked(t, dir); got != want {
			t.Errorf("served %v: %q", served, got)
		}
		copied, restored := filepath.Join(t.TempDir(), "backup"), folder.Dir(filepath.Join(t.TempDir(), "restored"))
		if err := errors.Join(Backup(ctx, dir, copied, quiet), Restore(copied, restored)); err != nil {
			t.Fatalf("served %v: %v", served, err)
		}
		if got := checked(t, restored); got != want {
			t.Errorf("served %v: restored: %q", served, got)
		}
		if err := os.WriteFile(filepath.Join(copied, "measures", "00000001.seg"), []byte("no"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Restore(copied, folder.Dir(filepath.Join(t.TempDir(), "again"))); !errors.Is(err, measure.ErrDamaged) {
			t.Errorf("a damaged backup: %v", err)
		}
	}
}

// What is damaged is named, and the other stores go on.
func TestDamagedMeasures(t *testing.T) {
	for _, served := range []bool{false, true} {
		for file, says := range map[string]string{"00000001.seg": "00000001.seg", "manifest.json": "manifest.json"} {
			dir := folder.Dir(t.TempDir())
			ctx := context.Background()
			var r Imported
			if err := Call(ctx, dir, importing(speedtests(t, 5, 1)), &r, quiet); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(string(dir), "measures", file), []byte("{no"), 0o600); err != nil {
				t.Fatal(err)
			}
			if served {
				serve(t, dir)
			}
			if got := checked(t, dir); strings.Count(got, "\n") != 1 || !strings.Contains(got, says) || !strings.Contains(got, "damaged") {
				t.Errorf("served %v: %q", served, got)
			}
			create(t, dir, spec("one"))
			err := Backup(ctx, dir, filepath.Join(t.TempDir(), "backup"), quiet)
			if damaged := file == "manifest.json"; damaged != (err != nil) || damaged && !strings.Contains(err.Error(), says) {
				t.Errorf("served %v: the backup: %v", served, err)
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
		if err := Call(context.Background(), dir, importing(speedtests(t, 11, days)), &r, quiet); err != nil {
			t.Fatal(err)
		}
	}
	m, err := s.Measures()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		keep time.Duration
		left int
	}{{0, 20}, {365 * 24 * time.Hour, 10}, {time.Hour, 0}} {
		s.RetainMeasures(ctx, tt.keep, quiet)
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
		t.Errorf("told %v", told)
	}
	r, err := Import(context.Background(), dir, importing(speedtests(t, 5, 1)), quiet)
	if err != nil || r.Total != 4 || s.importing.read.Load() != s.importing.total.Load() || s.importing.total.Load() == 1000 {
		t.Errorf("%+v, %v, %d bytes", r, err, s.importing.read.Load())
	}
}
