package anfr

import (
	"bytes"
	"cmp"
	"slices"

	"relais/ingest/source"
	"relais/ingest/table"
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
	{Name: "NAT_ID", Gives: snapshot.Natures}, {Name: "SUP_NM_HAUT", Gives: snapshot.Heights},
	{Name: "TPO_ID", Gives: snapshot.Owners},
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
	s := c.support(at)
	for _, p := range []struct {
		text   *uint32
		column int
	}{{&s.nature, supNature}, {&s.height, supHeight}, {&s.owner, supOwner}} {
		if *p.text == 0 {
			*p.text = c.internText(r.Field(p.column))
		}
	}
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
	{Name: "DTE_IMPLANTATION", Required: true, Blank: true, Gives: snapshot.ImplementationDates},
	{Name: "DTE_EN_SERVICE", Required: true, Blank: true, Gives: snapshot.CommissioningDates},
	{Name: "ADM_ID"}, {Name: "DEM_NM_COMSIS"}, {Name: "DTE_MODIF"},
}

func (c *country) stationRow(r *source.Reader) string {
	at, reason := c.findStation(r.Field(staStation))
	if reason != "" {
		return reason
	}
	implemented, commissioned := r.Date(staImplemented), r.Date(staCommissioned)
	for ; at != noNext; at = c.station(at).next {
		c.station(at).implemented, c.station(at).commissioned = int32(implemented), int32(commissioned)
	}
	return ""
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
	sta, reason := c.rowStation(r, emiStation)
	if reason != "" {
		return reason
	}
	aer, ok := parseWhole(r.Field(emiAntenna))
	if !ok {
		return "no antenna number"
	}
	antenna, _ := c.findAntenna(sta, aer)
	if antenna == nil {
		return "no antenna of this station and number"
	}
	system, sup := r.Field(emiSystem), antenna.support
	if bytes.HasPrefix(system, []byte("FH")) {
		c.support(sup).fixedLink = true
		return ""
	}
	known, isKnown := c.systemOf[string(system)]
	if !isKnown && !isPublicSystem(system) {
		return otherSystem
	}
	number, ok := parseWhole(r.Field(emiNumber))
	if !ok {
		return "no emitter number"
	}
	if isKnown {
		c.addEmitted(antenna, known)
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

// emittersDone sorts the emitters by number, for the bands to search.
func (l *emitterList) emittersDone() error {
	byNumber := func(a, b emitter) int { return cmp.Compare(a.number, b.number) }
	if !slices.IsSortedFunc(l.emitters, byNumber) {
		slices.SortStableFunc(l.emitters, byNumber)
	}
	return nil
}
