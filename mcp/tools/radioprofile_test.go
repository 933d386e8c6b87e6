package tools

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/internal/tier"
	"relais/radio"
	"relais/site"
)

// profileSites are four sites two kilometres from each other, each with ORANGE and SFR:
// one whose cell is stated, one with an eNB and a PCI, one with a gNB of 24 bits and one
// of an unknown length, and one that measurements name.
func profileSites(t *testing.T) *Reading {
	t.Helper()
	sites := make([]site.Site, 4)
	for i := range sites {
		sites[i] = site.Site{ID: fmt.Sprint(i + 1), Position: away(radioHome, 2000*float64(i), 0)}
		emits(&sites[i], orange, "LTE 800", site.G4, 2)
		emits(&sites[i], orange, "5G NR 3500", site.G5, 0)
		emits(&sites[i], sfr, "LTE 800", site.G4, 2)
	}
	for k := range sites[0].Emissions {
		states(&sites[0], k, 0, 120, 240)
	}
	sites[0].Radio = []site.RadioID{{Kind: site.Cell, Operator: orange, Value: 1009<<8 | 1}}
	sites[1].Radio = []site.RadioID{{Kind: site.ENB, Operator: orange, Value: 1010},
		{Kind: site.PCI, Operator: orange, Value: 12}, {Kind: site.PCI, Operator: orange, Value: 13}}
	sites[2].Radio = []site.RadioID{{Kind: site.GNB, Operator: orange, Value: 70000, Bits: 24},
		{Kind: site.GNB, Operator: orange, Value: 90000}}
	return radioReading(t, sites, []radioRow{
		{at: away(sites[3].Position, 100, 10), operator: orange, tech: "LTE", cell: 1011<<8 | 2, pci: 20},
		{at: away(sites[3].Position, 90, 10), operator: orange, tech: "NR", gnb: 71000},
	})
}

type partPoints map[radio.PartName]float64

// documented are the points that the parts can have, as the tool's description says.
var documented = partPoints{radio.Identity: 50, radio.PCI: 15, radio.Distance: 15,
	radio.Technology: 10, radio.Sector: 10}

// Scores as they follow from the documented formula, by hand.
func TestProfileScores(t *testing.T) {
	r := profileSites(t)
	at := func(metres, degrees float64) string {
		p := away(radioHome, metres, degrees)
		return fmt.Sprintf(`"lat":%v,"lon":%v,`, p.Lat, p.Lng)
	}
	for _, tt := range []struct {
		arguments string
		site      string
		score     float64
		points    partPoints
	}{
		{`"cellId":258305`, "fr-1", 100, partPoints{radio.Identity: 50}},
		{`"node":1010`, "fr-2", 90, partPoints{radio.Identity: 45}},
		{`"cellId":258563`, "fr-2", 90, partPoints{radio.Identity: 45}},
		{`"cellId":258563,"node":1010,"technology":"4G","pci":13`, "fr-2", 93.3,
			partPoints{radio.Identity: 45, radio.Technology: 10, radio.PCI: 15}},
		{`"node":1010,"pci":14`, "fr-2", 69.2, partPoints{radio.Identity: 45, radio.PCI: 0}},
		{`"node":1010,"technology":"NR"`, "fr-2", 80, partPoints{radio.Identity: 45, radio.Technology: 3}},
		{`"node":70000,"technology":"NR","operator":"ORANGE","pci":0`, "fr-3", 64,
			partPoints{radio.Identity: 45, radio.Technology: 3, radio.PCI: 0}},
		{`"node":70000,"technology":"5G"`, "fr-3", 80, partPoints{radio.Identity: 45, radio.Technology: 3}},
		// 70000 and 12 bits
		{`"cellId":286720009`, "fr-3", 90, partPoints{radio.Identity: 45}},
		// 90000 and 11 bits, which may be
		{`"cellId":184320009`, "fr-3", 40, partPoints{radio.Identity: 20}},
		// learned
		{`"cellId":258818`, "fr-4", 80, partPoints{radio.Identity: 40}},
		// of its eNB
		{`"cellId":258819`, "fr-4", 70, partPoints{radio.Identity: 35}},
		// and its gNB
		{`"node":71000`, "fr-4", 70, partPoints{radio.Identity: 35}},
		// learned as well
		{`"node":1011,"pci":20`, "fr-4", 72.3, partPoints{radio.Identity: 35, radio.PCI: 12}},
		// 15/2, 10×(1-30/60)
		{at(1000, 30) + `"operator":"ORANGE"`, "fr-1", 50, partPoints{radio.Distance: 7.5, radio.Sector: 5}},
		{at(500, 118) + `"operator":"SFR"`, "fr-1", 78.7, partPoints{radio.Distance: 10, radio.Sector: 9.67}},
		{at(20, 60) + `"operator":"SFR"`, "fr-1", 98.8, partPoints{radio.Distance: 14.71, radio.Sector: 10}},
		{at(4000, 0) + `"node":70000`, "fr-3", 80,
			partPoints{radio.Identity: 45, radio.Distance: 15, radio.Sector: 0}},
		{at(3000, 0) + `"cellId":258305,"technology":"LTE","pci":1`, "fr-1", 73.8,
			partPoints{radio.Identity: 50, radio.PCI: 0, radio.Technology: 10, radio.Distance: 3.75,
				radio.Sector: 10}},
	} {
		p := radioOf[Profile](t, r, "radio_profile_estimate", "{"+tt.arguments+"}")
		if len(p.Items) == 0 {
			t.Errorf("%s: got %+v, want items", tt.arguments, p)
			continue
		}
		c := p.Items[0]
		if c.SiteKey != tt.site || math.Abs(c.Score-tt.score) > 0.051 || len(c.Parts) != len(tt.points) {
			t.Errorf("%s: %s with %v, want %s with %v: %+v", tt.arguments, c.SiteKey, c.Score, tt.site, tt.score,
				c.Parts)
		}
		for _, part := range c.Parts {
			if want, ok := tt.points[part.Name]; !ok || math.Abs(part.Points-want) > 0.011 ||
				part.Of != documented[part.Name] || part.Why == "" {
				t.Errorf("%s: %+v, want %v", tt.arguments, part, want)
			}
		}
	}
}

// Whatever is asked: the score is that of the parts, the best come first, and distances
// and bearings lead from the position to the site.
func TestProfileAdds(t *testing.T) {
	random := rand.New(rand.NewPCG(71, 72))
	sites, rows := radioTown(random)
	r := radioReading(t, sites, rows)
	named := 0
	rounds := 300
	if !tier.Full() {
		rounds = 60
	}
	for range rounds {
		p := away(radioHome, 4000*random.Float64(), 360*random.Float64())
		arguments := fmt.Sprintf(`"lat":%v,"lon":%v,"node":%d,"pci":%d,"limit":20`, p.Lat, p.Lng, 2+random.IntN(60),
			random.IntN(12))
		if random.IntN(2) == 0 {
			arguments += fmt.Sprintf(`,"cellId":%d`, (2+random.IntN(60))<<8|1)
		}
		if random.IntN(2) == 0 {
			arguments += `,"operator":"ORANGE","technology":"NR"`
		}
		answer := radioOf[Profile](t, r, "radio_profile_estimate", "{"+arguments+"}")
		last := 100.0
		for _, c := range answer.Items {
			points, of := 0.0, 0.0
			for _, part := range c.Parts {
				if part.Points < 0 || part.Points > part.Of {
					t.Errorf("got %+v, want Points at least 0 and Points at most %v", part, part.Of)
				}
				points, of = points+part.Points, of+part.Of
				if part.Name == radio.Identity && part.Points > 0 {
					named++
				}
			}
			i := slices.IndexFunc(sites, func(s site.Site) bool { return "fr-"+s.ID == c.SiteKey })
			metres := apart(p, sites[i].Position)
			if math.Abs(c.Score-100*points/of) > 0.051 || c.Score > last || math.Abs(float64(*c.Distance)-metres) > 1 ||
				apart(away(p, metres, *c.Bearing), sites[i].Position) > metres/500+1 {
				t.Errorf("%s: got %+v after %v, want a score of %v of %v, %v m away, in order", arguments, c, last,
					points, of, metres)
			}
			last = c.Score
		}
		if answer.Total != answer.Considered || len(answer.Items) != min(20, answer.Considered) ||
			answer.Considered > len(sites) {
			t.Errorf("got %d of %d, Total %v, want %d, at most %d and Total = %v", len(answer.Items),
				answer.Considered, answer.Total, min(20, answer.Considered), len(sites), answer.Considered)
		}
	}
	if named < rounds/3 {
		t.Errorf("%d are named, want at least %d", named, rounds/3)
	}
}

func TestProfileNotes(t *testing.T) {
	r := profileSites(t)
	for _, tt := range []struct{ arguments, want string }{
		{`{"node":4711}`, "No site of FR is given the node or cell"},
		{`{"lat":46.1775,"lon":3.3741667}`, "little but places speaks"},
		{`{"lat":45.9,"lon":3.3741667,"radiusKm":50}`, "nearly the same"},
		{`{"node":4711,"lat":46.2,"lon":3.374}`, "Nothing gives"},
		{`{"lat":48,"lon":2,"radiusKm":1}`, "No site of FR lies within 1 km of the position: a larger radiusKm"},
		{`{"lat":48,"lon":2,"operator":"SFR"}`, "No site of FR with SFR lies within 10 km"},
		{`{"lat":-20.9,"lon":55.5}`, "ask with market DROM"},
		{`{"node":1010,"operator":"SFR"}`, "of another operator than SFR"},
		{`{"cellId":258305,"node":70000,"lat":45.2925,"lon":3.3741667}`, "farther than 100 km"}, // one of them
	} {
		t.Run(tt.arguments, func(t *testing.T) {
			if p := radioOf[Profile](t, r, "radio_profile_estimate",
				tt.arguments); !strings.Contains(strings.Join(p.Notes, "; "), tt.want) {
				t.Errorf("%s: %q, want %q", tt.arguments, p.Notes, tt.want)
			}
		})
	}
	// SFR and ORANGE are as likely where only the place is known; a base station is one's.
	tie := radioOf[Profile](t, r, "radio_profile_estimate", `{"lat":46.1775,"lon":3.3741667}`).Items[0]
	one := radioOf[Profile](t, r, "radio_profile_estimate", `{"node":1010}`).Items[0]
	if tie.Operator != nil || one.Operator == nil || *one.Operator != "ORANGE" || one.Bearing != nil ||
		one.Distance != nil {
		t.Errorf("got %+v, %+v, want no operator of the tie, and ORANGE without a place of the other", tie, one)
	}
	if none := radioOf[Profile](t, r, "radio_profile_estimate", `{"node":1,"market":"PT"}`); len(none.Items) != 0 ||
		none.Sources[0].Unavailable == nil {
		t.Errorf("got %+v, want no Items and Unavailable set", none)
	}
}
