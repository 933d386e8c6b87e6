package anfr

import (
	"cmp"
	"slices"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/site"
	"relais/snapshot"
)

// An antenna of SUP_ANTENNE. Its own row names the support: a station can span two.
type antenna struct {
	support, station     uint32
	aer                  uint32
	base                 int32  // lower end in millimetres above ground; -1: unknown
	ofStation, ofSupport uint32 // the next antenna of it
	systems              uint32 // bits of those that it has, by number; of later ones see country.emitted
	azimuth              int16  // degrees; -1: unknown
	kind                 uint8
}

// Kinds of antennas that are treated differently.
const (
	sector = iota
	dish   // TAE_ID 17
	shared // TAE_ID 75: RAN sharing
)

// maxAntennas bounds the antennas of a station, which are searched one after the other. The largest station has some
// tens.
const maxAntennas = 1000

// Columns of SUP_ANTENNE.
const (
	antStation = iota
	antNumber
	antType
	antAzimuth
	antSupport
	antBase
)

var antennaColumns = []table.Column{
	{Name: "STA_NM_ANFR", Required: true}, {Name: "AER_ID", Required: true},
	{Name: "TAE_ID", Required: true, Gives: snapshot.FixedLinks}, // without types, dishes would be sectors
	{Name: "AER_NB_AZIMUT", Required: true, Blank: true, Gives: snapshot.Azimuths}, {Name: "SUP_ID", Required: true},
	{Name: "AER_NB_ALT_BAS", Gives: snapshot.AntennaHeights},
	{Name: "AER_NB_DIMENSION"}, {Name: "AER_FG_RAYON"},
}

func (c *country) antennaRow(r *source.Reader) string {
	sta, reason := c.rowStation(r, antStation)
	if reason != "" {
		return reason
	}
	sup, reason := c.findSupport(r.Field(antSupport))
	if reason != "" {
		return reason
	}
	aer, ok := parseWhole(r.Field(antNumber))
	if !ok {
		return "no antenna number"
	}
	a := antenna{support: sup, station: sta, aer: aer, azimuth: parseAzimuth(r.Field(antAzimuth)), base: -1}
	switch string(r.Field(antType)) {
	case "17":
		a.kind = dish
	case "75":
		a.kind = shared
	}
	if h, ok := parseFixed(r.Field(antBase), 3); ok && h >= 0 && h < 1e6 {
		a.base = int32(h)
	}
	return c.addAntenna(a)
}

// addAntenna adds an antenna. It returns the reason for rejecting it, "" for none.
func (r *records) addAntenna(a antenna) (reason string) {
	twice, n := r.findAntenna(a.station, a.aer)
	switch {
	case twice != nil:
		return "antenna given twice"
	case n == maxAntennas:
		return "over 1000 antennas of one station"
	}
	station, support := r.station(a.station), r.support(a.support)
	a.ofStation, a.ofSupport = station.antenna, support.antenna
	station.antenna = uint32(r.antennas.Len())
	support.antenna = station.antenna
	r.antennas.Append(a)
	support.fixedLink = support.fixedLink || a.kind == dish
	return ""
}

// findAntenna returns the antenna that emitters refer to by station and number, since AER_ID alone is not unique. If
// the station has no such antenna, it returns nil and how many others there are.
func (r *records) findAntenna(station, aer uint32) (found *antenna, n int) {
	for at := r.station(station).antenna; at != noNext; n++ {
		a := r.antennas.At(int(at))
		if a.aer == aer {
			return a, n
		}
		at = a.ofStation
	}
	return nil, n
}

// parseAzimuth parses degrees from true north, rounded to 0 to 359; -1: unknown.
func parseAzimuth(b []byte) int16 {
	a, ok := parseFixed(b, 0)
	if !ok || a < 0 || a > 360 {
		return -1
	}
	return int16(a % 360)
}

// antennasOf appends the antennas of a support to a list, sorted by number.
func (r *records) antennasOf(s *support, list []antenna) []antenna {
	for at := s.antenna; at != noNext; {
		a := r.antennas.At(int(at))
		list, at = append(list, *a), a.ofSupport
	}
	slices.SortFunc(list, func(a, b antenna) int {
		return cmp.Or(cmp.Compare(a.aer, b.aer), cmp.Compare(a.station, b.station))
	})
	return list
}

// fillAntennas adds what the antennas of a support say about it. They are sorted by number. on has the bits of the
// operators with emissions on the support.
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
		operator := c.station(a.station).operatorBit()
		declared |= operator
		s.SharedRadio = s.SharedRadio || a.kind == shared || declared != operator
		s.Crozon = s.Crozon || operator&pair != 0 && (a.kind == shared || declared&^operator&pair != 0)
		if h := float64(a.base) / 1000; a.kind != dish && a.base >= 0 && !(h <= s.AntennaHeight) { // false also for an unknown height
			s.AntennaHeight = h
		}
	}
}
