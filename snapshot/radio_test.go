package snapshot

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/market"
	"relais/site"
)

// What is added later stands behind what was there, once, at the right site whatever
// the order of the file, and the count of sites with identifiers follows.
func TestAddRadio(t *testing.T) {
	sites := randomSites(300)
	want := map[string][]site.RadioID{}
	more := map[int][]site.RadioID{}
	for i := range sites {
		s := &sites[i]
		sites[i].Radio = slices.CompactFunc(s.Radio, func(a, b site.RadioID) bool {
			return a.Kind == b.Kind && a.Operator == b.Operator && a.Value == b.Value
		})
		want[s.ID] = slices.Clone(s.Radio)
		if i%3 == 0 {
			cell := site.RadioID{Kind: site.Cell, Operator: 1, Value: uint64(i)<<8 | 3}
			more[i] = append(slices.Clone(s.Radio), cell, cell)
			for k := range more[i] {
				more[i][k].Bits = 0 // a length that is not stated makes no other number
			}
			want[s.ID] = append(want[s.ID], cell)
		}
	}
	b := build(t, sites)
	for i := range sites {
		p := b.Place(i)
		if geo.Distance(p.Position, sites[i].Position) > 0.02 || len(p.Operators) != len(sites[i].Stations) {
			t.Fatalf("site %d: %+v", i, p)
		}
		for k, o := range p.Operators {
			if int(o) != sites[i].Stations[k].Operator {
				t.Fatalf("site %d: operators %v", i, p.Operators)
			}
		}
	}
	if err := b.AddRadio(more); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "FR.snap")
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	s, err := ReadFile(path, market.FR)
	if err != nil {
		t.Fatal(err)
	}
	var got site.Site
	with := 0
	for i := range s.Len() {
		if s.Site(i, &got); !slices.Equal(got.Radio, want[got.ID]) {
			t.Errorf("site %s: %v, want %v", got.ID, got.Radio, want[got.ID])
		}
		if len(want[got.ID]) > 0 {
			with++
		}
	}
	if s.Enriched[RadioIDs] != with {
		t.Errorf("%d sites are said to have identifiers, %d have", s.Enriched[RadioIDs], with)
	}
}

func TestAddRadioRefuses(t *testing.T) {
	b := build(t, randomSites(2))
	before := fmt.Sprint(b.radioStart, b.radioValue, b.Enriched)
	for _, tt := range []struct {
		want string
		more map[int][]site.RadioID
	}{
		{"site 2 of 2", map[int][]site.RadioID{2: {{Kind: site.Cell, Value: 1}}}},
		{"site -1 of 2", map[int][]site.RadioID{-1: nil}},
		{"site 1001: ", map[int][]site.RadioID{1: {{Kind: site.Cell, Value: 1 << 36}}}},
		{"site 1000: ", map[int][]site.RadioID{0: {{Kind: site.PCI, Operator: 4}}}},
	} {
		t.Run(tt.want, func(t *testing.T) {
			if err := b.AddRadio(tt.more); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v", tt.want, err)
			}
		})
	}
	if after := fmt.Sprint(b.radioStart, b.radioValue, b.Enriched); after != before {
		t.Error("a refused call changed the builder")
	}
}
