package api

import (
	"fmt"
	"math"
	"time"

	"relais/geo"
	"relais/photos"
	"relais/photos/exif"
)

// publicMetadata returns the part of an image's metadata that may be shown. Instead of the
// position it has the distance to the site, rounded to 10 metres: three exact distances
// would reveal the position. A date in the future is the fault of a camera's clock and is left out.
func publicMetadata(f *exif.Fields, rotation int, at geo.Point, now time.Time) photos.Metadata {
	turned := float64(rotation)
	m := photos.Metadata{OrientationDegrees: &turned, GPSImgDirectionDegrees: f.Direction}
	if f.Model != "" {
		m.CameraModel = &f.Model
	}
	if f.Position != nil {
		metres := math.Round(geo.Distance(geo.Point{Lat: f.Position.Lat, Lng: f.Position.Lon}, at)/10) * 10
		m.DistanceToSiteMeters = &metres
	}
	const ahead = 24 * time.Hour // a camera's clock may be that of another zone
	if day := f.Day(); day != "" && !f.Taken.After(now.Add(ahead)) {
		month, label, monthLabel := day[:len("2006-01")], frenchDay(f.Taken), frenchMonth(f.Taken)
		m.TakenDate, m.TakenMonth, m.TakenDateLabel, m.TakenMonthLabel = &day, &month, &label, &monthLabel
	}
	return m
}

var months = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
	"octobre", "novembre", "décembre"}

// frenchDay formats a date in French: 1er mai 2024.
func frenchDay(t time.Time) string {
	if t.Day() == 1 {
		return "1er " + frenchMonth(t)
	}
	return fmt.Sprintf("%d %s", t.Day(), frenchMonth(t))
}

func frenchMonth(t time.Time) string { return fmt.Sprintf("%s %d", months[t.Month()-1], t.Year()) }
