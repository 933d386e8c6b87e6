package tiles

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/geo"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

func TestPlaces(t *testing.T) {
	at := func(id, commune string, lat, lng float64) site.Site {
		return site.Site{ID: id, Commune: commune, Position: geo.Point{Lat: lat, Lng: lng}, Stations: []site.Station{{}},
			Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4}}}
	}
	m := indextest.Market(t, market.FR, at("1", "RENNES", 48.11, -1.68), at("2", "RENNES", 48.13, -1.68),
		at("3", "CESSON-SEVIGNE", 48.12, -1.6), at("4", "BREST", 48.39, -4.49), at("5", "", 48.12, -1.68))
	center := geo.Point{Lat: 48.12, Lng: -1.68}
	o := tileOf(center, 10)
	got := map[string]uint64{}
	for _, f := range decode(t, Places(m, Tile{10, o.X, o.Y}))["places"] {
		got[f.Properties["name"].(string)] = number(f, "n")
		if f.Properties["name"] == "Rennes" {
			checkPlace(t, f, o, center)
		}
	}
	if diff := cmp.Diff(map[string]uint64{"Rennes": 2, "Cesson-Sevigne": 1}, got); diff != "" {
		t.Errorf("communes (-want +got)\n%s", diff)
	}
	below := tileOf(center, withPlaces-1)
	if tile := Places(m, Tile{withPlaces - 1, below.X, below.Y}); len(tile) > 0 {
		t.Errorf("zoom %d: %d bytes, want none", withPlaces-1, len(tile))
	}
}
