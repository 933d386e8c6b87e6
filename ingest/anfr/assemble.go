package anfr

import (
	"cmp"
	"slices"
	"strconv"

	"relais/geo"
	"relais/ingest/source"
	"relais/site"
	"relais/snapshot"
)

// assemble makes one snapshot for each requested market.
func (c *country) assemble(files []source.Found) ([]*snapshot.Builder, error) {
	builders := c.builders(files)
	g := c.groupRows()
	var s site.Site
	duplicates := 0
	for i := range c.supports {
		sup := &c.supports[i]
		if sup.rows == 0 { // outvoted by another position
			continue
		}
		duplicates += c.fill(&s, uint32(i), g)
		if err := builders[sup.target].Add(&s); err != nil {
			return nil, err
		}
	}
	c.observed.RejectMany(duplicates, "duplicate row")
	return slices.DeleteFunc(builders, func(b *snapshot.Builder) bool { return b == nil }), nil
}

// builders returns a builder for each target, nil if it was not requested.
func (c *country) builders(files []source.Found) []*snapshot.Builder {
	builders := make([]*snapshot.Builder, len(c.targets))
	for i, t := range c.targets {
		if !t.asked {
			continue
		}
		statuses := make([]string, len(t.market.Statuses))
		for k, st := range t.market.Statuses {
			statuses[k] = st.Name
		}
		b := snapshot.NewBuilder(t.market, statuses)
		b.UpdatedAt, b.SourceDate = c.updated, c.updated[:len("2006-01-02")]
		for _, f := range files {
			b.Synthetic = b.Synthetic || f.Synthetic()
		}
		builders[i] = b
	}
	return builders
}

// A grouping has the rows grouped by support. The other lists are consumed: each begins at
// the next support.
type grouping struct {
	rows      []row // of support i: from[i] to from[i+1]
	from      []int32
	antennas  []antenna
	frequency []uint64
	nodes     []node

	seen        []row           // scratch
	stations    int             // number of stations filled so far
	lastStation [maxSystems]int // by system: the last filled station that has it
}

func (c *country) groupRows() *grouping {
	g := &grouping{rows: make([]row, len(c.rows)), from: make([]int32, len(c.supports)+1)}
	at := make([]int32, len(c.supports))
	for i := range c.supports {
		g.from[i+1] = g.from[i] + c.supports[i].rows
		at[i] = g.from[i]
	}
	for _, e := range c.rows {
		g.rows[at[e.support]] = e
		at[e.support]++
	}
	c.rows = nil
	slices.SortFunc(c.antennas, func(a, b antenna) int {
		return cmp.Or(cmp.Compare(a.support, b.support), cmp.Compare(a.aer, b.aer), cmp.Compare(a.station, b.station))
	})
	g.antennas, g.nodes, g.frequency = c.antennas, c.nodes, sortFrequencies(c.frequency)
	return g
}

// fill makes the site of support i and returns how many of its rows were duplicates.
func (c *country) fill(s *site.Site, i uint32, g *grouping) (duplicates int) {
	sup := &c.supports[i]
	*s = site.Site{
		ID:       strconv.FormatUint(uint64(sup.number), 10),
		Position: geo.Point{Lat: sup.lat, Lng: sup.lng}, Area: int(sup.area),
		Commune: c.communes[sup.insee], CommuneCode: sup.insee, PostalCode: sup.postal,
		Place: sup.lieu, Address: sup.address,
		Height: parseHeight(sup.height), HeightText: sup.height,
		Nature:        site.Coded{Code: sup.nature, Label: c.natures[sup.nature]},
		Owner:         site.Coded{Code: sup.owner, Label: c.owners[sup.owner]},
		AntennaHeight: site.Unknown,
		FixedLink:     sup.fixedLink, CrozonLeader: c.leaders[i],
		Azimuths: s.Azimuths[:0], Stations: s.Stations[:0], Emissions: s.Emissions[:0], Radio: s.Radio[:0],
	}
	duplicates = c.fillEmissions(s, g.rows[g.from[i]:g.from[i+1]], g)
	n := 0
	for n < len(g.antennas) && g.antennas[n].support == i {
		n++
	}
	c.fillAntennas(s, c.operatorsOn[i], g.antennas[:n])
	g.antennas = g.antennas[n:]
	s.TxFrequencies, s.RxFrequencies, g.frequency = cutFrequencies(g.frequency, i)
	for len(g.nodes) > 0 && g.nodes[0].support == i {
		d := g.nodes[0]
		s.Radio = append(s.Radio, site.RadioID{Kind: d.kind, Operator: int(d.operator), Value: uint64(d.value)})
		g.nodes = g.nodes[1:]
	}
	return duplicates
}

// fillEmissions adds the stations sorted by number, and the emissions sorted by station,
// generation and band. A second row of the same station and system is left out.
func (c *country) fillEmissions(s *site.Site, rows []row, g *grouping) (duplicates int) {
	g.seen = append(g.seen[:0], rows...)
	slices.SortStableFunc(g.seen, func(a, b row) int {
		x, y := &c.stations[a.station], &c.stations[b.station]
		return cmp.Or(cmp.Compare(x.code, y.code), cmp.Compare(x.operator, y.operator))
	})
	for k, e := range g.seen {
		if k == 0 || e.station != g.seen[k-1].station {
			c.addStation(s, &c.stations[e.station])
			g.stations++
		}
		if g.lastStation[e.system] == g.stations {
			duplicates++
			c.uniteAzimuths(s, e)
			continue
		}
		g.lastStation[e.system] = g.stations
		s.Emissions = append(s.Emissions, site.Emission{Station: len(s.Stations) - 1, System: c.systems[e.system],
			Generation: site.Generation(e.generation), Status: int(e.status), On: site.Date(e.on),
			Azimuths: c.azimuths.lists[e.azimuths]})
	}
	slices.SortStableFunc(s.Emissions, func(a, b site.Emission) int {
		return cmp.Or(cmp.Compare(a.Station, b.Station), cmp.Compare(a.Generation, b.Generation),
			site.CompareSystems(a.System, b.System))
	})
	s.SourceCode = s.Stations[0].Code
	return duplicates
}

// uniteAzimuths adds the azimuths of a second row of an emission of the last station of s.
func (c *country) uniteAzimuths(s *site.Site, second row) {
	for k := range s.Emissions {
		e := &s.Emissions[k]
		if e.Station == len(s.Stations)-1 && e.System == c.systems[second.system] {
			e.Azimuths = union(e.Azimuths, c.azimuths.lists[second.azimuths])
		}
	}
}

// union returns the numbers of both lists, ascending. It changes neither list.
func union(a, b []uint16) []uint16 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func (c *country) addStation(s *site.Site, t *station) {
	s.Stations = append(s.Stations,
		site.Station{Code: t.code.String(), Operator: int(t.operator), OperatorSiteID: t.siteID})
	s.SharedRadio = s.SharedRadio || t.shared
	s.Implemented = earliest(s.Implemented, site.Date(t.implemented))
	s.Commissioned = earliest(s.Commissioned, site.Date(t.commissioned))
}

// earliest returns the earlier of two dates; 0 is unknown.
func earliest(a, b site.Date) site.Date {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// fillAntennas adds the antennas of a support, which are sorted by number. on has the bits
// of the operators with emissions on the support. The azimuths of a station are those of its
// emissions, or those of its antennas if the observatoire states none.
func (c *country) fillAntennas(s *site.Site, on uint64, antennas []antenna) {
	pair := c.crozon // SFR and Bouygues, if both have emissions here
	if on&pair != pair {
		pair = 0
	}
	declared := uint64(0) // bits of the operators that declare this antenna
	for k, a := range antennas {
		if k == 0 || antennas[k-1].aer != a.aer {
			declared = 0
		}
		operator := c.stations[a.station].operatorBit()
		declared |= operator
		s.SharedRadio = s.SharedRadio || a.kind == shared || declared != operator
		s.Crozon = s.Crozon || operator&pair != 0 && (a.kind == shared || declared&^operator&pair != 0)
		if a.kind == dish {
			continue
		}
		if a.azimuth >= 0 && !c.stations[a.station].azimuths {
			s.Azimuths = append(s.Azimuths, uint16(a.azimuth))
		}
		if h := float64(a.base) / 1000; a.base >= 0 && !(h <= s.AntennaHeight) { // false also for an unknown height
			s.AntennaHeight = h
		}
	}
	for _, e := range s.Emissions {
		s.Azimuths = append(s.Azimuths, e.Azimuths...)
	}
	slices.Sort(s.Azimuths)
	s.Azimuths = slices.Compact(s.Azimuths)
}

func parseHeight(text string) float64 {
	mm, ok := parseFixed([]byte(text), 3)
	if !ok || mm < 0 || mm > 2e6 {
		return site.Unknown
	}
	return float64(mm) / 1000
}
