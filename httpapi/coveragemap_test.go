package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/coverage/coveragetest"
	"relais/geo"
)

// An error about the place or area names a parameter that was sent, or the first of those that may be.
func TestCoverageNeedsOnePlace(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ target, parameter, message string }{
		{"/coverage/at", "lat", "missing: give lat with lon, q or siteId"},
		{"/coverage/at?siteId=fr-1&q=paris", "siteId", "q is given too; give only lat with lon, q or siteId"},
		{"/coverage/at?lat=48&lon=2&siteId=fr-1", "siteId", "lat is given too"},
		{"/coverage/at?lat=48&q=paris", "lon", "lat, lon belong together"},
		{"/coverage/area", "department", "missing: give department, commune or bbox"},
		{"/coverage/area?department=01&bbox=5,46,5.5,46.4", "bbox",
			"department is given too; give only department, commune or bbox"},
		{"/coverage/area?commune=35238&north=46.4&south=46&east=5.5&west=5", "north", "commune is given too"},
		{"/coverage/area?market=DROM&territory=974&commune=97411", "commune",
			"territory is given too; give only territory, commune or bbox"},
		{"/coverage/area?province=ON&market=CA", "province", "where the areas of CA end is not known: ask for a bbox"},
	} {
		w := get(t, s, tt.target)
		wantError(t, w, 400, "INVALID_PARAMETER", tt.message)
		if o := parse(t, w, 400); o["parameter"] != tt.parameter {
			t.Errorf("%s: parameter %v, want %s", tt.target, o["parameter"], tt.parameter)
		}
	}
}

// An answer without rows says why.
func TestCoverageNotes(t *testing.T) {
	s := newServer(t)
	const x, y = 352000, 6789000 // Lambert-93
	s.Coverage = coveragetest.Store(t, "maps.geojson", 2154,
		coveragetest.Box(coveragetest.ARCEP("20801", "4G", "2026-06-30", "BC"), x-2000, y-2000, x+2000, y+2000))
	lambert, _ := geo.ByEPSG(2154)
	at := lambert.From(x, y) // a corner of cells
	place := fmt.Sprintf("/coverage/at?lat=%.6f&lon=%.6f", at.Lat, at.Lng)
	box := func(half float64) string {
		return fmt.Sprintf("/coverage/area?bbox=%.6f,%.6f,%.6f,%.6f", at.Lng-half, at.Lat-half, at.Lng+half, at.Lat+half)
	}
	for target, note := range map[string]string{
		place: "", place + "&operator=DIGICEL": "The maps here are of other operators: ORANGE.",
		place + "&edition=2020-01-01": "No coverage map of this server", box(0.01): "",
		box(0.0001): "The area is smaller", "/coverage/area?bbox=-30,46,-29.9,46.1": "No coverage map of this server",
	} {
		o := parse(t, get(t, s, target), 200)
		got, _ := o["meta"].(object)["note"].(string)
		if rows := o["data"].([]any); (len(rows) > 0) != (note == "") || !strings.HasPrefix(got, note) || note == "" && got != "" {
			t.Errorf("%s: %d rows with the note %q, want %q", target, len(rows), got, note)
		}
	}
	wantError(t, get(t, s, "/coverage/area?north=51&south=41&east=9&west=-5&operator=ORANGE"), 400, "INVALID_PARAMETER",
		"at most about 100,000 km²")
}

// Every day that editions lists can be asked for, also where maps have several.
func TestCoverageEditions(t *testing.T) {
	s := newServer(t)
	const x, y = 352000, 6789000
	square := func(plmn, edition string) coveragetest.Area {
		return coveragetest.Box(coveragetest.ARCEP(plmn, "4G", edition, "BC"), x-2000, y-2000, x+2000, y+2000)
	}
	s.Coverage = coveragetest.Store(t, "maps.geojson", 2154, square("20801", "2026-03-31"), square("20801", "2026-06-30"),
		square("20810", "2026-03-31"), square("20815", "2025-12-31"))
	lambert, _ := geo.ByEPSG(2154)
	at := lambert.From(x, y)
	want := []any{"2026-06-30", "2026-03-31", "2025-12-31"}
	for _, place := range []string{fmt.Sprintf("/coverage/at?lat=%.6f&lon=%.6f", at.Lat, at.Lng), "/coverage/area?department=35"} {
		for edition, rows := range map[string]int{"": 3, "&edition=2026-06-30": 1, "&edition=2026-03-31": 2, "&edition=2020-01-01": 0} {
			o := parse(t, get(t, s, place+edition), 200)
			got, _ := o["meta"].(object)["editions"].([]any)
			if n := len(o["data"].([]any)); n != rows || !slices.Equal(got, want) {
				t.Errorf("%s%s: %d rows, editions %v, want %d and %v", place, edition, n, got, rows, want)
			}
		}
	}
}
