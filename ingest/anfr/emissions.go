package anfr

import (
	"cmp"
	"slices"

	"relais/site"
)

// fillEmissions adds the stations sorted by number, and the emissions sorted by station,
// generation and band. Of the rows of a station and system, the most advanced stays.
func (c *country) fillEmissions(s *site.Site, sup *support, state *fillState) (duplicates int) {
	ranks := c.systemRanks()
	state.emissions = state.emissions[:0]
	for runs := c.stationRuns(sup, state); len(runs) > 0; {
		station, own := runs[0][0].station, state.own[:0]
		for len(runs) > 0 && runs[0][0].station == station {
			own, runs = append(own, runs[0]...), runs[1:]
		}
		state.own = own
		c.addStation(s, c.station(station))
		own = c.unite(own, state)
		duplicates += len(state.own) - len(own)
		slices.SortStableFunc(own, func(a, b row) int {
			return cmp.Or(cmp.Compare(a.generation, b.generation), cmp.Compare(ranks[a.system], ranks[b.system]))
		})
		for _, e := range own {
			s.Emissions = append(s.Emissions, site.Emission{Station: len(s.Stations) - 1, System: c.systems[e.system],
				Generation: site.Generation(e.generation), Status: int(e.status), On: site.Date(e.on)})
		}
		state.emissions = append(state.emissions, own...)
	}
	s.SourceCode = s.Stations[0].Code
	return duplicates
}

// stationRuns returns the runs of rows of one station, sorted by station. Most stations have one run.
func (c *country) stationRuns(sup *support, state *fillState) [][]row {
	state.rows = c.rowsOf(sup, state.rows[:0])
	rows := state.rows
	state.runs = state.runs[:0]
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].station == rows[0].station {
			n++
		}
		state.runs = append(state.runs, rows[:n])
		rows = rows[n:]
	}
	slices.SortStableFunc(state.runs, func(a, b []row) int {
		x, y := c.station(a[0].station), c.station(b[0].station)
		return cmp.Or(cmp.Compare(x.code, y.code), cmp.Compare(x.operator, y.operator))
	})
	return state.runs
}

// unite returns the most advanced row of each system, of the rows of one station, in whatever order they come. They
// have the azimuths of all.
func (c *country) unite(rows []row, state *fillState) []row {
	state.stations++
	own := rows[:0]
	for _, e := range rows {
		if state.lastStation[e.system] != state.stations {
			state.lastStation[e.system] = state.stations
			own = append(own, e)
			continue
		}
		kept := &own[slices.IndexFunc(own, func(o row) bool { return o.system == e.system })]
		azimuths := c.azimuths.unite(kept.azimuths, e.azimuths)
		if compareAdvance(&e, kept) > 0 {
			*kept = e
		}
		kept.azimuths = azimuths
	}
	return own
}

// compareAdvance compares rows of one station and system: by status, then by having a date, and an earlier one. Of two
// generations the older one wins, because it claims less.
func compareAdvance(a, b *row) int {
	known := func(e *row) int { return min(1, int(e.on)) }
	return cmp.Or(cmp.Compare(a.status, b.status), cmp.Compare(known(a), known(b)), cmp.Compare(b.on, a.on),
		cmp.Compare(b.generation, a.generation))
}

// systemRanks returns the rank by band of each of the systems.
func (t *systemTable) systemRanks() []int {
	if len(t.ranks) == len(t.systems) {
		return t.ranks
	}
	order := make([]int, len(t.systems))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return site.CompareSystems(t.systems[a], t.systems[b]) })
	t.ranks = make([]int, len(order))
	for k, i := range order[1:] {
		t.ranks[i] = t.ranks[order[k]]
		if site.CompareSystems(t.systems[order[k]], t.systems[i]) != 0 {
			t.ranks[i]++
		}
	}
	return t.ranks
}
