package demo

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"relais/geo"
)

// Measurements have the stated number, and are near their supports.
func TestMeasuresAreNearTheirSupports(t *testing.T) {
	const days, points, walk = 3, 400, 1600 // walk is the farthest from a support, metres
	d := geo.Disc{Center: geo.Point{Lat: 48.8566, Lng: 2.3522}, Radius: 5000}
	f, err := NewFrance(5000)
	must(t, err)
	near := slices.DeleteFunc(f.supports, func(s support) bool {
		return geo.Distance(d.Center, geo.Point{Lat: float64(s.lat) / 3600, Lng: float64(s.lng) / 3600}) > d.Radius
	})
	tests, coverage, err := writeMeasures(t.TempDir(), near, time.Now(), days, 20, points)
	must(t, err)
	for _, tt := range []struct {
		path string
		want int
	}{
		{coverage, days * points},
		{tests, -1},
	} {
		t.Run(tt.path, func(t *testing.T) {
			f, err := os.Open(tt.path)
			must(t, err)
			defer f.Close()
			rows, err := csv.NewReader(f).ReadAll()
			if n := len(rows) - 1; err != nil || n == 0 || tt.want >= 0 && n != tt.want {
				t.Fatalf("rows = %d, %v; want %d", n, err, tt.want)
			}
			for _, row := range rows[1:] {
				lat, err1 := strconv.ParseFloat(row[1], 64)
				lng, err2 := strconv.ParseFloat(row[2], 64)
				if m := geo.Distance(d.Center, geo.Point{Lat: lat, Lng: lng}); err1 != nil || err2 != nil ||
					m > d.Radius+walk {
					t.Fatalf("%q is %.0f m from its support, want at most %d", row, m, walk)
				}
			}
		})
	}
}
