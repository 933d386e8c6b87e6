package api

import (
	"fmt"
	"testing"
	"time"

	"relais/geo"
	"relais/photos/exif"
)

// What is stored of a photo's position is its distance to the site, to ten metres. A degree
// of latitude is 111.2 km.
func TestDistanceToSite(t *testing.T) {
	site := geo.Point{Lat: 48.85, Lng: 2.35}
	for _, tt := range []struct{ degrees, want float64 }{
		{0, 0},
		{0.00004, 0},
		{0.00012, 10},
		{0.001, 110},
		{-0.00115, 130},
		{0.01, 1110},
	} {
		t.Run(fmt.Sprint(tt.degrees), func(t *testing.T) {
			at := exif.Position{Lat: site.Lat + tt.degrees, Lon: site.Lng}
			m := publicMetadata(&exif.Fields{Position: &at}, 0, site, time.Time{})
			if m.DistanceToSiteMeters == nil {
				t.Errorf("%v° away: no distance", tt.degrees)
			} else if *m.DistanceToSiteMeters != tt.want {
				t.Errorf("%v° away: %v m, want %v", tt.degrees, *m.DistanceToSiteMeters, tt.want)
			}
		})
	}
}

// A camera's clock states its own time, which is up to 14 hours ahead of UTC, and may be wrong.
func TestFutureDate(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		taken time.Time
		want  string
	}{
		{now.Add(-time.Hour), "2026-11-28"},
		{now.Add(14 * time.Hour), "2026-11-29"},
		{now.Add(25 * time.Hour), ""},
		{now.AddDate(10, 0, 0), ""},
		{time.Time{}, ""},
	} {
		t.Run(tt.taken.String(), func(t *testing.T) {
			m := publicMetadata(&exif.Fields{Taken: tt.taken}, 0, geo.Point{}, now)
			got := ""
			if m.TakenDate != nil {
				got = *m.TakenDate
			}
			if got != tt.want || (m.TakenMonth == nil) != (got == "") {
				t.Errorf("date = %q with month %v, want %q", got, m.TakenMonth, tt.want)
			}
		})
	}
}
