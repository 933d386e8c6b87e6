package catalog

import (
	"testing"

	"relais/index"
	"relais/index/indextest"
	"relais/market"
)

// Together has a condition for each value that says something else than the others.
func TestEachValue(t *testing.T) {
	set, err := indextest.Country(100)
	if err != nil {
		t.Fatal(err)
	}
	m := set.Market(market.FR)
	for _, tt := range []struct {
		name      string
		selection Selection
		want      int
	}{
		{"nothing", Selection{}, 0},
		{"one operator", Selection{Operators: index.Choice{2}}, 0},
		{"two operators", Selection{Operators: index.Choice{2, 3}}, 2},
		{"two generations, two bands", Selection{Generations: index.Choice{4, 5}, Bands: []string{"700", "800"}}, 4},
		{"a technology in many spellings", Selection{Technologies: []string{"LTE 800", "LTe 800", "Lte 800", "lte 800"}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.selection.eachValue(m); len(got) != tt.want {
				t.Errorf("conditions = %v, want %d", got, tt.want)
			}
		})
	}
}
