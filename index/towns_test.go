package index

import (
	"strings"
	"testing"

	"relais/market"
)

// Each town is in its market, and has names.
func TestTowns(t *testing.T) {
	towns, named := readTowns(), map[string]bool{}
	if len(towns) < 1000 {
		t.Fatalf("%d towns, want those of all markets", len(towns))
	}
	for _, town := range towns {
		if m := market.Get(town.market); m == nil || !m.Contains(town.center) {
			t.Errorf("%s: %v is not in %s", town.names[0], town.center, town.market)
		}
		for _, name := range town.names {
			if strings.TrimSpace(name) == "" {
				t.Errorf("%q: an empty name", town.names)
			}
			named[string(town.market)+" "+name] = true
		}
	}
	for _, name := range []string{"CH Bern", "CH Genf", "BE Hasselt", "FR Rennes"} {
		if !named[name] {
			t.Errorf("%s is not a town", name)
		}
	}
}
