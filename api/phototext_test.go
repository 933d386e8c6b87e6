package api

import (
	"fmt"
	"testing"

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
			m := publicMetadata(&exif.Fields{Position: &exif.Position{Lat: site.Lat + tt.degrees, Lon: site.Lng}}, 0, site)
			if m.DistanceToSiteMeters == nil {
				t.Errorf("%v° away: no distance", tt.degrees)
			} else if *m.DistanceToSiteMeters != tt.want {
				t.Errorf("%v° away: %v m, want %v", tt.degrees, *m.DistanceToSiteMeters, tt.want)
			}
		})
	}
}
