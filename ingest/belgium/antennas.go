package belgium

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"relais/ingest/source"
	"relais/site"
)

// An antenna is one that a region states.
type antenna struct {
	spot
	operator                        int
	technology                      technology
	systems                         []system // none of a microwave link
	azimuth                         float64  // degrees, site.Unknown if it is not stated
	height, power, tilt, electrical site.Quantity
	sitecode                        string // the operator's
	permit                          string
	origin
}

// A system is a technology in a band, with the frequencies there.
type system struct {
	name        string
	frequencies []uint64 // Hz: distinct, ascending
}

// inBand adds a frequency, in Hz or 0 for none, to the antenna's system in a band, which is "" if it is unknown.
func (a *antenna) inBand(band string, hz uint64) {
	name := strings.TrimSpace(a.technology.name + " " + band)
	i := slices.IndexFunc(a.systems, func(s system) bool { return s.name == name })
	if i < 0 {
		i, a.systems = len(a.systems), append(a.systems, system{name: name})
	}
	s := &a.systems[i]
	if at, known := slices.BinarySearch(s.frequencies, hz); hz > 0 && !known {
		s.frequencies = slices.Insert(s.frequencies, at, hz)
	}
}

// An emitted is an antenna in one of its systems.
type emitted struct {
	*antenna
	system
	station int
}

// addAntennas adds the antennas of a place to its stations. A station whose antennas are stated loses the emission
// that says only that the operator is there. Its status and date stay, so that snapshot.Public can make it again: beyond
// emissions, antennas state only frequencies and links.
func addAntennas(s *site.Site, antennas []*antenna) {
	var list []emitted
	for _, a := range antennas {
		station := slices.IndexFunc(s.Stations, func(t site.Station) bool { return t.Operator == a.operator })
		s.FixedLink = s.FixedLink || a.technology.link
		for _, x := range a.systems {
			list = append(list, emitted{a, x, station})
			s.TxFrequencies = append(s.TxFrequencies, x.frequencies...)
		}
	}
	slices.Sort(s.TxFrequencies)
	s.TxFrequencies = slices.Compact(s.TxFrequencies)
	slices.SortStableFunc(list, compareEmitted)
	places := slices.Clone(s.Emissions) // emission i is that of station i
	s.Emissions = slices.DeleteFunc(s.Emissions, func(e site.Emission) bool {
		return slices.ContainsFunc(list, func(x emitted) bool { return x.station == e.Station })
	})
	for i := range list {
		x := &list[i]
		if i == 0 || list[i-1].station != x.station || list[i-1].name != x.name {
			s.Emissions = append(s.Emissions, site.Emission{Station: x.station, System: x.name,
				Generation: x.technology.generation, Status: places[x.station].Status, On: places[x.station].On})
		}
		x.addTo(s, len(s.Emissions)-1)
	}
	for i := range s.Emissions {
		e := &s.Emissions[i]
		slices.Sort(e.Azimuths)
		e.Azimuths = slices.Compact(e.Azimuths)
	}
	slices.SortStableFunc(s.Antennas, func(a, b site.Antenna) int { return cmp.Compare(a.Emission, b.Emission) })
}

// compareEmitted orders by station, generation, band and direction. The rest only makes the order definite.
func compareEmitted(a, b emitted) int {
	return cmp.Or(cmp.Compare(a.station, b.station), cmp.Compare(a.technology.generation, b.technology.generation),
		site.CompareSystems(a.name, b.name), cmp.Compare(a.azimuth, b.azimuth),
		cmp.Compare(a.height.Value, b.height.Value), cmp.Compare(a.power.Value, b.power.Value),
		cmp.Compare(a.tilt.Value, b.tilt.Value), slices.Compare(a.frequencies, b.frequencies))
}

// addTo adds the antenna to emission e.
func (x *emitted) addTo(s *site.Site, e int) {
	if to := &s.Emissions[e]; site.Known(x.azimuth) {
		to.Azimuths = append(to.Azimuths, uint16(math.Round(x.azimuth))%360)
		to.Origin = site.FromEmitter
	}
	s.Antennas = append(s.Antennas, site.Antenna{Emission: e, Azimuth: x.azimuth, Height: x.height, Power: x.power,
		Tilt: x.tilt, Electrical: x.electrical, Frequencies: x.system.frequencies})
}

// notJoined is why an antenna of the query service is left out.
const notJoined = "no place of its operator in the register within ten metres"

// join gives each antenna of the query service to the nearest place of its operator within ten metres. Places are
// those of the register and of BIPT's list: the query service makes none.
func (c *country) join(places []place) {
	cells := map[spot][]stand{}
	add := func(s spot, operator, at int) {
		cells[s.cell()] = append(cells[s.cell()], stand{s, operator, at})
	}
	for i := range places {
		for _, d := range places[i].dossiers {
			add(d.spot, d.operator, i)
		}
		for _, b := range places[i].sites {
			for _, o := range b.owners {
				add(b.spot, o.operator, i)
			}
		}
	}
	missed := 0
	for i := range c.antennas {
		a := &c.antennas[i]
		if at := nearestStand(cells, a); at >= 0 {
			places[at].antennas = append(places[at].antennas, a)
			continue
		}
		missed++
		a.reject(notJoined)
	}
	if missed > 0 {
		c.antennas[0].report.Warn(fmt.Sprintf("%d of %d antennas in force have %s", missed, len(c.antennas), notJoined))
	}
}

// A stand is where an operator is at a place.
type stand struct {
	spot
	operator, place int
}

// nearestStand returns the place of the nearest stand of the antenna's operator in reach, the first of several; -1
// for none.
func nearestStand(cells map[spot][]stand, a *antenna) int {
	best, distance, cell := -1, int64(reach*reach), a.cell()
	for dx := int64(-1); dx <= 1; dx++ {
		for dy := int64(-1); dy <= 1; dy++ {
			for _, s := range cells[spot{cell.x + dx, cell.y + dy}] {
				d := (s.x-a.x)*(s.x-a.x) + (s.y-a.y)*(s.y-a.y)
				if s.operator == a.operator && (d < distance || d == distance && (best < 0 || s.place < best)) {
					best, distance = s.place, d
				}
			}
		}
	}
	return best
}

// done ends the reading of a file without a day of its own.
func (c *country) done(f *source.Found, r *source.ItemReader, unknown source.Spellings, odd unknowns) (*source.Report,
	error) {
	r.Unknown = unknown.Top()
	report, err := r.Done()
	if err != nil {
		return nil, err
	}
	odd.warn(report)
	return report, c.dateFile(f, report, source.NewDays(c.now), approval{})
}
