package cli

import (
	"strings"
	"testing"

	"relais/admin"
	"relais/coverage"
)

// The licences of a pack name each publisher of its coverage maps.
func TestLicencesOfPackedMaps(t *testing.T) {
	arcep := coverage.Publisher{Authority: "ARCEP", Source: "Couvertures théoriques", Licence: "Licence Ouverte 2.0"}
	bakom := coverage.Publisher{Authority: "BAKOM/OFCOM", Source: "Mobilfunknetz", Licence: "Open use"}
	text := licencesOf(&admin.PackReport{Coverage: &admin.PackCoverage{Edition: "2026-06-30",
		Publishers: []coverage.Publisher{arcep, bakom}}})
	const want = "Cartes de couverture, 2026-06-30\n  Couvertures théoriques\n  ARCEP\n  Licence Ouverte 2.0\n" +
		"  Mobilfunknetz\n  BAKOM/OFCOM\n  Open use\n"
	if !strings.Contains(text, want) {
		t.Errorf("got %s, want %q", text, want)
	}
}
