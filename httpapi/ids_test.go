package httpapi

import (
	"testing"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// Identifiers are free text in some markets: what is not safe in a path is escaped there.
func TestEscapedIDs(t *testing.T) {
	s := empty(t)
	for _, tt := range []struct{ path, id string }{{"ch-salt-a%2Fb", "salt-a/b"}, {"ch-salt-..%2Fetc", "salt-../etc"},
		{"ch-salt-50%2525-%C3%BC%3F%23&%3B+", "salt-50%25-ü?#&;+"}, {"ch-swisscom-.", "swisscom-."},
		{"ch-sunrise-a.b-c_d~'(x)", "sunrise-a.b-c_d~'(x)"}} {
		t.Run(tt.path, func(t *testing.T) {
			one := site.Site{ID: tt.id, Position: geo.Point{Lat: 47, Lng: 7.5}, Area: -1,
				Stations: []site.Station{{Code: tt.id}}}
			s.SetData(index.NewSet([]*index.Market{indextest.Market(t, market.CH, one)}, nil))
			if got := parse(t, get(t, s, "/antennas/"+tt.path), 200)["data"].(object)["siteKey"]; got != "ch-"+tt.id {
				t.Errorf("%s: got %v, want ch-%s", tt.path, got, tt.id)
			}
		})
	}
}
