package anfr

import (
	"bytes"
	"cmp"
	"slices"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/site"
	"relais/snapshot"
)

// Columns of SUP_SUPPORT.
const (
	supSupport = iota
	_
	supNature
	supHeight
	supOwner
)

// The columns that may be blank only distinguish the table from the observatoire.
var supportColumns = []table.Column{
	{Name: "SUP_ID", Required: true}, {Name: "STA_NM_ANFR", Required: true, Blank: true},
	{Name: "NAT_ID"}, {Name: "SUP_NM_HAUT"}, {Name: "TPO_ID"},
	{Name: "COR_NB_DG_LAT", Required: true, Blank: true}, {Name: "COR_NB_MN_LAT", Required: true, Blank: true},
	{Name: "COR_CD_EW_LON", Required: true, Blank: true},
}

// supportOthers are columns of SUP_SUPPORT that the observatoire has too.
var supportOthers = []string{"COR_NB_SC_LAT", "COR_CD_NS_LAT", "COR_NB_DG_LON", "COR_NB_MN_LON", "COR_NB_SC_LON",
	"ADR_LB_LIEU", "ADR_LB_ADD1", "ADR_LB_ADD2", "ADR_LB_ADD3", "ADR_NM_CP", "COM_CD_INSEE"}

// supportRow fills in properties of a support that the observatoire left empty.
func (c *country) supportRow(r *source.Reader) string {
	at, reason := c.findSupport(r.Field(supSupport))
	if reason != "" {
		return reason
	}
	s := &c.supports[at]
	s.nature = cmp.Or(s.nature, c.intern(r.Field(supNature)))
	s.height = cmp.Or(s.height, c.intern(r.Field(supHeight)))
	s.owner = cmp.Or(s.owner, c.intern(r.Field(supOwner)))
	return ""
}

// Columns of SUP_STATION.
const (
	staStation = iota
	staImplemented
	staCommissioned
)

var stationColumns = []table.Column{
	{Name: "STA_NM_ANFR", Required: true},
	{Name: "DTE_IMPLANTATION", Required: true, Blank: true, Gives: snapshot.Dates},
	{Name: "DTE_EN_SERVICE", Required: true, Blank: true, Gives: snapshot.Dates},
	{Name: "ADM_ID"}, {Name: "DEM_NM_COMSIS"}, {Name: "DTE_MODIF"},
}

func (c *country) stationRow(r *source.Reader) string {
	at, reason := c.findStation(r.Field(staStation))
	if reason != "" {
		return reason
	}
	implemented, commissioned := site.ParseDate(r.Field(staImplemented)), site.ParseDate(r.Field(staCommissioned))
	for ; at != noNext; at = c.stations[at].next {
		c.stations[at].implemented, c.stations[at].commissioned = int32(implemented), int32(commissioned)
	}
	return ""
}

// An antenna of SUP_ANTENNE. Its own row names the support: a station can span two.
type antenna struct {
	support, station uint32
	aer              uint32
	azimuth          int16 // degrees; -1: unknown
	kind             uint8
	base             int32 // lower end in millimetres above ground; -1: unknown
}

// Kinds of antennas that are treated differently.
const (
	sector = iota
	dish   // TAE_ID 17
	shared // TAE_ID 75: RAN sharing
)

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
	{Name: "TAE_ID", Required: true, Blank: true},
	{Name: "AER_NB_AZIMUT", Required: true, Blank: true, Gives: snapshot.Azimuths}, {Name: "SUP_ID", Required: true},
	{Name: "AER_NB_ALT_BAS"},
	{Name: "AER_NB_DIMENSION"}, {Name: "AER_FG_RAYON"},
}

func (c *country) antennaRow(r *source.Reader) string {
	sta, reason := c.findStation(r.Field(antStation))
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
	if _, twice := c.antennaOf[antennaKey(sta, aer)]; twice {
		return "antenna given twice"
	}
	c.antennaOf[antennaKey(sta, aer)] = uint32(len(c.antennas))
	c.antennas = append(c.antennas, a)
	c.supports[sup].fixedLink = c.supports[sup].fixedLink || a.kind == dish
	return ""
}

// antennaKey is the key that emitters refer to: AER_ID alone is not unique.
func antennaKey(station, aer uint32) uint64 { return uint64(station)<<32 | uint64(aer) }

// parseAzimuth parses degrees from true north, rounded to 0 to 359; -1: unknown.
func parseAzimuth(b []byte) int16 {
	a, ok := parseFixed(b, 0)
	if !ok || a < 0 || a > 360 {
		return -1
	}
	return int16(a % 360)
}

// An emitter of a public mobile system. Bands refer to it.
type emitter struct{ number, support uint32 }

// Columns of SUP_EMETTEUR.
const (
	emiNumber = iota
	emiSystem
	emiStation
	emiAntenna
)

var emitterColumns = []table.Column{
	{Name: "EMR_ID", Required: true}, {Name: "EMR_LB_SYSTEME", Required: true}, {Name: "STA_NM_ANFR", Required: true},
	{Name: "AER_ID", Required: true}, {Name: "EMR_DT_SERVICE"},
}

func (c *country) emitterRow(r *source.Reader) string {
	sta, reason := c.findStation(r.Field(emiStation))
	if reason != "" {
		return reason
	}
	aer, ok := parseWhole(r.Field(emiAntenna))
	if !ok {
		return "no antenna number"
	}
	at, ok := c.antennaOf[antennaKey(sta, aer)]
	if !ok {
		return "no antenna of this station and number"
	}
	system, sup := r.Field(emiSystem), c.antennas[at].support
	if bytes.HasPrefix(system, []byte("FH")) {
		c.supports[sup].fixedLink = true
		return ""
	}
	if !isPublicSystem(system) {
		return otherSystem
	}
	number, ok := parseWhole(r.Field(emiNumber))
	if !ok {
		return "no emitter number"
	}
	c.emitters = append(c.emitters, emitter{number, sup})
	return ""
}

// isPublicSystem reports whether a system belongs to the public mobile networks: a family
// and a band. "GSM R", "LTE 2600 P" and "5G NR 3500 Expe" do not.
func isPublicSystem(system []byte) bool {
	for _, family := range []string{"GSM ", "UMTS ", "LTE ", "5G NR "} {
		if band, ok := bytes.CutPrefix(system, []byte(family)); ok {
			_, digits := parseWhole(band)
			return digits
		}
	}
	return false
}

// emittersDone sorts the emitters by number, for the bands to search. It gives back what only emitters
// search.
func (c *country) emittersDone() error {
	c.antennaOf = nil
	byNumber := func(a, b emitter) int { return cmp.Compare(a.number, b.number) }
	if !slices.IsSortedFunc(c.emitters, byNumber) {
		slices.SortStableFunc(c.emitters, byNumber)
	}
	return nil
}
