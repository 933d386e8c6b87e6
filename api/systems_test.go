package api

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
		name    string
		choices index.Choices
		params  emissionParams
		want    int
	}{
		{"nothing", index.Choices{}, emissionParams{}, 0},
		{"one operator", index.Choices{Operators: index.Choice{2}}, emissionParams{}, 0},
		{"two operators", index.Choices{Operators: index.Choice{2, 3}}, emissionParams{}, 2},
		{"two generations, two bands", index.Choices{Generations: index.Choice{4, 5}}, emissionParams{Band: []string{"700", "800"}}, 4},
		{"a technology in many spellings", index.Choices{}, emissionParams{
			Technology: []string{"LTE 800", "LTe 800", "Lte 800", "lte 800"}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := eachValue(tt.choices, tt.params, m); len(got) != tt.want {
				t.Errorf("conditions = %v, want %d", got, tt.want)
			}
		})
	}
}
