package catalog

import (
	"errors"
	"testing"

	"relais/index"
	"relais/index/indextest"
	"relais/market"
)

// Operators of one market count in that market's departments only, and a market that is not loaded has no rows.
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
		want      [][]index.Counts
	}{
		{"all", both, map[market.Code]index.Choice{market.FR: nil, market.DROM: nil}, 101,
			[][]index.Counts{fr.Departments(), drom.Departments()}},
		{"two of one market", both, map[market.Code]index.Choice{market.FR: {1, 2}}, 101,
			[][]index.Counts{fr.Departments(1, 2)}},
		{"one market", metropolitan, map[market.Code]index.Choice{market.FR: {0}, market.DROM: {0}}, 96,
			[][]index.Counts{fr.Departments(0)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := tt.c.Departments(Departments{tt.operators})
			if err != nil || len(list) != tt.rows {
				t.Fatalf("%d rows, %v, want %d", len(list), err, tt.rows)
			}
			want, got := 0, 0
			for _, counts := range tt.want {
				for _, c := range counts {
					want += c.Total
				}
			}
			for i, d := range list {
				if got += d.Total; i > 0 && d.Code <= list[i-1].Code {
					t.Errorf("got %s after %s, want rising codes", d.Code, list[i-1].Code)
				}
			}
			if got != want || want == 0 {
				t.Errorf("%d sites, want %d", got, want)
			}
		})
	}
	var absent *NotLoadedError
	if _, err := both.Departments(Departments{}); !errors.As(err, &absent) || absent.Error() == "" {
		t.Errorf("without any market: %v, want a NotLoadedError that names one", err)
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
