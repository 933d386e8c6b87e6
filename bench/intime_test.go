package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"relais/archive"
	"relais/demo"
	"relais/folder"
	"relais/geo"
	"relais/market"
	"relais/measure"
	"relais/store"
)

// The weeks that are measured are archived, and their files are gone.
func TestArchives(t *testing.T) {
	work := t.TempDir()
	if err := measureArchives(work, 300, 4); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(work, "archives")
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	db, err := store.OpenReadOnly(filepath.Join(dir, "archives.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if dates, current, err := archive.Open(db, time.Now).Dates(); len(dates) != 4 || current != demo.Week(0) || err != nil {
		t.Errorf("%q, %v", dates, err)
	}
}

// What is imported to be measured is as much as was asked for, and the box has the share
// of it that it says it has.
func TestMeasures(t *testing.T) {
	supports, points := 1000, 60_000
	if testing.Short() {
		points = 12_000
	}
	work := t.TempDir()
	if err := importMeasures(work, supports, points); err != nil {
		t.Fatal(err)
	}
	s, err := measure.Open(folder.Dir(measuresDir(work)), true, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if n, tests := s.Count(market.FR, measure.Coverage), s.Count(market.FR, measure.Speedtest); n != points || tests < points/pointsOfTest*8/10 || tests > points/pointsOfTest {
		t.Errorf("%d points, %d speedtests", n, tests)
	}
	box, share, err := shareBox(s, points, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	in := func(b *geo.Box) (n int) {
		list, err := s.Coverage(measure.Query{Market: market.FR, Box: b, Limit: mostAnswered})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if all, some := in(nil), in(&box); share < 0.19 || share > 0.3 || math.Abs(float64(some)-share*float64(all)) > 0.5 {
		t.Errorf("%d of %d points in a box that has %.2f of them", some, all, share)
	}
	if err := askMeasures(work); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(measuresDir(work)); err != nil || len(files) != 2 { // the segments and measures.db
		t.Errorf("%v, %v", files, err)
	}
	if _, err := os.Stat(filepath.Join(measuresDir(work), "files")); err == nil {
		t.Error("the files are still there")
	}
}
