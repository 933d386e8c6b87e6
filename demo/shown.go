package demo

import "math/rand/v2"

// ShownSite is the siteKey of the site that the demonstration shows first. It has everything: all
// operators, one of them with projects alone, an outage, changes in the last edition, photos, and
// measurements around it.
const ShownSite = "fr-90000001"

// Shown is where ShownSite is: in Bourg-en-Bresse.
var Shown = shownSpot.point()

var shownSpot = spot{46*3600 + 12*60 + 18, 5*3600 + 13*60 + 33}

// shownBroken is the operator that is always unavailable at ShownSite.
const shownBroken = "BOUYGUES TELECOM"

// showEverything makes a support that of ShownSite: a mast of 32 m.
func (s *support) showEverything(r *rand.Rand, serials map[string]int) {
	s.lat, s.lng, s.height, s.nature, s.stations = shownSpot.lat, shownSpot.lng, 32, 23, nil
	operators := s.town.operators()
	for i, o := range operators {
		sta := makeStation(r, s.town, o, serials)
		sta.azimuth, sta.systems = 10+25*i, nil
		for k, sys := range systems {
			x := system{sys.name, sys.generation, "En service", notBefore(sys.since, day(r, 2006, lastYear))}
			switch {
			case (i+k)%4 == 3:
				continue
			case i == len(operators)-1:
				x.status, x.on = "Projet approuvé", ""
			}
			sta.systems = append(sta.systems, x)
		}
		// What the last edition changes, see systemsOf.
		if newest := &sta.systems[len(sta.systems)-1]; newest.on != "" && i < 2 {
			newest.on = "2026-01-12"
		}
		s.stations = append(s.stations, sta)
	}
}
