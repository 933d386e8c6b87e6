package api

import (
	"errors"
	"strings"
	"testing"

	"relais/api/endpoint"
	"relais/archive/change"
	"relais/geo"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// An unknown system is an error where all systems are known, and else one that nothing matches.
func TestUnknownSystems(t *testing.T) {
	be := market.Get(market.BE)
	loaded := indextest.Market(t, market.BE, site.Site{ID: "a", Position: geo.Point{Lat: 50, Lng: 4}, Area: -1,
		Stations: []site.Station{{Code: "s"}}, Emissions: []site.Emission{{Generation: site.G4}}})
	known := new(edits).systems(loaded)
	p := &changeFilters{changeSelection: changeSelection{Technology: []string{"LTE 800"}}}
	var f change.Filter
	err := p.resolveSystems(&f, be, known, true)
	if e, ok := errors.AsType[*endpoint.ParamError](err); !ok || !strings.Contains(e.Want, "does not state it") || len(e.Allowed) > 0 {
		t.Errorf("got %+v, want that the source does not state systems", err)
	}
	if err := p.resolveSystems(&f, be, nil, false); err != nil || len(f.Technologies) != 1 {
		t.Errorf("got %v, %q, want one that matches nothing", err, f.Technologies)
	}
	p.Band = []string{"C"}
	if err := p.resolveSystems(&f, be, nil, false); err == nil {
		t.Error("a band that is not a number is accepted")
	}
}
