package site

import "slices"

// An Origin says where the azimuths of an emission are stated.
type Origin uint8

// The origins, from none to the most exact.
const (
	NotStated   Origin = iota
	FromStation        // the antennas of the emission's station, whatever their system (SUP_ANTENNE in France)
	FromEmitter        // the antennas that have the emission's system (SUP_EMETTEUR in France)
	FromList           // the emission's own rows (list_azimut in France)
	origins
)

// Origins is the number of origins.
const Origins = int(origins)

// String returns the word of answers: "station", "emitter", "list", or "" for NotStated.
func (o Origin) String() string {
	if int(o) >= Origins {
		return ""
	}
	return [...]string{"", "station", "emitter", "list"}[o]
}

// Azimuths returns the azimuths of the emissions that selects chooses, all of them if it is nil: distinct, ascending,
// 0 to 359 from true north. origin is that of the least exact of them.
func (s *Site) Azimuths(selects func(*Emission) bool) (azimuths []uint16, origin Origin) {
	for i := range s.Emissions {
		e := &s.Emissions[i]
		if len(e.Azimuths) == 0 || selects != nil && !selects(e) {
			continue
		}
		if azimuths = append(azimuths, e.Azimuths...); origin == NotStated || e.Origin < origin {
			origin = e.Origin
		}
	}
	slices.Sort(azimuths)
	return slices.Compact(azimuths), origin
}

// AzimuthsOf returns the azimuths of the emissions of an operator, only those of a generation unless it is 0, as
// Azimuths does.
func (s *Site) AzimuthsOf(operator int, g Generation) (azimuths []uint16, origin Origin) {
	return s.Azimuths(func(e *Emission) bool {
		return s.Stations[e.Station].Operator == operator && (g == 0 || e.Generation == g)
	})
}
