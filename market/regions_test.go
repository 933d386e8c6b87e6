package market

import "testing"

// Every department of metropolitan France is in exactly one region; other areas are not.
func TestRegionOfEveryArea(t *testing.T) {
	fr := Get(FR)
	areas := 0
	for _, r := range fr.Regions {
		for _, code := range r.Codes {
			areas++
			i, ok := fr.Area(code)
			if !ok || fr.Areas[i].Code != code {
				t.Errorf("region %s has the area %q, want one of the market", r.Label, code)
				continue
			}
			if at, ok := fr.RegionOf(i); !ok || fr.Regions[at].Label != r.Label {
				t.Errorf("area %s is in the regions %v, want one", code, at)
			}
		}
	}
	if areas != 96 || areas != len(fr.Areas) || len(fr.Regions) != 13 {
		t.Errorf("%d areas in %d regions, want 96, %d and 13", areas, len(fr.Regions), len(fr.Areas))
	}
	for _, m := range All {
		if _, ok := m.RegionOf(-1); ok || m.Code != FR && len(m.Regions) > 0 {
			t.Errorf("%s has regions, want none", m.Code)
		}
	}
}

func TestRegionNamed(t *testing.T) {
	for _, tt := range []struct{ name, label string }{
		{"bretagne", "Bretagne"},
		{"ile de france", "Île-de-France"},
		{"IDF", "Île-de-France"},
		{"paca", "Provence-Alpes-Côte d'Azur"},
		{"Provence Alpes Cote d'Azur", "Provence-Alpes-Côte d'Azur"},
		{"grand est", "Grand Est"},
		{"", ""},
		{"bret", ""},
		{"35", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i, ok := Get(FR).RegionNamed(tt.name)
			if ok != (tt.label != "") || ok && Get(FR).Regions[i].Label != tt.label {
				t.Errorf("region named %q: got %v, %v, want %q", tt.name, i, ok, tt.label)
			}
		})
	}
	if _, ok := Get(CA).RegionNamed("bretagne"); ok {
		t.Error("Canada has the region Bretagne, want none")
	}
}

func TestRegionsAndAreasNamed(t *testing.T) {
	for _, c := range []struct {
		market    Code
		text, was string
	}{
		{FR, "35", "35"}, {FR, "ille-et-vilaine", "35"}, {FR, "Cote d’or", "21"}, {FR, "2a", "2A"},
		{FR, "Bretagne", ""}, {FR, "", ""}, {FR, "ille", ""},
		{DROM, "la reunion", "974"}, {DROM, "974", "974"}, {CA, "Québec", "QC"}, {CA, "qc", "QC"}, {CH, "Bern", ""},
	} {
		i, ok := Get(c.market).AreaNamed(c.text)
		if ok != (c.was != "") || ok && Get(c.market).Areas[i].Code != c.was {
			t.Errorf("%s: area named %q: got %d, %v, want %q", c.market, c.text, i, ok, c.was)
		}
	}
}
