package api

import (
	"testing"

	"relais/market"
)

func TestWholeExports(t *testing.T) {
	set := newEnv(t, market.FR, market.DROM).Set // two sites and three
	for sites, want := range []int{0, 0, 2, 4} { // a call for each market and format
		if got := WholeExports(set, sites); len(got) != want {
			t.Errorf("at most %d sites: %d exports, want %d", sites, len(got), want)
		}
	}
}
