package main

import (
	"testing"

	"relais/folder"
	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A register of three sites, copied to every place that the Earth has for it.
func TestMultiply(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	b := snapshot.NewBuilder(market.Get(market.FR), []string{"Projet approuvé", "Techniquement opérationnel", "En service"})
	b.SourceDate = "2026-08-27"
	for i, p := range []geo.Point{{Lat: 42, Lng: -5}, {Lat: 51.2, Lng: 9.6}, {Lat: 48.8, Lng: 2.3}} {
		s := site.Site{ID: string(rune('1' + i)), Position: p, Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown,
			Stations: []site.Station{{Code: "7"}}, Radio: []site.RadioID{{Kind: site.PCI, Value: 1000}, {Kind: site.ENB, Value: 1<<20 - 1}}}
		if err := b.Add(&s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Write(folder.Dir(from).Snapshot("FR")); err != nil {
		t.Fatal(err)
	}
	const places = columns * (1 + northward + southward)
	if err := multiply(from, to, 3*places+1); err == nil {
		t.Error("more copies than places")
	}
	if err := multiply(from, to, 3*places-1); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.ReadFile(folder.Dir(to).Snapshot("FR"), market.FR)
	if err != nil {
		t.Fatal(err)
	}
	ids, at := map[string]bool{}, map[geo.Point]bool{}
	var x site.Site
	for i := range s.Len() {
		s.Site(i, &x)
		ids[x.ID], at[x.Position] = true, true
	}
	if s.Len() != 3*places-1 || len(ids) != s.Len() || len(at) != s.Len() || !ids["1"] || !at[geo.Point{Lat: 48.8, Lng: 2.3}] {
		t.Errorf("%d sites, %d ids, %d positions, want %d", s.Len(), len(ids), len(at), 3*places-1)
	}
}
