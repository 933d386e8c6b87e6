package tools

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// distances are the sites of a market by their distance from a point, by another formula
// than the index has.
func distances(m *index.Market, p geo.Point) map[string]float64 {
	all := map[string]float64{}
	var s site.Site
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		rad := math.Pi / 180
		a, b := p.Lat*rad, s.Position.Lat*rad
		cos := math.Sin(a)*math.Sin(b) + math.Cos(a)*math.Cos(b)*math.Cos((s.Position.Lng-p.Lng)*rad)
		all[index.Key(m.Table.Code, s.ID)] = geo.EarthRadius * math.Acos(min(1, cos))
	}
	return all
}

// Neighbours are those of a scan, the nearest first, and a site is not its own.
func TestNearby(t *testing.T) {
	r := inCountry(t)
	m := r.Set.Market(market.FR)
	var s site.Site
	m.Site(uint32(m.Len()/2), &s)
	all, own := distances(m, s.Position), index.Key(market.FR, s.ID)
	within := 0
	for _, d := range all {
		if d <= 30_000 {
			within++
		}
	}
	for _, c := range []struct {
		tool, arguments string
		total           int
	}{
		{"sites_nearby", fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":30,"limit":50}`, s.Position.Lat, s.Position.Lng),
			within},
		{"anfr_nearby_sites", fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":30,"limit":50}`, s.Position.Lat,
			s.Position.Lng), within},
		{"sites_nearby_from_site", fmt.Sprintf(`{"siteId":%q,"radiusKm":30,"limit":50}`, own), within - 1},
	} {
		o := mustCall(t, r, c.tool, c.arguments)
		if o["total"] != float64(c.total) || c.total < 2 {
			t.Errorf("%s: %v, want %d", c.tool, o["total"], c.total)
		}
		last := -1.0
		for _, item := range o["items"].([]any) {
			key, d := item.(object)["siteKey"].(string), item.(object)["distanceMeters"].(float64)
			if d < last || math.Abs(d-all[key]) > 2 || c.tool == "sites_nearby_from_site" && key == own {
				t.Errorf("%s: got %s at %v after %v, want it %v away by another formula, in order, and not the "+
					"site itself", c.tool, key, d, last, all[key])
			}
			last = d
		}
	}
}

// Pages of neighbours of a site neither skip nor repeat one.
func TestNearbySitePages(t *testing.T) {
	r := inCountry(t)
	own := keys(apiAnswer(t, r, "antennas.list", map[string]string{})["data"])[0]
	seen := map[string]bool{own: true}
	total := 0.0
	for offset := 0; ; offset += 3 {
		o := mustCall(t, r, "sites_nearby_from_site",
			fmt.Sprintf(`{"siteId":%q,"radiusKm":50,"limit":3,"offset":%d}`, own, offset))
		for _, key := range keys(o["items"]) {
			if seen[key] {
				t.Errorf("%s twice", key)
			}
			seen[key] = true
		}
		total = o["total"].(float64)
		if o["nextOffset"] == nil {
			break
		}
	}
	if float64(len(seen)-1) != total || total < 4 {
		t.Errorf("got %d neighbours, want the total %v, at least 4", len(seen)-1, total)
	}
}

// What is planned is what a scan over the emissions finds.
func TestPlanned(t *testing.T) {
	r := inCountry(t)
	m := r.Set.Market(market.FR)
	var s site.Site
	want, some := map[string]int{}, geo.Point{}
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		for _, e := range s.Emissions {
			if m.Table.Phase(e.Status) == market.Project {
				some = s.Position
			}
		}
	}
	all := distances(m, some)
	for i := range uint32(m.Len()) {
		m.Site(i, &s)
		key := index.Key(market.FR, s.ID)
		for _, e := range s.Emissions {
			if m.Table.Phase(e.Status) == market.Project && all[key] <= 50_000 {
				want[key]++
			}
		}
	}
	o := mustCall(t, r, "sites_planned_nearby",
		fmt.Sprintf(`{"lat":%v,"lon":%v,"radiusKm":50,"limit":50}`, some.Lat, some.Lng))
	if o["total"] != float64(len(want)) {
		t.Errorf("%v, want %d", o["total"], len(want))
	}
	for _, item := range o["items"].([]any) {
		if want[item.(object)["siteKey"].(string)] == 0 || len(item.(object)["planned"].([]any)) == 0 {
			t.Errorf("got %v, want a planned site of the brute force", item)
		}
	}
	if _, err := call(r, "sites_planned_nearby", `{"lat":50.8,"lon":4.3,"market":"BE"}`); err == nil ||
		!strings.Contains(err.Error(), "FR, DROM") {
		t.Errorf("BE: %v, want an error with FR, DROM", err)
	}
}

// A place leads to the same sites as its position.
func TestFromPlace(t *testing.T) {
	r := inCountry(t)
	geocoded := mustCall(t, r, "location_geocode", `{"place":"97400"}`)
	match := geocoded["match"].(object)
	at := match["coordinates"].(object)
	for _, tool := range []string{"sites_nearby", "sites_planned_nearby"} {
		from := mustCall(t, r, tool+"_from_place", `{"place":"97400","limit":5}`)
		same := mustCall(t, r, tool,
			fmt.Sprintf(`{"lat":%v,"lon":%v,"market":%q,"limit":5}`, at["lat"], at["lng"], match["market"]))
		if fmt.Sprint(from["items"]) != fmt.Sprint(same["items"]) || from["center"].(object)["market"] != "DROM" {
			t.Errorf("%s: %v\n%v, want items = %v and market = DROM", tool, from, same, same["items"])
		}
		if _, err := call(r, tool+"_from_place", `{"place":"Xanadu"}`); err == nil ||
			!strings.Contains(err.Error(), "Xanadu") {
			t.Errorf("%s: %v, want an error with Xanadu", tool, err)
		}
	}
}

// The answer for a position of another market says so, as an empty list there means nothing.
// The bounds of markets without an inventory are not known.
func TestPositionElsewhere(t *testing.T) {
	r := inCountry(t)
	if center := mustCall(t, r, "sites_nearby",
		`{"lat":38.7,"lon":-9.1,"market":"PT"}`)["center"].(object); center["note"] != nil {
		t.Errorf("Lisboa in PT: %v, want no note", center)
	}
	for _, tt := range []struct{ at, want string }{
		{`"lat":48.85,"lon":2.35`, ""},
		{`"lat":-20.9,"lon":55.46`, "market DROM"},
		{`"lat":46.9,"lon":7.4,"market":"DROM"`, "CH"},
		{`"lat":0,"lon":-150`, "nor in another"},
		{`"lat":0,"lon":0`, "market DROM."},
		{`"lat":-20.9,"lon":55.46,"market":"DROM"`, ""},
	} {
		t.Run(tt.at, func(t *testing.T) {
			for _, tool := range []string{"sites_nearby", "sites_planned_nearby", "anfr_nearby_sites"} {
				note, _ := mustCall(t, r, tool, "{"+tt.at+"}")["center"].(object)["note"].(string)
				if (note == "") != (tt.want == "") || !strings.Contains(note, tt.want) {
					t.Errorf("%s %s: got note %q, want %q in it", tool, tt.at, note, tt.want)
				}
			}
		})
	}
}
