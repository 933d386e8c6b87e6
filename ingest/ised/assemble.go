package ised

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"relais/geo"
	"relais/site"
	"relais/snapshot"
)

// placeID returns the id of a place; see the package comment.
func (c *country) placeID(at corner) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", c.market.Operators[at.operator].Key, at.lat, at.lng))
	return binary.BigEndian.Uint64(sum[:])
}

// A keyedPlace is a place with its id.
type keyedPlace struct {
	id    uint64
	place uint32
}

// sortedPlaces returns the places sorted by id. Two places with the same id are an error;
// that is practically impossible.
func (c *country) sortedPlaces(id func(corner) uint64) ([]keyedPlace, error) {
	list := make([]keyedPlace, len(c.places))
	for i := range c.places {
		list[i] = keyedPlace{id(c.places[i].corner), uint32(i)}
	}
	slices.SortFunc(list, func(a, b keyedPlace) int { return cmp.Compare(a.id, b.id) })
	for i := 1; i < len(list); i++ {
		if a, b := c.places[list[i-1].place], c.places[list[i].place]; list[i-1].id == list[i].id {
			return nil, fmt.Errorf("two places have the id %016x: %v and %v", list[i].id, a.corner, b.corner)
		}
	}
	return list, nil
}

// assemble adds the sites to b, in an order that does not depend on the rows' order.
func (c *country) assemble(b *snapshot.Builder) error {
	order, err := c.sortedPlaces(c.placeID)
	if err != nil {
		return err
	}
	for _, f := range []*facts{&c.azimuths, &c.tx, &c.rx, &c.cells, &c.physicals, &c.stationsOf, &c.systems} {
		f.sortUnique()
	}
	var s site.Site
	for _, k := range order {
		c.fill(&s, k)
		if err := b.Add(&s); err != nil {
			return err
		}
	}
	return nil
}

// fill makes the site of a place.
func (c *country) fill(s *site.Site, k keyedPlace) {
	p, operator := &c.places[k.place], int(c.places[k.place].operator)
	*s = site.Site{
		ID:       fmt.Sprintf("%016x", k.id),
		Position: geo.Point{Lat: float64(p.lat) / perDegree, Lng: float64(p.lng) / perDegree}, Area: int(p.area),
		Address: [3]string{p.location}, Height: metresOf(p.height), HeightText: p.heightText,
		Nature: site.Coded{Code: p.nature}, AntennaHeight: metresOf(p.antennaHeight),
		TxFrequencies: appendNumbers(s.TxFrequencies[:0], c.tx.numbersOf(k.place)),
		RxFrequencies: appendNumbers(s.RxFrequencies[:0], c.rx.numbersOf(k.place)),
		Stations:      s.Stations[:0], Emissions: s.Emissions[:0], Radio: s.Radio[:0],
	}
	enb := uint64(0) // of the previous cell: cells are sorted
	for _, f := range c.cells.numbersOf(k.place) {
		cell := uint64(uint32(f))
		if cell>>cellBits != enb {
			enb = cell >> cellBits
			s.Radio = append(s.Radio, site.RadioID{Kind: site.ENB, Operator: operator, Value: enb})
		}
		s.Radio = append(s.Radio, site.RadioID{Kind: site.Cell, Operator: operator, Value: cell})
	}
	for _, pci := range c.physicals.numbersOf(k.place) {
		s.Radio = append(s.Radio, site.RadioID{Kind: site.PCI, Operator: operator, Value: uint64(uint32(pci))})
	}
	c.fillStations(s, k.place, operator)
}

// fillStations adds the stations sorted by licence, and the emissions sorted by station,
// generation and band.
func (c *country) fillStations(s *site.Site, place uint32, operator int) {
	list := slices.Clone(c.stationsOf.numbersOf(place))
	licence := func(f uint64) string { return c.licences[c.stations[uint32(f)].licence] }
	slices.SortFunc(list, func(a, b uint64) int { return cmp.Compare(licence(a), licence(b)) })
	for i, f := range list {
		t := &c.stations[uint32(f)]
		s.Stations = append(s.Stations, site.Station{Code: licence(f), Operator: operator, OperatorSiteID: t.record})
		if t.record != "" && (s.SourceCode == "" || t.record < s.SourceCode) {
			s.SourceCode = t.record
		}
		first := len(s.Emissions)
		for _, system := range c.systems.numbersOf(uint32(f)) {
			name, g := c.emission(uint32(system))
			e := site.Emission{Station: i, System: name, Generation: g, Status: -1}
			if e.Azimuths = c.azimuthsOf(uint32(f), uint32(system)); e.Azimuths != nil {
				e.Origin = site.FromList
			}
			s.Emissions = append(s.Emissions, e)
		}
		slices.SortFunc(s.Emissions[first:], func(a, b site.Emission) int {
			return cmp.Or(cmp.Compare(a.Generation, b.Generation), site.CompareSystems(a.System, b.System))
		})
	}
	s.Reference = c.stations[uint32(list[0])].reference
}

// azimuthsOf returns the azimuths that the rows of a system of a station state.
func (c *country) azimuthsOf(station, system uint32) (list []uint16) {
	for _, f := range c.azimuths.numbersOf(station) {
		if uint32(f)>>azimuthBits == system {
			list = append(list, uint16(f&(1<<azimuthBits-1)))
		}
	}
	return list
}

// appendNumbers appends the numbers of facts.
func appendNumbers[T uint16 | uint64](to []T, of facts) []T {
	for _, f := range of {
		to = append(to, T(uint32(f)))
	}
	return to
}

func metresOf(millimetres int32) float64 {
	if millimetres < 0 {
		return site.Unknown
	}
	return float64(millimetres) / 1000
}
