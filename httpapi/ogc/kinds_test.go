package ogc

import (
	"slices"
	"testing"
)

func TestSitesOfSector(t *testing.T) {
	for id, want := range map[string]string{"fr-1-ORANGE-90": "fr-1", "fr-1-90": "fr-1", "ch-ab-12-SWISSCOM-0": "ch-ab-12",
		"ch-ab-12-350": "ch-ab-12"} {
		if got := sitesOfSector(id); !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %s among them", id, got, want)
		}
	}
	if got := sitesOfSector("none"); got != nil {
		t.Errorf("an id without a dash has the sites %q", got)
	}
}
