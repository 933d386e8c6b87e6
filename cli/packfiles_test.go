package cli

import (
	"strings"
	"testing"

	"relais/address"
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

// The French text of a pack has plurals, and numbers as French writes them.
func TestContentOfPackInFrench(t *testing.T) {
	got := strings.Join(contenu(&admin.PackReport{
		Markets: []admin.PackMarket{{Market: "FR", SourceDate: "2026-01-15", Sites: 87}}, Archives: 1, Photos: 5, Speedtests: 2,
		CoveragePoints: 1572, Addresses: &address.Info{Streets: 1234567}, Coverage: &admin.PackCoverage{Maps: 4}, Streets: 12_340_000,
	}), ", ")
	const want = "87 sites de FR (2026-01-15), 1 archive, 5 photos, 2 tests de débit, 1\u202f572 points de couverture, " +
		"1\u202f234\u202f567 rues des adresses, 4 cartes officielles de couverture, le plan des rues (12,3 Mo)"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	one := strings.Join(contenu(&admin.PackReport{Speedtests: 1, Coverage: &admin.PackCoverage{Maps: 1}}), ", ")
	if one != "1 test de débit, 1 carte officielle de couverture" {
		t.Errorf("got %q", one)
	}
}
