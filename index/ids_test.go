package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/market"
	"relais/site"
)

func TestByID(t *testing.T) {
	sites := register(market.FR, 3000, 9)
	m := load(t, market.FR, sites)
	holders := map[string][]string{}
	for _, s := range sites {
		for _, st := range s.Stations {
			holders[st.Code] = append(holders[st.Code], s.ID)
		}
	}
	for _, s := range sites {
		for _, name := range []string{s.ID, "fr-" + s.ID, "FR-" + s.ID} {
			if i, ok := m.ByID(name); !ok || m.Snap.ID(int(i)) != s.ID {
				t.Fatalf("ByID(%q) = false, want a site", name)
			}
		}
		for _, st := range s.Stations {
			if i, ok := m.ByID(strings.ToLower(st.Code)); !ok || !slices.Contains(holders[st.Code], m.Snap.ID(int(i))) {
				t.Fatalf("ByID(%q) of a station = false, want a site", st.Code)
			}
		}
	}
	for _, name := range []string{"", "1", "fr-", "fr-1", "drom-100", "100 ", "１００", strings.Repeat("1", 500)} {
		if i, ok := m.ByID(name); ok {
			t.Errorf("ByID(%q) = site %s, want none", name, m.Snap.ID(int(i)))
		}
	}
}

// What is found in a snapshot that is not loaded is what the site's names say.
func TestFindInASnapshot(t *testing.T) {
	sites := []site.Site{
		{ID: "77", NationalCode: "NAT1", SourceCode: "S1", Stations: []site.Station{{Code: "0750001"}}},
		{ID: "NAT1", Position: geo.Point{Lat: 48, Lng: 2}, NationalCode: "NAT2",
			Stations: []site.Station{{Code: "0750002"}}},
		{ID: "78", Position: geo.Point{Lat: 49, Lng: 3}, Stations: []site.Station{{Code: "0750003"}}},
	}
	snap := load(t, market.FR, sites).Snap
	for _, tt := range []struct{ name, want string }{
		{"77", "77"},
		{"fr-77", "77"},
		{"FR-78", "78"},
		{"nat1", "NAT1"},
		{"NAT2", "NAT1"},
		{"0750001", "77"},
		{"0750003", "78"},
		{"s1", "77"},
		{"", ""},
		{"79", ""},
		{"be-77", ""},
		{"fr-", ""},
		{"fr-0750001", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, ok := Find(snap, tt.name)
			if ok != (tt.want != "") || ok && snap.ID(int(at)) != tt.want {
				t.Errorf("ByID(%q) = site %d, %t, want %q", tt.name, at, ok, tt.want)
			}
		})
	}
}

// TestAStationOnSeveralSites answers with the first of them.
func TestAStationOnSeveralSites(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 3000, 9))
	first, shared := map[string]uint32{}, 0
	var s site.Site
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		for _, st := range s.Stations {
			if _, ok := first[st.Code]; ok {
				shared++
			} else {
				first[st.Code] = i
			}
		}
	}
	for code, want := range first {
		if got, ok := m.ByID(code); !ok || got != want {
			t.Errorf("ByID(%q) of a station = site %d, want %d", code, got, want)
		}
	}
	if shared < 10 {
		t.Errorf("%d stations are at two sites, want more", shared)
	}
}

func TestNamesAgainstAScan(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 23))
	names := make([]string, 30000)
	for i := range names {
		names[i] = []string{"", "FR-", "fr-", strings.Repeat("Long", 30)}[r.IntN(4)]
		if r.IntN(9) > 0 {
			names[i] += fmt.Sprintf("%X", r.IntN(len(names)))
		}
	}
	table := newNameTable(len(names), func(row int) string { return names[row] })
	want := map[string][]uint32{}
	for row, name := range names {
		want[strings.ToLower(name)] = append(want[strings.ToLower(name)], uint32(row))
	}
	delete(want, "")
	for name, rows := range want {
		for _, spelling := range []string{name, strings.ToUpper(name)} {
			if got := table.find(spelling); !slices.Equal(got, rows) {
				t.Fatalf("find(%q) = %v, want %v", spelling, got, rows)
			}
		}
		if got := table.find(name + "?"); got != nil {
			t.Fatalf("find(%q) = %v, want nothing", name+"?", got)
		}
	}
	if got := table.find(""); got != nil {
		t.Errorf("find(%q) = %v, want nothing", "", got)
	}
}

func TestNamesOfOneHash(t *testing.T) {
	byHash := map[uint64]string{}
	var a, b string
	for i := 0; a == ""; i++ { // about 2^16 are looked at
		b = fmt.Sprint("site", i)
		a = byHash[hash(b)]
		byHash[hash(b)] = b
	}
	names := []string{b, a, "other", a, b}
	table := newNameTable(len(names), func(row int) string { return names[row] })
	for _, tt := range []struct {
		name string
		want []uint32
	}{
		{a, []uint32{1, 3}},
		{b, []uint32{0, 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := table.find(tt.name); !slices.Equal(got, tt.want) {
				t.Errorf("%s: find() = %v, want %v", tt.name, got, tt.want)
			}
		})
	}
	one := newNameTable(1, func(int) string { return a })
	if got := one.find(b); got != nil {
		t.Errorf("find(%q) has the row of %q, whose hash is the same, want nothing", b, a)
	}
}
