package anfr

import (
	"bytes"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/snapshot"
)

// Columns of ARCEP's sites.
const (
	arcepOperator = iota
	arcepSite
	arcepStation
	arcepShared
	arcepCommune
)

var arcepColumns = []table.Column{
	{Name: "code_op", Required: true, Blank: true}, {Name: "num_site", Required: true},
	{Name: "id_station_anfr", Required: true},
	{Name: "id_site_partage", Required: true, Blank: true, Gives: snapshot.SharedRadio}, // without it no site would be shared
	{Name: "insee_com"}, {Name: "nom_op"}, {Name: "nom_com"},
}

var arcepOthers = []string{"x", "y", "latitude", "longitude", "nom_reg", "nom_dep", "insee_dep", "site_2g", "site_3g",
	"site_4g", "site_5g",
	"mes_4g_trim", "site_ZB", "site_DCC", "site_strategique", "site_capa_240mbps", "date_ouverturecommerciale_5g",
	"site_5g_700_m_hz", "site_5g_800_m_hz", "site_5g_1800_m_hz", "site_5g_2100_m_hz", "site_5g_3500_m_hz"}

// arcepSlot distinguishes the file of the mainland from that of overseas, which are read
// together. Station numbers and communes show where a row is. The operator's code does
// not: Orange has the mainland's on overseas rows too.
func arcepSlot(first *table.Reader) string {
	for _, code := range [][]byte{first.Field(arcepStation), first.Field(arcepCommune)} {
		if len(code) == 0 {
			continue
		}
		if bytes.HasPrefix(code, []byte("97")) || bytes.HasPrefix(code, []byte("98")) {
			return "outremer"
		}
		return "metropole"
	}
	if bytes.HasPrefix(first.Field(arcepOperator), []byte("208")) {
		return "metropole"
	}
	return "outremer"
}

// arcepRow adds the operator's own name of a site, and whether the site belongs to a
// programme of shared networks. The station determines the operator: overseas rows may
// have a code_op of the mainland.
func (c *country) arcepRow(r *source.Reader) string {
	at, reason := c.findStation(r.Field(arcepStation))
	if reason != "" {
		return reason
	}
	id := r.Field(arcepSite)
	if len(id) == 0 {
		return "no site id of the operator"
	}
	shared := len(r.Field(arcepShared)) > 0
	for ; at != noNext; at = c.station(at).next {
		s := c.station(at)
		s.shared = s.shared || shared
		if s.siteID == 0 {
			s.siteID = c.appendText(id)
		}
		if c.texts.Text(s.siteID) != validText(id) {
			reason = "station has another site id already"
		}
	}
	return reason
}
