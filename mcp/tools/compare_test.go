package tools

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"relais/market"
	"relais/site"
)

// Counts are those of a scan, and of the API's list.
func TestCompareAgainstAScan(t *testing.T) {
	sites, rows := radioTown(rand.New(rand.NewPCG(81, 82)))
	r := radioReading(t, sites, rows)
	c := radioOf[Comparison](t, r, "markets_compare_coverage", `{"markets":" fr , PT,FR,CH"}`)
	if len(c.Markets) != 3 || c.Markets[1].Market != market.PT || len(c.Notes) != 1 || len(c.Sources) != 3 {
		t.Fatalf("got %+v, want len(c.Markets) = 3, Market = %v, len(c.Notes) = 1 and len(c.Sources) = 3", c,
			market.PT)
	}
	if pt := c.Markets[1]; pt.Loaded || pt.Sites != nil || c.Sources[1].Unavailable == nil {
		t.Errorf("got %+v, want PT not loaded and its source unavailable", pt)
	}
	if ch := c.Markets[2]; ch.Loaded || ch.Sites != nil || ch.Date != nil || ch.Operators[0].Sites != nil {
		t.Errorf("got %+v, want CH not loaded, without counts", ch)
	}
	fr := c.Markets[0]
	measured, unknown := r.Measures.Count(market.FR, "coverage"), 0
	if !fr.Loaded || *fr.Sites != len(sites) || *fr.Date != "2026-08-27" || fr.Points.Count != measured ||
		*fr.Points.Oldest != "2026-08-01" || *fr.Points.Newest != "2026-08-28" || fr.Tests.Count != 0 ||
		fr.Tests.Newest != nil || fr.Others != nil {
		t.Errorf("got %+v, want %d sites and %d points from 2026-08-01 to 2026-08-28", fr, len(sites), measured)
	}
	sum := 0
	for o, operator := range fr.Operators {
		list := apiAnswer(t, r, "antennas.list", map[string]string{"operator": operator.Operator})["meta"].(object)
		if float64(*operator.Sites) != list["totalMatched"] {
			t.Errorf("%s: %d sites, the list has %v", operator.Operator, *operator.Sites, list["totalMatched"])
		}
		for _, g := range operator.Generations {
			real, projects := scanned(sites, o, g.Generation)
			if *g.Sites != real || *g.Projects != projects {
				t.Errorf("%s %s: %d and %d, want %d and %d", operator.Operator, g.Generation, *g.Sites, *g.Projects,
					real, projects)
			}
			sum += g.Points
			if g.Generation == "" {
				unknown += g.Points
			}
		}
	}
	if sum != measured || unknown == 0 {
		t.Errorf("%d points by operator, %d in all; %d of no generation, want %d and not 0", sum, measured, unknown,
			measured)
	}
	if all := mustCall(t, r, "markets_compare_coverage", `{}`); len(all["markets"].([]any)) != 1 ||
		fmt.Sprint(all["notes"]) != "[]" {
		t.Errorf("got %v, want one market and no notes", all)
	}
}

// scanned counts the sites of an operator with a generation in operation, and those with
// it as a project only.
func scanned(sites []site.Site, operator int, generation string) (real, projects int) {
	for _, s := range sites {
		there, works := false, false
		for _, e := range s.Emissions {
			if s.Stations[e.Station].Operator == operator && e.Generation.String() == generation {
				there, works = true, works || e.Status > 0
			}
		}
		switch {
		case works:
			real++
		case there:
			projects++
		}
	}
	return real, projects
}
