package view

import (
	"testing"

	"relais/photos"
)

// Distances are shown to ten metres, also those that an older version stored to the metre.
func TestDistanceOfPhotos(t *testing.T) {
	for _, d := range []struct{ stored, want float64 }{
		{0, 0},
		{4, 0},
		{12.5, 10},
		{1234, 1230},
		{1236, 1240},
		{1230, 1230},
	} {
		p := &photos.Photo{Metadata: photos.Metadata{DistanceToSiteMeters: &d.stored}}
		for _, tt := range []struct {
			name string
			m    PhotoMetadata
		}{
			{"in a list", NewPhoto("", p).Metadata},
			{"just sent", NewUploadedPhoto("", p, "").Metadata},
		} {
			t.Run(tt.name, func(t *testing.T) {
				if tt.m.DistanceToSiteMeters == nil {
					t.Errorf("%v %s: no distance, want %v", d.stored, tt.name, d.want)
				} else if *tt.m.DistanceToSiteMeters != d.want {
					t.Errorf("%v %s: distance = %v, want %v", d.stored, tt.name, *tt.m.DistanceToSiteMeters, d.want)
				}
			})
		}
	}
	if m := NewPhoto("", &photos.Photo{}).Metadata; m.DistanceToSiteMeters != nil {
		t.Errorf("a photo without a position has the distance %v, want none", *m.DistanceToSiteMeters)
	}
}
