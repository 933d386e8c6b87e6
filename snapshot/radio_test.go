package snapshot

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/geo"
	"relais/market"
	"relais/site"
)

// Identifiers that are added follow those of their site, each once, whatever the order of
// the file is. The count of sites with identifiers includes them.
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
				more[i][k].Bits = 0 // an identifier without a length is the same
			}
			want[s.ID] = append(want[s.ID], cell)
		}
	}
	b := build(t, sites)
	for i := range sites {
		p := b.Place(i)
		if geo.Distance(p.Position, sites[i].Position) > 0.02 || len(p.Operators) != len(sites[i].Stations) {
			t.Fatalf("place of site %d = %+v, want %v with %d operators", i, p, sites[i].Position,
				len(sites[i].Stations))
		}
		for k, o := range p.Operators {
			if int(o) != sites[i].Stations[k].Operator {
				t.Fatalf("site %d: operator %d = %d, want %d", i, k, o, sites[i].Stations[k].Operator)
			}
		}
	}
	must(t, b.AddRadio(more))
	path := filepath.Join(t.TempDir(), "FR.snap")
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	s, err := ReadFile(path, market.FR)
	must(t, err)
	var got site.Site
	with := 0
	for i := range s.Len() {
		s.Site(i, &got)
		if diff := cmp.Diff(want[got.ID], got.Radio, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("site %s: radio identifiers (-want +got)\n%s", got.ID, diff)
		}
		if len(want[got.ID]) > 0 {
			with++
		}
	}
	if s.Enriched[RadioIDs] != with {
		t.Errorf("Enriched[%q] = %d, want %d", RadioIDs, s.Enriched[RadioIDs], with)
	}
}

func TestAddRadioRefuses(t *testing.T) {
	b := build(t, randomSites(2))
	before := fmt.Sprint(b.radioStart, b.radioValue, b.Enriched)
	for _, c := range []struct {
		name string
		more map[int][]site.RadioID
		want string
	}{
		{"after the last site", map[int][]site.RadioID{2: {{Kind: site.Cell, Value: 1}}}, "site 2 of 2"},
		{"before the first site", map[int][]site.RadioID{-1: nil}, "site -1 of 2"},
		{"cell over 36 bits", map[int][]site.RadioID{1: {{Kind: site.Cell, Value: 1 << 36}}}, "site 1001: "},
		{"unknown operator", map[int][]site.RadioID{0: {{Kind: site.PCI, Operator: 4}}}, "site 1000: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := b.AddRadio(c.more); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("AddRadio() = %v, want an error with %q", err, c.want)
			}
		})
	}
	if after := fmt.Sprint(b.radioStart, b.radioValue, b.Enriched); after != before {
		t.Errorf("after refused calls the builder has %s, want %s", after, before)
	}
}
