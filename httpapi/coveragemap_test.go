package httpapi

import "testing"

// An error about the place or area names a parameter that was sent, or the first of those that may be.
func TestCoverageNeedsOnePlace(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ target, parameter, message string }{
		{"/coverage/at", "lat", "missing: one of lat and lon, q and siteId is needed"},
		{"/coverage/at?siteId=fr-1&q=paris", "siteId", "q is given too; give one of lat and lon, q and siteId, not two"},
		{"/coverage/at?lat=48&lon=2&siteId=fr-1", "siteId", "lat is given too"},
		{"/coverage/at?lat=48&q=paris", "lon", "lat, lon belong together"},
		{"/coverage/area", "department", "missing: one of department, commune and bbox is needed"},
		{"/coverage/area?department=01&bbox=5,46,5.5,46.4", "bbox",
			"department is given too; give one of department, commune and bbox, not two"},
		{"/coverage/area?commune=35238&north=46.4&south=46&east=5.5&west=5", "north", "commune is given too"},
		{"/coverage/area?market=DROM&territory=974&commune=97411", "commune",
			"territory is given too; give one of territory, commune and bbox, not two"},
		{"/coverage/area?province=ON&market=CA", "province", "where the areas of CA end is not known: ask for a bbox"},
	} {
		w := get(t, s, tt.target)
		wantError(t, w, 400, "INVALID_PARAMETER", tt.message)
		if o := parse(t, w, 400); o["parameter"] != tt.parameter {
			t.Errorf("%s: parameter %v, want %s", tt.target, o["parameter"], tt.parameter)
		}
	}
}
