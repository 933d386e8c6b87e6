package index

import (
	"math"
	"slices"
	"testing"

	"relais/geo"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// placed makes sites of communes in departments.
func placed(list ...site.Site) []site.Site {
	for i := range list {
		list[i].ID = string(rune('a' + i))
		list[i].Height, list[i].AntennaHeight = site.Unknown, site.Unknown
		list[i].Stations = []site.Station{{Code: "1"}}
		list[i].Emissions = []site.Emission{{System: "LTE 800", Generation: site.G4}}
	}
	return list
}

func department(t *testing.T, code string) int {
	t.Helper()
	i, ok := market.Get(market.FR).Area(code)
	if !ok {
		t.Fatal(code)
	}
	return i
}

func TestPlaces(t *testing.T) {
	at := func(lat, lng float64, commune, postal, dept string) site.Site {
		return site.Site{Position: geo.Point{Lat: lat, Lng: lng}, Commune: commune, PostalCode: postal,
			Area: department(t, dept)}
	}
	m := load(t, market.FR, placed(
		at(45.4, 4.4, "ST ETIENNE", "42000", "42"), at(45.6, 4.2, "ST ETIENNE", "42100", "42"),
		at(49.3, 1.1, "ST ETIENNE DU ROUVRAY", "76800", "76"),
		at(48.86, 2.34, "PARIS 01", "75001", "75"), at(48.85, 2.36, "PARIS 05", "75005", "75"),
		at(48.93, 2.35, "ST DENIS", "93200", "93"),
		at(48.94, 2.36, "ST DENIS", "93200", "93"), at(47.9, 2.1, "ST DENIS", "45550", "45"),
	))
	for _, c := range []struct {
		text, name string
		kind       PlaceKind
		match, n   int
		lat        float64
	}{
		{"Saint-Étienne", "ST ETIENNE", Commune, 0, 2, 45.5},
		{"st etienne du", "ST ETIENNE DU ROUVRAY", Commune, 1, 1, 49.3},
		{"paris", "Paris", AreaPlace, 0, 2, 48.855},
		{"PARIS 05", "PARIS 05", Commune, 0, 1, 48.85},
		{"saint denis", "ST DENIS", Commune, 0, 2, 48.935},
		{"saint denis 45", "ST DENIS", Commune, 2, 1, 47.9},
		{"saint denis loiret", "ST DENIS", Commune, 2, 1, 47.9},
		{"42100", "42100", PostalCode, 0, 1, 45.6},
		{"42", "Loire", AreaPlace, 0, 2, 45.5},
	} {
		got, _ := m.Places(c.text, 3)
		if len(got) == 0 || got[0].Name != c.name || got[0].Kind != c.kind || got[0].Match != c.match ||
			got[0].Sites != c.n || math.Abs(got[0].Center.Lat-c.lat) > 1e-6 {
			t.Errorf("Places(%q) = %+v, want %s %q first with match %d and %d sites about latitude %v",
				c.text, got, c.kind, c.name, c.match, c.n, c.lat)
		}
	}
	if got, n := m.Places("paris", 9); n != 4 || got[1].Kind != Commune || got[1].Name != "PARIS" ||
		!slices.Equal(got[1].PostalCodes, []string{"75001", "75005"}) {
		t.Errorf("places of the city with districts = %+v, want the city first", got)
	}
	for _, text := range []string{"", "  ", "xanadu", "denis zzz", "\x00"} {
		if got, n := m.Places(text, 3); len(got)+n != 0 {
			t.Errorf("Places(%q) = %+v, want nothing", text, got)
		}
	}
}

// Counts and centres of places are those of a scan over the sites.
func TestPlacesAgree(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 600, 5))
	for _, name := range communes {
		if name == "" {
			continue
		}
		found, total := m.Places(name, 200)
		if total != len(found) {
			t.Errorf("Places(%q) has %d places and the total %d, want as many", name, len(found), total)
		}
		for _, p := range found {
			if p.Kind != Commune || p.Match > 0 {
				continue
			}
			n, lat, lng := 0, 0.0, 0.0
			for i := range uint32(m.Len()) {
				var s site.Site
				m.Site(i, &s)
				if fold.Equal(s.Commune, p.Name) && s.Area == p.Area {
					n, lat, lng = n+1, lat+s.Position.Lat, lng+s.Position.Lng
				}
			}
			if n != p.Sites || n == 0 || math.Abs(lat/float64(n)-p.Center.Lat) > 1e-9 ||
				math.Abs(lng/float64(n)-p.Center.Lng) > 1e-9 {
				t.Errorf("place = %+v, a scan finds %d sites about %v, %v", p, n, lat/float64(n), lng/float64(n))
			}
		}
	}
}

// The sites of a place are those whose register names it: a commune of one area, a city with
// its districts, an area, a region.
func TestPhraseOfAPlace(t *testing.T) {
	at := func(lat float64, commune, postal, dept string) site.Site {
		return site.Site{Position: geo.Point{Lat: lat, Lng: 2}, Commune: commune, PostalCode: postal,
			Area: department(t, dept)}
	}
	m := load(t, market.FR, placed(
		at(48.1, "RENNES", "35000", "35"), at(48.2, "RENNES", "35700", "35"), at(48.5, "VITRE", "35500", "35"),
		at(46.3, "VITRE", "79370", "79"),
		at(48.4, "BREST", "29200", "29"), at(46.9, "BRETAGNE", "36110", "36"), at(48.8, "PARIS 01", "75001", "75"),
		at(48.9, "PARIS 15", "75015", "75"),
	))
	sitesOf := func(q Query) string {
		var list []byte
		hits := m.Find(q, 0, 99)
		for _, i := range hits.Sites {
			list = append(list, m.Snap.ID(int(i))...)
		}
		slices.Sort(list)
		return string(list)
	}
	for _, c := range []struct {
		text string
		kind PlaceKind
		want string
	}{
		{"rennes", Commune, "ab"}, {"vitre 35", Commune, "c"}, {"vitre 79", Commune, "d"}, {"35700", PostalCode, "b"},
		{"ille et vilaine", AreaPlace, "abc"}, {"bretagne", Region, "abce"}, {"IDF", Region, "gh"},
		{"paris 15", Commune, "h"},
	} {
		found, _ := m.Places(c.text, 1)
		if len(found) == 0 || found[0].Kind != c.kind {
			t.Errorf("Places(%q) = %+v, want a %s", c.text, found, c.kind)
			continue
		}
		if got := sitesOf(Query{Filter: All, Place: &found[0]}); got != c.want || len(got) != found[0].Sites {
			t.Errorf("%s: sites %q, and Sites = %d; want %q", c.text, got, found[0].Sites, c.want)
		}
	}
	found, total := m.Places("paris", 9)
	if total != 4 || found[0].Kind != AreaPlace || found[1].Name != "PARIS" {
		t.Fatalf("Places(\"paris\") = %+v, want 4 with the area and then the city first", found)
	}
	if got := sitesOf(Query{Filter: All, Place: &found[1]}); got != "gh" {
		t.Errorf("sites of the city PARIS = %q, want \"gh\"", got)
	}
	if found, _ := m.Places("bretagne", 9); len(found) != 2 || found[1].Kind != Commune {
		t.Errorf("Places(\"bretagne\") = %+v, want the region and the commune", found)
	}
}
