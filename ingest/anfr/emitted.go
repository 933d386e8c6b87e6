package anfr

import (
	"slices"

	"relais/site"
)

// An emittedSystem is a system that SUP_EMETTEUR states of an antenna, for systems without a bit in antenna.systems.
type emittedSystem struct {
	station, aer uint32
	system       uint16
}

// addEmitted notes that an antenna has a system of the observatoire.
func (r *records) addEmitted(a *antenna, system uint16) {
	if bit := uint32(1) << system; bit != 0 {
		a.systems |= bit
		return
	}
	r.emitted[emittedSystem{a.station, a.aer, system}] = true
}

// emits reports whether an antenna has a system.
func (r *records) emits(a *antenna, system uint16) bool {
	if bit := uint32(1) << system; bit != 0 {
		return a.systems&bit != 0
	}
	return r.emitted[emittedSystem{a.station, a.aer, system}]
}

// fillAzimuths gives the emissions of a site their azimuths, and counts those of antennas whose station has no emission
// there: nothing says that its operator is at the site.
func (c *country) fillAzimuths(s *site.Site, state *fillState) {
	for i := range s.Emissions {
		e, of := &s.Emissions[i], &state.emissions[i]
		if e.Azimuths, e.Origin = c.azimuths.lists[of.azimuths], site.FromList; len(e.Azimuths) == 0 {
			e.Azimuths, e.Origin = c.azimuthsOf(of, state)
		}
	}
	for _, a := range state.antennas {
		stationOf := func(e row) bool { return e.station == a.station }
		if a.kind != dish && a.azimuth >= 0 && !slices.ContainsFunc(state.emissions, stationOf) {
			state.strays++
		}
	}
}

// azimuthsOf returns the azimuths of an emission without a list of its own: those of the antennas of its station at
// the support that have its system, or of all if none is said to have it.
func (c *country) azimuthsOf(e *row, state *fillState) ([]uint16, site.Origin) {
	if n := len(state.antennas); cap(state.azimuths)-len(state.azimuths) < n {
		state.azimuths = make([]uint16, 0, max(n, 4096))
	}
	list, origin := state.azimuths[len(state.azimuths):], site.FromStation
	for i := range state.antennas {
		a := &state.antennas[i]
		if a.station != e.station || a.kind == dish {
			continue
		}
		has := c.emits(a, e.system)
		if has && origin == site.FromStation {
			list, origin = list[:0], site.FromEmitter
		}
		if a.azimuth >= 0 && (has || origin == site.FromStation) {
			list = append(list, uint16(a.azimuth))
		}
	}
	if len(list) == 0 {
		return nil, site.NotStated
	}
	slices.Sort(list)
	list = slices.Compact(list)
	state.azimuths = state.azimuths[:len(state.azimuths)+len(list)]
	return list[:len(list):len(list)], origin
}
