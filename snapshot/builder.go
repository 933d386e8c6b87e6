package snapshot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"relais/geo"
	"relais/internal/intern"
	"relais/market"
	"relais/site"
)

// A Builder collects the sites of a market for Write.
type Builder struct {
	Meta
	columns
	strings intern.Table
	systems map[string]uint16 // in order of first appearance, until sorted
	newest  []site.Generation // the newest generation of each system
	keys    []uint64          // the sites' positions on the Hilbert curve
	scratch []byte
}

// NewBuilder returns a builder without sites for m. The statuses are ordered from least to most
// advanced.
func NewBuilder(m *market.Market, statuses []string) *Builder {
	b := &Builder{systems: map[string]uint16{}}
	b.Meta = Meta{
		Market: m.Code, Operators: m.OperatorKeys(), Areas: []string{}, Statuses: statuses,
		Systems: []string{}, Enriched: map[string]int{},
	}
	for _, a := range m.Areas {
		b.Areas = append(b.Areas, a.Code)
	}
	b.stationStart = []uint32{0}
	b.emissionStart = []uint32{0}
	b.radioStart = []uint32{0}
	b.antennaStart = []uint32{0}
	return b
}

// Grow makes room for so many more sites, stations and emissions.
func (b *Builder) Grow(sites, stations, emissions int) {
	for _, col := range b.all() {
		switch col.rows {
		case siteRows, startRows:
			col.grow(sites)
		case stationRows:
			col.grow(stations)
		case emissionRows:
			col.grow(emissions)
		}
	}
	b.keys = slices.Grow(b.keys, sites)
}

// Len returns the number of sites added.
func (b *Builder) Len() int { return len(b.id) }

// Emissions returns the number of emissions added.
func (b *Builder) Emissions() int { return len(b.emissionStation) }

// Add adds a site. It keeps nothing of s. A site that does not fit the market's tables is an
// error, and is not added.
func (b *Builder) Add(s *site.Site) error {
	if err := b.check(s); err != nil {
		return fmt.Errorf("site %s: %w", s.ID, err)
	}
	b.keys = append(b.keys, geo.Hilbert(s.Position))
	b.lat = append(b.lat, geo.Fix(s.Position.Lat))
	b.lng = append(b.lng, geo.Fix(s.Position.Lng))
	b.id = append(b.id, b.intern(s.ID))
	b.nationalCode = append(b.nationalCode, b.intern(s.NationalCode))
	b.sourceCode = append(b.sourceCode, b.intern(s.SourceCode))
	b.area = append(b.area, uint16(s.Area+1))
	b.commune = append(b.commune, b.intern(s.Commune))
	b.communeCode = append(b.communeCode, b.intern(s.CommuneCode))
	postal := s.PostalCode
	if s.MorePostal != "" {
		postal += "/" + s.MorePostal
	}
	b.postalCode = append(b.postalCode, b.intern(postal))
	b.place = append(b.place, b.intern(s.Place))
	b.address1 = append(b.address1, b.intern(s.Address[0]))
	b.address2 = append(b.address2, b.intern(s.Address[1]))
	b.address3 = append(b.address3, b.intern(s.Address[2]))
	b.height = append(b.height, millimetres(s.Height))
	b.heightText = append(b.heightText, b.intern(s.HeightText))
	b.natureCode = append(b.natureCode, b.intern(s.Nature.Code))
	b.nature = append(b.nature, b.intern(s.Nature.Label))
	b.ownerCode = append(b.ownerCode, b.intern(s.Owner.Code))
	b.owner = append(b.owner, b.intern(s.Owner.Label))
	b.antennaHeight = append(b.antennaHeight, millimetres(s.AntennaHeight))
	b.implemented = append(b.implemented, int32(s.Implemented))
	b.commissioned = append(b.commissioned, int32(s.Commissioned))
	b.tx = append(b.tx, internList(b, s.TxFrequencies))
	b.rx = append(b.rx, internList(b, s.RxFrequencies))
	b.flags = append(b.flags, flagsOf(s))
	b.crozonLeader = append(b.crozonLeader, b.intern(s.CrozonLeader))
	b.reference = append(b.reference, b.intern(s.Reference))
	b.registers = append(b.registers, s.Registers)
	b.addChildren(s)
	b.count(s)
	return b.checkSize()
}

// checkSize returns an error when a row number or an offset of a text may exceed 32 bits.
func (b *Builder) checkSize() error {
	switch {
	case b.strings.Size() > math.MaxUint32:
		return fmt.Errorf("the texts of the register are over 4 GiB")
	case max(b.strings.Len(), len(b.id), len(b.stationCode), len(b.emissionStation),
		len(b.radioKind), len(b.antennaEmission)) > math.MaxUint32:
		return fmt.Errorf("the register has over %d rows of one kind", math.MaxUint32)
	}
	return nil
}

func (b *Builder) check(s *site.Site) error {
	switch {
	case s.ID == "":
		return fmt.Errorf("no id")
	case !s.Position.Valid():
		return fmt.Errorf("position %v", s.Position)
	case s.Area < -1 || s.Area >= len(b.Areas):
		return fmt.Errorf("area %d of %d", s.Area, len(b.Areas))
	case len(s.Stations) > math.MaxUint16:
		return fmt.Errorf("%d stations", len(s.Stations))
	case len(b.systems)+len(s.Emissions) > math.MaxUint16: // they may all be new
		return fmt.Errorf("over %d systems", len(b.systems))
	}
	for _, t := range s.Stations {
		if t.Operator < 0 || t.Operator >= len(b.Operators) {
			return fmt.Errorf("operator %d of %d", t.Operator, len(b.Operators))
		}
	}
	for _, e := range s.Emissions {
		if e.Station < 0 || e.Station >= len(s.Stations) || e.Status < -1 || e.Status >= len(b.Statuses) ||
			e.Generation >= site.Generations || (e.Origin == site.NotStated) != (len(e.Azimuths) == 0) {
			return fmt.Errorf("emission %+v", e)
		}
	}
	for _, a := range s.Antennas {
		if a.Emission < 0 || a.Emission >= len(s.Emissions) || a.Emission > math.MaxUint16 {
			return fmt.Errorf("antenna %+v", a)
		}
	}
	return b.checkRadio(s.Radio)
}

func (b *Builder) addChildren(s *site.Site) {
	for _, t := range s.Stations {
		b.stationCode = append(b.stationCode, b.intern(t.Code))
		b.stationOperator = append(b.stationOperator, uint8(t.Operator))
		b.operatorSiteID = append(b.operatorSiteID, b.intern(t.OperatorSiteID))
	}
	for _, e := range s.Emissions {
		b.emissionStation = append(b.emissionStation, uint16(e.Station))
		b.emissionSystem = append(b.emissionSystem, b.system(e.System, e.Generation))
		b.emissionGeneration = append(b.emissionGeneration, uint8(e.Generation))
		b.emissionStatus = append(b.emissionStatus, uint8(e.Status+1))
		b.emissionOn = append(b.emissionOn, int32(e.On))
		b.emissionAzimuths = append(b.emissionAzimuths, internList(b, e.Azimuths))
		b.emissionOrigin = append(b.emissionOrigin, uint8(e.Origin))
	}
	for _, r := range s.Radio {
		b.addRadio(r)
	}
	b.stationStart = append(b.stationStart, uint32(len(b.stationCode)))
	b.emissionStart = append(b.emissionStart, uint32(len(b.emissionStation)))
	b.radioStart = append(b.radioStart, uint32(len(b.radioKind)))
	b.addAntennas(s.Antennas)
}

// system returns the number of a system, which it adds when it is new.
func (b *Builder) system(name string, g site.Generation) uint16 {
	i, ok := b.systems[name]
	if !ok {
		i = uint16(len(b.Systems))
		b.systems[strings.Clone(name)] = i
		b.Systems = append(b.Systems, strings.Clone(name))
		b.newest = append(b.newest, g)
	}
	b.newest[i] = max(b.newest[i], g)
	return i
}

func internList[T uint16 | uint64](b *Builder, list []T) ref {
	b.scratch = packList(b.scratch[:0], list)
	return ref(intern.Add(&b.strings, b.scratch))
}

// intern returns the ref of a text.
func (b *Builder) intern(text string) ref { return ref(intern.Add(&b.strings, text)) }

func flagsOf(s *site.Site) (f uint8) {
	if s.FixedLink {
		f |= flagFixedLink
	}
	if s.SharedRadio {
		f |= flagSharedRadio
	}
	if s.Crozon {
		f |= flagCrozon
	}
	return f
}

func millimetres(m float64) int32 {
	if mm := math.Round(m * 1000); math.Abs(mm) < 1<<31 { // false for NaN
		return int32(mm)
	}
	return noLength
}

// hilbertOrder returns the row numbers of the sites in Hilbert order, those of one position by id.
func (b *Builder) hilbertOrder() []uint32 {
	perm := make([]uint32, len(b.id))
	for i := range perm {
		perm[i] = uint32(i)
	}
	slices.SortFunc(perm, func(x, y uint32) int {
		if b.keys[x] != b.keys[y] {
			return cmp.Compare(b.keys[x], b.keys[y])
		}
		return strings.Compare(b.strings.Text(uint32(b.id[x])), b.strings.Text(uint32(b.id[y])))
	})
	return perm
}

// sortSystems returns the systems by generation and band, and the new position of each of
// Systems.
func (b *Builder) sortSystems() (names []string, place []uint16) {
	list := make([]int, len(b.Systems))
	for i := range list {
		list[i] = i
	}
	slices.SortFunc(list, func(x, y int) int {
		return cmp.Or(cmp.Compare(b.newest[x], b.newest[y]), site.CompareSystems(b.Systems[x], b.Systems[y]))
	})
	names, place = make([]string, len(list)), make([]uint16, len(list))
	for at, i := range list {
		names[at], place[i] = b.Systems[i], uint16(at)
	}
	return names, place
}

// sorted returns the columns with the sites in Hilbert order and the systems renumbered by
// place.
func (b *Builder) sorted(place []uint16) *columns {
	perm, c := b.hilbertOrder(), b.columns
	c.text, c.stringEnd = b.strings.Columns()
	for _, col := range c.all() {
		switch col.rows {
		case siteRows:
			col.permute(perm, nil)
		case stationRows:
			col.permute(perm, b.stationStart)
		case emissionRows:
			col.permute(perm, b.emissionStart)
		case radioRows:
			col.permute(perm, b.radioStart)
		case antennaRows:
			col.permute(perm, b.antennaStart)
		}
	}
	c.stationStart = permuteStarts(b.stationStart, perm)
	c.emissionStart = permuteStarts(b.emissionStart, perm)
	c.radioStart = permuteStarts(b.radioStart, perm)
	c.antennaStart = permuteStarts(b.antennaStart, perm)
	for i, system := range c.emissionSystem { // a copy, which permute made
		c.emissionSystem[i] = place[system]
	}
	return &c
}

func permuteStarts(start, perm []uint32) []uint32 {
	out := make([]uint32, 1, len(start))
	for _, i := range perm {
		out = append(out, out[len(out)-1]+start[i+1]-start[i])
	}
	return out
}
