package indextest

import (
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// Towns is a register of the default market for questions as people type them: a commune with several postal codes,
// communes that are called like a region and an operator, namesakes, districts, and streets that are called like a commune.
// The ids are those of the table with four zeros.
func Towns(t testing.TB) *index.Market {
	t.Helper()
	fr := market.Get(market.Default)
	var sites []site.Site
	for _, s := range []struct {
		id, commune, postal, department, address, operator string
		lat                                                float64
		systems                                            []string // with a minus before that of a project
	}{
		{"1", "RENNES", "35000", "35", "1 RUE HAUTE", "ORANGE", 48.100, []string{"LTE 700"}},
		{"2", "RENNES", "35700", "35", "18 PLACE DE LA GARE", "FREE", 48.110, []string{"LTE 700", "5G NR 3500"}},
		{"3", "RENNES", "35000", "35", "2 RUE BASSE", "ORANGE", 48.130, []string{"5G NR 700"}},
		{"4", "VITRE", "35500", "35", "RUE DE RENNES", "ORANGE", 48.120, []string{"LTE 800"}},
		{"5", "VITRE", "35500", "35", "RUE NEUVE", "SFR", 48.121, []string{"5G NR 2100", "LTE 700"}},
		{"6", "POCE LES BOIS", "35500", "35", "LA HUNAUDIERE", "ORANGE", 48.140, []string{"LTE 800"}},
		{"7", "TOURS", "37200", "37", "4 AV GUSTAVE EIFFEL", "FREE", 47.300, []string{"LTE 800"}},
		{"8", "BREST", "29200", "29", "29 R DUQUESNE", "BOUYGUES", 48.390, []string{"LTE 800", "-5G NR 3500"}},
		{"9", "BREST", "29200", "29", "64 R D'ARMORIQUE", "BOUYGUES", 48.391, []string{"5G NR 3500"}},
		{"10", "BRETAGNE", "36110", "36", "BRISEVENT", "SFR", 46.990, []string{"LTE 800"}},
		{"11", "ORANGE", "84100", "84", "RUE DE L'ARC", "FREE", 44.130, []string{"LTE 800"}},
		{"12", "PARIS 15", "75015", "75", "107 RUE BLOMET", "FREE", 48.840, []string{"LTE 800"}},
		{"13", "LYON 03", "69003", "69", "RUE DUGUESCLIN", "FREE", 45.750, []string{"LTE 800"}},
		{"14", "VALENCE", "26000", "26", "PLACE DES CLERCS", "FREE", 44.930, []string{"LTE 800"}}, // 26000 is a band too
		{"30", "ST DENIS", "93200", "93", "", "SFR", 48.930, nil},
		{"31", "ST DENIS", "93200", "93", "", "SFR", 48.931, nil},
		{"32", "ST DENIS", "11310", "11", "", "SFR", 43.360, nil},
		{"33", "ST DENIS EN VAL", "45560", "45", "", "SFR", 47.870, nil},
		{"34", "LA RUE ST DENIS", "45000", "45", "", "SFR", 47.900, nil},
		{"35", "CAGNY", "14630", "14", "", "SFR", 49.140, nil},
		{"1750010", "PARIS 01", "75001", "75", "", "SFR", 48.860, nil}, // whose id has the postal code
		{"1750011", "VILLEPARISIS", "77270", "77", "", "SFR", 48.940, nil},
	} {
		area, _ := fr.Area(s.department)
		operator, ok := fr.Operator(s.operator)
		if !ok {
			t.Fatalf("operator %s is unknown", s.operator)
		}
		one := site.Site{ID: s.id + "0000", Position: geo.Point{Lat: s.lat, Lng: -1.6}, Commune: s.commune,
			PostalCode: s.postal, Area: area, Address: [3]string{s.address},
			Stations: []site.Station{{Code: "00" + s.id, Operator: operator}}}
		for _, name := range s.systems {
			name, project := strings.CutPrefix(name, "-")
			e := site.Emission{System: name, Generation: site.G4, Status: 2}
			if strings.HasPrefix(name, "5G") {
				e.Generation = site.G5
			}
			if project {
				e.Status = 0
			}
			one.Emissions = append(one.Emissions, e)
		}
		sites = append(sites, one)
	}
	return Market(t, market.Default, sites...)
}
