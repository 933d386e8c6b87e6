package catalog

import (
	"errors"
	"slices"
	"testing"

	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// Operators of one market count in that market's departments only, each site once, and a market that is not loaded has
// no rows.
func TestDepartments(t *testing.T) {
	set, err := indextest.Country(300)
	if err != nil {
		t.Fatal(err)
	}
	fr, drom := set.Market(market.FR), set.Market(market.DROM)
	both, metropolitan := &Catalog{Set: set}, &Catalog{Set: index.NewSet([]*index.Market{fr}, nil)}
	for _, tt := range []struct {
		name      string
		c         *Catalog
		operators map[market.Code]index.Choice
		rows      int
	}{
		{"all", both, map[market.Code]index.Choice{market.FR: nil, market.DROM: nil}, 101},
		{"one of each", both, map[market.Code]index.Choice{market.FR: {2}, market.DROM: {0}}, 101},
		{"two of one", both, map[market.Code]index.Choice{market.FR: {1, 2}}, 101},
		{"one market", metropolitan, map[market.Code]index.Choice{market.FR: nil, market.DROM: nil}, 96},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := tt.c.Departments(Departments{tt.operators})
			if err != nil || len(list) != tt.rows {
				t.Fatalf("%d rows, %v, want %d", len(list), err, tt.rows)
			}
			want := map[string]int{}
			for _, m := range []*index.Market{fr, drom} {
				if operators, has := tt.operators[m.Table.Code]; has && tt.c.Set.Market(m.Table.Code) != nil {
					countSites(m, operators, want)
				}
			}
			for i, d := range list {
				if d.Total != want[d.Code] || d.Total != d.InService+d.Operational+d.Projects {
					t.Errorf("%s: %+v, want %d sites", d.Code, d.Counts, want[d.Code])
				}
				if i > 0 && d.Code <= list[i-1].Code {
					t.Errorf("got %s after %s, want rising codes", d.Code, list[i-1].Code)
				}
			}
		})
	}
	// Zeros would look like an operator without antennas.
	_, err = metropolitan.Departments(Departments{map[market.Code]index.Choice{market.DROM: {6}}})
	if e, ok := errors.AsType[*NotLoadedError](err); !ok || e.Market != drom.Table {
		t.Errorf("operators of a market that is not loaded: error %v, want a NotLoadedError of it", err)
	}
	if _, err := new(Catalog).Departments(Departments{}); !errors.Is(err, ErrLoading) {
		t.Errorf("without registers: error %v, want ErrLoading", err)
	}
}

// countSites counts the sites of each area that have an emission of one of the operators; nil for any.
func countSites(m *index.Market, operators index.Choice, by map[string]int) {
	var s site.Site
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		for _, e := range s.Emissions {
			if operator := s.Stations[e.Station].Operator; s.Area >= 0 && (operators == nil || slices.Contains(operators, operator)) {
				by[m.Table.Areas[s.Area].Code]++
				break
			}
		}
	}
}
