package web

import (
	"strings"
	"testing"

	"relais/archive/change"
	"relais/catalog"
	"relais/geo"
	"relais/market"
	"relais/site"
)

// The title of an entry says which systems it is about, or of many their generations.
func TestNewsSystems(t *testing.T) {
	for _, tt := range []struct{ systems, want string }{
		{"", ""}, {"5G NR 3500", "5G NR 3500"}, {"LTE 800,LTE 800", "LTE 800"}, {"LTE 800,5G NR 700", "LTE 800,5G NR 700"},
		{"5G NR 700,LTE 800,LTE 1800", "4G,5G"}, {"-", "3G"},
	} {
		t.Run(tt.systems, func(t *testing.T) {
			changes := []change.Record{{Kind: change.SiteAdded}}
			for name := range strings.SplitSeq(tt.systems, ",") {
				c := change.Record{Kind: change.SystemAdded, Technology: name, Generation: site.G4}
				switch {
				case name == "":
					continue
				case name == "-": // a register without systems
					c.Technology, c.Generation = "", site.G3
				case strings.HasPrefix(name, "5G"):
					c.Generation = site.G5
				}
				changes = append(changes, c)
			}
			if got := strings.Join(newsSystems(changes), ","); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Degrees of the south and west are not said to be north and east.
func TestNewsBox(t *testing.T) {
	for _, tt := range []struct {
		w                        words
		south, north, west, east float64
		want                     string
	}{
		{english, 47, 48, -2, -1, "between 47° and 48° north, 2° and 1° west"},
		{french, 47, 48, -2, -1, "entre 47° et 48° nord, 2° et 1° ouest"},
		{english, -21.5, -20.8, 55, 56, "between 21.5° and 20.8° south, 55° and 56° east"},
		{english, 0, 1, -1, 0.5, "between 0° and 1° north, 1° west and 0.5° east"},
		{french, -1, 1, -1, 0, "entre 1° sud et 1° nord, 1° et 0° ouest"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			s := catalog.ChangeSelection{Market: market.Get(market.FR)}
			s.Filter.Box = &geo.Box{South: tt.south, North: tt.north, West: tt.west, East: tt.east}
			if got := tt.w.newsWhat(nil, &s); !strings.HasSuffix(got, " · "+tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
