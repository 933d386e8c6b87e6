package anfr

import (
	"bytes"

	"relais/ingest/source"
	"relais/ingest/table"
)

var arcepColumns = []table.Column{
	{Name: "code_op", Required: true}, {Name: "num_site", Required: true}, {Name: "id_station_anfr", Required: true},
	{Name: "id_site_partage"}, {Name: "nom_op"}, {Name: "insee_com"}, {Name: "nom_com"},
}

// arcepSlot tells the publication for the mainland from the one for overseas:
// they stand side by side.
func arcepSlot(first *table.Reader) string {
	if bytes.HasPrefix(first.Field(0), []byte("208")) {
		return "metropole"
	}
	return "outremer"
}

// arcepRow takes in the operator's own name of a site, and whether the site
// belongs to a programme of shared networks. The station says the operator: a
// code_op of the mainland stands on overseas rows too.
func (c *country) arcepRow(r *source.Reader) string {
	at, reason := c.findStation(r.Field(2))
	if reason != "" {
		return reason
	}
	id := r.Field(1)
	if len(id) == 0 {
		return "no site id of the operator"
	}
	s := &c.stations[at]
	s.shared = s.shared || len(r.Field(3)) > 0
	if s.siteID != "" && s.siteID != string(id) {
		return "station has another site id already"
	}
	s.siteID = clean(id)
	return ""
}
