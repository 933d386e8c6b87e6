package archive

import (
	"fmt"
	"path/filepath"
	"testing"

	"relais/internal/store"
)

// weeks writes publications of a tenth of France. From week to week one row in a
// hundred changes.
func weeks(b *testing.B, n int) (paths []string) {
	b.Helper()
	const supports, each = 7000, 12
	for week := range n {
		text := []byte("\ufeff" + header)
		for i := range supports * each {
			support := i % supports
			status := "En service"
			if i%100 >= 100-n+week {
				status = "Projet approuvé"
			}
			station := fmt.Sprintf("003%03d%04d", 100+i/supports/3, support)
			l := line([]string{"ORANGE", "SFR", "FREE MOBILE", "BOUYGUES TELECOM"}[i/supports/3],
				fmt.Sprint(1000+support), fmt.Sprint("LTE ", i/supports), station, status)
			text = fmt.Appendf(text, "%d;"+l+"\n", i+1, fmt.Sprintf("2026-08-%02dT16:00:00", 1+week))
		}
		paths = append(paths, written(b, "observatoire.csv", string(text)))
	}
	return paths
}

// BenchmarkAdd adds the weeks to an empty store.
func BenchmarkAdd(b *testing.B) {
	paths := weeks(b, 4)
	for b.Loop() {
		db, err := store.Open(filepath.Join(b.TempDir(), "archives.db"), Buckets...)
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range paths {
			mustAdd(b, Open(db, november), path, Options{})
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(paths)), "ms/week")
}

// BenchmarkWhole rebuilds the newest of the weeks.
func BenchmarkWhole(b *testing.B) {
	s, _ := opened(b)
	for _, path := range weeks(b, 4) {
		mustAdd(b, s, path, Options{})
	}
	rows := 0
	for b.Loop() {
		for site, err := range sitesOf(s.Whole("2026-08-04")) {
			if err != nil {
				b.Fatal(err)
			}
			rows += len(site.Records)
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}
