// Package snapshot writes the sites of one market to one compact file and reads it.
// FORMAT.md describes the file. A snapshot is derived from the authority's files:
// a file of another version is not migrated, relais ingest makes a new one. The
// Package does not search; that is the job of package index.
package snapshot

import (
	"errors"
	"slices"
	"strings"
	"unsafe"

	"relais/geo"
	"relais/market"
	"relais/site"
)

// Version is the version of the file format that this program reads and writes.
const Version = 5

// Errors of reading, wrapped with the name of the file.
var (
	errForeign = errors.New("not a relais snapshot")
	ErrVersion = errors.New("written by another version of relais: run relais ingest")
	errDamaged = errors.New("damaged: run relais ingest")
)

// Meta says what a snapshot holds.
type Meta struct {
	Market     market.Code `json:"market"`
	SourceDate string      `json:"sourceDate"` // of the data, YYYY-MM-DD
	UpdatedAt  string      `json:"updatedAt"`  // the same with the time of day, YYYY-MM-DDTHH:MM:SS
	Synthetic  bool        `json:"synthetic"`  // made up for a demonstration
	Operators  []string    `json:"operators"`  // the market's keys, in table order
	Areas      []string    `json:"areas"`      // the market's area codes, in table order
	Statuses   []string    `json:"statuses"`   // from least to most advanced
	Systems    []string    `json:"systems"`    // by generation and band
	// Registers are the names of the registers that the sites come from, as in the market's
	// table. An empty list stands for the market's own register.
	Registers []string `json:"registers,omitempty"`
	// Enriched counts the sites that have what may be missing, such as azimuths: see enrichments.
	Enriched map[string]int `json:"enriched"`
}

// A Snapshot is a market's register in memory. It does not change after Read, and
// is safe for concurrent use. Strings that it returns share its memory.
type Snapshot struct {
	Meta
	Version string // of the content: the source's date and a checksum
	Bytes   int64  // size of the file
	columns
}

// Len returns the number of sites, which are in the Hilbert order of their positions.
func (s *Snapshot) Len() int { return len(s.id) }

// Emissions returns the number of emissions of all sites.
func (s *Snapshot) Emissions() int { return len(s.emissionStation) }

// Positions returns the latitudes and longitudes of all sites in 1e-7 degrees.
// They must not be changed.
func (s *Snapshot) Positions() (lat, lng []int32) { return s.lat, s.lng }

// ID returns the id of site i.
func (s *Snapshot) ID(i int) string { return s.str(s.id[i]) }

// NationalCode returns the national code of site i, "" when it is the id.
func (s *Snapshot) NationalCode(i int) string { return s.str(s.nationalCode[i]) }

// OwnSourceCode returns the source code of site i, "" when it is the code of one of
// its stations.
func (s *Snapshot) OwnSourceCode(i int) string {
	for row := s.stationStart[i]; row < s.stationStart[i+1]; row++ {
		if s.stationCode[row] == s.sourceCode[i] {
			return ""
		}
	}
	return s.str(s.sourceCode[i])
}

// Area returns the position of site i's area in Meta.Areas, -1 when unknown.
func (s *Snapshot) Area(i int) int { return int(s.area[i]) - 1 }

// SiteRegisters returns the registers of site i as site.Site has them.
func (s *Snapshot) SiteRegisters(i int) uint8 { return s.registers[i] }

// Stations returns the range of station rows of site i, for StationCode.
func (s *Snapshot) Stations(i int) (from, to int) {
	return int(s.stationStart[i]), int(s.stationStart[i+1])
}

// StationCode returns the code of a station row.
func (s *Snapshot) StationCode(row int) string { return s.str(s.stationCode[row]) }

// StationOperator returns the operator of a station row.
func (s *Snapshot) StationOperator(row int) int { return int(s.stationOperator[row]) }

// StationSiteID returns the operator's own name of the site of a station row, "" if it is not known.
func (s *Snapshot) StationSiteID(row int) string { return s.str(s.operatorSiteID[row]) }

// StationRows returns the number of station rows of all sites.
func (s *Snapshot) StationRows() int { return len(s.stationCode) }

// An EmissionKey has the properties of an emission that filters select by.
type EmissionKey struct {
	Operator   int
	System     int // position in Meta.Systems
	Generation site.Generation
	Status     int // position in Meta.Statuses, -1 when the market has none
}

// EmissionKeys calls f for each emission of site i.
func (s *Snapshot) EmissionKeys(i int, f func(EmissionKey)) {
	first := s.stationStart[i]
	for e := s.emissionStart[i]; e < s.emissionStart[i+1]; e++ {
		f(EmissionKey{
			Operator:   int(s.stationOperator[first+uint32(s.emissionStation[e])]),
			System:     int(s.emissionSystem[e]),
			Generation: site.Generation(s.emissionGeneration[e]),
			Status:     int(s.emissionStatus[e]) - 1,
		})
	}
}

// RadioIDs calls f for each radio identifier of site i.
func (s *columns) RadioIDs(i int, f func(site.RadioID)) {
	for r := s.radioStart[i]; r < s.radioStart[i+1]; r++ {
		f(s.radioID(r))
	}
}

// RadioRows counts the radio identifiers of all sites by kind.
func (s *Snapshot) RadioRows() (n [site.RadioKinds]int) {
	for _, kind := range s.radioKind {
		n[kind]++
	}
	return n
}

func (s *columns) radioID(r uint32) site.RadioID {
	return site.RadioID{
		Kind: site.RadioKind(s.radioKind[r]), Operator: int(s.radioOperator[r]),
		Value: s.radioValue[r], Bits: s.radioBits[r],
	}
}

// Commune returns the code and the name of the commune of site i, "" if not stated.
func (s *Snapshot) Commune(i int) (code, name string) {
	return s.str(s.communeCode[i]), s.str(s.commune[i])
}

// Address returns the lines of the address of site i, "" if not stated.
func (s *Snapshot) Address(i int) [3]string {
	return [3]string{s.str(s.address1[i]), s.str(s.address2[i]), s.str(s.address3[i])}
}

// Site sets dst to site i. It reuses the slices of dst. The strings of dst share the
// snapshot's memory.
func (s *Snapshot) Site(i int, dst *site.Site) {
	*dst = site.Site{
		ID: s.str(s.id[i]), NationalCode: s.str(s.nationalCode[i]),
		SourceCode: s.str(s.sourceCode[i]), Reference: s.str(s.reference[i]),
		Position: geo.Point{Lat: geo.Degrees(s.lat[i]), Lng: geo.Degrees(s.lng[i])},
		Area:     s.Area(i),
		Commune:  s.str(s.commune[i]), CommuneCode: s.str(s.communeCode[i]),
		Place:   s.str(s.place[i]),
		Address: s.Address(i),
		Height:  metres(s.height[i]), HeightText: s.str(s.heightText[i]),
		Nature:        site.Coded{Code: s.str(s.natureCode[i]), Label: s.str(s.nature[i])},
		Owner:         site.Coded{Code: s.str(s.ownerCode[i]), Label: s.str(s.owner[i])},
		AntennaHeight: metres(s.antennaHeight[i]),
		Implemented:   site.Date(s.implemented[i]), Commissioned: site.Date(s.commissioned[i]),
		TxFrequencies: unpackList(dst.TxFrequencies[:0], s.bytes(s.tx[i])),
		RxFrequencies: unpackList(dst.RxFrequencies[:0], s.bytes(s.rx[i])),
		FixedLink:     s.flags[i]&flagFixedLink != 0,
		SharedRadio:   s.flags[i]&flagSharedRadio != 0,
		Crozon:        s.flags[i]&flagCrozon != 0,
		CrozonLeader:  s.str(s.crozonLeader[i]),
		Registers:     s.registers[i],
		Antennas:      s.antennas(i, dst.Antennas[:0]),
		Stations:      slices.Grow(dst.Stations[:0], int(s.stationStart[i+1]-s.stationStart[i])),
		Emissions:     slices.Grow(dst.Emissions[:0], int(s.emissionStart[i+1]-s.emissionStart[i])),
		Radio:         slices.Grow(dst.Radio[:0], int(s.radioStart[i+1]-s.radioStart[i])),
	}
	dst.PostalCode, dst.MorePostal, _ = strings.Cut(s.str(s.postalCode[i]), "/")
	for r := s.stationStart[i]; r < s.stationStart[i+1]; r++ {
		dst.Stations = append(dst.Stations, site.Station{
			Code: s.str(s.stationCode[r]), Operator: int(s.stationOperator[r]),
			OperatorSiteID: s.str(s.operatorSiteID[r])})
	}
	first := s.emissionStart[i]
	dst.Emissions = dst.Emissions[:s.emissionStart[i+1]-first]
	for k := range dst.Emissions {
		e := first + uint32(k)
		dst.Emissions[k] = site.Emission{
			Station: int(s.emissionStation[e]), System: s.Systems[s.emissionSystem[e]], Order: int(s.emissionSystem[e]),
			Generation: site.Generation(s.emissionGeneration[e]), Status: int(s.emissionStatus[e]) - 1,
			On:       site.Date(s.emissionOn[e]),
			Azimuths: unpackList(dst.Emissions[k].Azimuths[:0], s.bytes(s.emissionAzimuths[e])),
			Origin:   site.Origin(s.emissionOrigin[e])}
	}
	for r := s.radioStart[i]; r < s.radioStart[i+1]; r++ {
		dst.Radio = append(dst.Radio, s.radioID(r))
	}
}

func (s *columns) bytes(r ref) []byte {
	if r == 0 {
		return nil
	}
	return s.text[s.stringEnd[r-1]:s.stringEnd[r]]
}

func (s *columns) str(r ref) string {
	b := s.bytes(r)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func metres(mm int32) float64 {
	if mm == noLength {
		return site.Unknown
	}
	return float64(mm) / 1000
}
