package anfr

import (
	"bytes"
	"unicode"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/internal/fold"
	"relais/site"
	"relais/snapshot"
)

// Columns of the observatoire, as observatoryColumns orders them.
const (
	obsOperator = iota
	obsSupport
	obsSystem
	obsStation
	obsGeneration
	obsPosition
	obsStatus
	obsDate
	obsDepartment
	obsInsee
	obsInsee2
	obsUpdated
	obsNature
	obsHeight
	obsOwner
	obsLieu
	obsAddress1
	obsAddress2
	obsAddress3
	obsPostal
	obsDMS
	obsID
	obsAzimuths
)

var observatoryColumns = []table.Column{
	{Name: "adm_lb_nom", Aliases: []string{"Opérateur"}, Required: true},
	{Name: "sup_id", Aliases: []string{"Numéro de support", "Support"}, Required: true},
	{Name: "emr_lb_systeme", Aliases: []string{"Système"}, Required: true},
	{Name: "sta_nm_anfr", Aliases: []string{"Numéro de station", "Station"}, Required: true},
	{Name: "generation", Aliases: []string{"Génération"}, Required: true},
	{Name: "coordonnees", Aliases: []string{"Coordonnées"}, Required: true, Blank: true}, // coord fills in for it
	{Name: "statut", Required: true},
	{Name: "emr_dt", Aliases: []string{"emr_dt_service", "Mise en service déclaré", "Mise en service déclarée"},
		Gives: snapshot.EmissionDates},
	{Name: "sta_nm_dpt", Aliases: []string{"Département"}},
	{Name: "code_insee", Aliases: []string{"Code INSEE"}, Gives: snapshot.CommuneCodes},
	{Name: "com_cd_insee", Gives: snapshot.CommuneCodes},
	{Name: "date_maj", Aliases: []string{"Date de mise à jour"}},
	{Name: "nat_id", Aliases: []string{"Nature"}, Gives: snapshot.Natures},
	{Name: "sup_nm_haut", Aliases: []string{"Hauteur"}, Gives: snapshot.Heights},
	{Name: "tpo_id", Aliases: []string{"Propriétaire"}, Gives: snapshot.Owners},
	{Name: "adr_lb_lieu", Aliases: []string{"Adresse", "Lieu-dit"}, Gives: snapshot.Places},
	{Name: "adr_lb_add1", Aliases: []string{"Adresse 1"}, Gives: snapshot.Addresses},
	{Name: "adr_lb_add2", Aliases: []string{"Adresse 2"}, Gives: snapshot.Addresses2},
	{Name: "adr_lb_add3", Aliases: []string{"Adresse 3"}, Gives: snapshot.Addresses3},
	{Name: "adr_nm_cp", Aliases: []string{"Code postal"}, Gives: snapshot.PostalCodes},
	{Name: "coord"},
	{Name: "id"}, // archives have it
	{Name: "list_azimut", Gives: snapshot.AzimuthLists}, // since autumn 2026
}

// A fielder has the fields of a row of the observatoire, by the positions in observatoryColumns.
type fielder interface {
	Field(i int) []byte
	Date(i int) site.Date
	Same() uint64 // as of table.Rows
}

// siteColumns are what stationSite is read from.
const siteColumns = 1<<obsSupport | 1<<obsStation | 1<<obsDepartment | 1<<obsInsee | 1<<obsInsee2 | 1<<obsOperator |
	1<<obsPosition | 1<<obsDMS

// A stationSite is what a row says about its station and its support. Rows that follow each other mostly
// say the same.
type stationSite struct {
	number   uint32 // of the support
	code     stationCode
	operator uint8
	where    place
	reason   string // why its rows are rejected, "" if they are not

	known            bool // the indexes are: a row was served
	support, station uint32
}

// observatoryRow adds one emission. It returns the reason for rejection, "" if none.
func (c *country) observatoryRow(r *source.Reader) string {
	support, e, reason := c.emission(r)
	if reason != "" {
		return reason
	}
	e.azimuths = c.azimuths.find(r)
	c.addRow(support, e)
	c.noteDate(r)
	return ""
}

// emission returns the support of a row, and its emission without azimuths, or the reason for rejection.
func (c *country) emission(r fielder) (support uint32, e row, reason string) {
	at := &c.siteBefore
	if r.Same()&siteColumns != siteColumns {
		*at = c.readSite(r)
	}
	if at.reason != "" {
		return 0, e, at.reason
	}
	var g site.Generation
	if g.UnmarshalText(r.Field(obsGeneration)) != nil {
		return 0, e, "unknown generation"
	}
	e.generation = uint8(g)
	if e.status = c.findStatus(r.Field(obsStatus)); e.status < 0 {
		return 0, e, "unknown status"
	}
	ok := false
	if e.system, ok = c.internSystem(r.Field(obsSystem)); !ok {
		return 0, e, "no system"
	}
	if !at.known {
		if at.support, reason = c.supportAt(r, at.number, at.where); reason != "" {
			return 0, e, reason
		}
		at.station = c.internStation(at.code, at.operator, uint8(at.where.target))
		at.known = true
	}
	e.station = at.station
	e.on = int32(r.Date(obsDate))
	return at.support, e, ""
}

// readSite reads the station and the support of a row.
func (c *country) readSite(r fielder) (s stationSite) {
	ok := false
	if s.number, ok = parseWhole(r.Field(obsSupport)); !ok {
		s.reason = "no support number"
		return s
	}
	if s.code, ok = parseStation(r.Field(obsStation)); !ok {
		s.reason = "no station number"
		return s
	}
	s.where = c.findPlace(r)
	if s.reason = s.where.reason; s.reason != "" {
		return s
	}
	t := c.targets[s.where.target]
	operator := t.operators.find(r.Field(obsOperator))
	if operator < 0 {
		s.reason = "operator not served in " + string(t.market.Code)
		return s
	}
	s.operator = uint8(operator)
	return s
}

// findPlace returns the department of a row.
func (c *country) findPlace(r fielder) place {
	dept := departmentOf(r.Field(obsDepartment), firstNonEmpty(r.Field(obsInsee), r.Field(obsInsee2)))
	if dept == nil {
		return place{reason: "no department"}
	}
	if p, ok := c.places[string(dept)]; ok {
		return p
	}
	p := place{reason: notServed(string(dept))}
	for i, t := range c.targets {
		if area, ok := t.market.Area(string(dept)); ok {
			p = place{target: i, area: area}
			if !t.asked {
				p.reason = otherMarket + string(t.market.Code) + " not asked for"
			}
		}
	}
	if cacheable(len(c.places), dept) {
		c.places[string(dept)] = p
	}
	return p
}

func firstNonEmpty(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

// findStatus returns the index of a status in the markets' list, -1 if it is unknown. FR
// and DROM have the same list.
func (c *country) findStatus(raw []byte) int8 {
	if s, ok := c.statusOf[string(raw)]; ok {
		return s
	}
	s := int8(-1)
	for i, known := range c.targets[0].market.Statuses {
		if fold.Equal(known.Name, string(raw)) {
			s = int8(i)
		}
	}
	if cacheable(len(c.statusOf), raw) {
		c.statusOf[string(raw)] = s
	}
	return s
}

// maxSystems bounds the list of systems. The real list has some tens.
const maxSystems = 1000

func (t *systemTable) internSystem(raw []byte) (uint16, bool) {
	if i, ok := t.systemOf[string(raw)]; ok {
		return i, true
	}
	if len(raw) == 0 || len(raw) > 64 || len(t.systems) == maxSystems || bytes.ContainsFunc(raw, unicode.IsControl) {
		return 0, false
	}
	i := uint16(len(t.systems))
	t.systems = append(t.systems, validText(raw))
	t.systemOf[string(raw)] = i
	return i, true
}

// internStation returns the index of the station with this number, operator and target. It
// adds the station if it is new.
func (c *country) internStation(code stationCode, operator, target uint8) uint32 {
	first, ok := c.stationOf[code]
	last := noNext
	if ok {
		for at := first; at != noNext; at = c.station(at).next {
			if s := c.station(at); s.operator == operator && s.target == target {
				return at
			}
			last = at
		}
	}
	at := uint32(c.stations.Len())
	c.stations.Append(station{code: code, operator: operator, target: target, antenna: noNext, next: noNext})
	if ok {
		c.station(last).next = at
	} else {
		c.stationOf[code] = at
	}
	return at
}

// noteDate keeps the timestamp of the edition: date_maj, which is the same on every row. Without one it
// keeps the date in the file's name.
func (c *country) noteDate(r *source.Reader) {
	if c.updated != "" {
		return
	}
	if d := r.Date(obsUpdated); d != 0 {
		c.updated = d.String() + "T" + timeOfDay(r.Field(obsUpdated))
	} else if c.named == 0 {
		c.named = r.From.NameDate()
	}
}

// timeOfDay returns the time of a timestamp as HH:MM:SS, midnight if it has none.
func timeOfDay(raw []byte) string {
	const form = "00:00:00"
	if len(raw) < 11+len(form) {
		return form
	}
	t := raw[11 : 11+len(form)]
	for i := range t {
		if (t[i] == ':') != (form[i] == ':') || t[i] != ':' && (t[i] < '0' || t[i] > '9') {
			return form
		}
	}
	return string(t)
}
