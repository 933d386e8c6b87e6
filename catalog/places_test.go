package catalog

import (
	"fmt"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// Of namesakes, the place with the most sites is meant, or that of a market which has the operators.
func TestPlaceOfOperators(t *testing.T) {
	denis := func(code market.Code, department string, n int) *index.Market {
		area, _ := market.Get(code).Area(department)
		var sites []site.Site
		for i := range n {
			sites = append(sites, site.Site{ID: fmt.Sprint(100 + i), Position: geo.Point{Lat: float64(n), Lng: 3},
				Commune: "ST DENIS", PostalCode: department + "400", Area: area})
		}
		return indextest.Market(t, code, sites...)
	}
	c := &Catalog{Set: index.NewSet([]*index.Market{denis(market.FR, "93", 2), denis(market.DROM, "974", 5)}, nil)}
	for _, tt := range []struct {
		Places
		want   market.Code
		lacks  int
		others int
	}{
		{Places{Text: "saint-denis"}, market.DROM, 0, 1},
		{Places{Text: "saint-denis", Operators: []string{"SFR"}}, market.FR, 0, 1},
		{Places{Text: "saint-denis", Operators: []string{"SRR"}}, market.DROM, 0, 1},
		{Places{Text: "saint-denis", Operators: []string{"ORANGE", "sfr"}}, market.FR, 0, 1},
		{Places{Text: "saint-denis", Operators: []string{"BELL"}}, market.DROM, 1, 1},
		{Places{Text: "saint-denis", Operators: []string{"BELL", "SFR"}}, market.FR, 1, 1},
		{Places{Text: "saint-denis 974", Operators: []string{"SFR"}}, market.DROM, 1, 0},
		{Places{Text: "saint-denis", Market: market.Get(market.FR)}, market.FR, 0, 0},
		{Places{Text: "gare de saint-denis", Part: true}, market.DROM, 0, 1},
		{Places{Text: "gare de saint-denis"}, "", 0, 0},
		{Places{Text: "saint-denis, belgique", Part: true}, "", 0, 0},
	} {
		found, err := c.Places(tt.Places)
		if err != nil {
			t.Fatal(err)
		}
		best := found.Best()
		if best == nil {
			best = &NamedPlace{Place: Place{Market: &market.Market{}}}
		}
		if best.Market.Code != tt.want || best.Lacks != tt.lacks || len(best.Others) != tt.others {
			t.Errorf("%+v: got %+v, want one of %q, Lacks = %d, and %d others", tt.Places, best, tt.want, tt.lacks, tt.others)
		}
	}
}
