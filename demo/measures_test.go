package demo

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"
	"time"

	"relais/geo"
)

// Measures of a disc are as many as were asked for, and lie around supports of it.
func TestWriteMeasuresInDisc(t *testing.T) {
	const days, points, walk = 3, 400, 1600 // the last is how many metres a phone goes from a support at most
	d := geo.Disc{Center: geo.Point{Lat: 48.8566, Lng: 2.3522}, Radius: 5000}
	tests, coverage, err := WriteMeasures(t.TempDir(), 5000, &d, time.Now(), days, 20, points)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		want int
	}{
		{coverage, days * points},
		{tests, -1},
	} {
		t.Run(tt.path, func(t *testing.T) {
			f, err := os.Open(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			rows, err := csv.NewReader(f).ReadAll()
			if n := len(rows) - 1; err != nil || n == 0 || tt.want >= 0 && n != tt.want {
				t.Fatalf("%d rows, want %d, %v", n, tt.want, err)
			}
			for _, row := range rows[1:] {
				lat, err1 := strconv.ParseFloat(row[1], 64)
				lng, err2 := strconv.ParseFloat(row[2], 64)
				if m := geo.Distance(d.Center, geo.Point{Lat: lat, Lng: lng}); err1 != nil || err2 != nil ||
					m > d.Radius+walk {
					t.Fatalf("%q is %.0f m away", row, m)
				}
			}
		})
	}
	d.Center = geo.Point{}
	if _, _, err := WriteMeasures(t.TempDir(), 5000, &d, time.Now(), days, 20, points); err == nil {
		t.Error("measures in the Gulf of Guinea")
	}
}
