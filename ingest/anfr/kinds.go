package anfr

import (
	"relais/ingest/source"
	"relais/ingest/table"
)

// The names of the kinds, as reports and the kept sources call them.
const (
	Observatory = "anfr-observatoire"
	Antennas    = "anfr-sup-antenne"
	Emitters    = "anfr-sup-emetteur"
	Bands       = "anfr-sup-bande"
	Stations    = "anfr-sup-station"
	Supports    = "anfr-sup-support"
	Natures     = "anfr-ref-nature"
	Owners      = "anfr-ref-proprietaire"
	AntennaType = "anfr-ref-type-antenne"
	Licensees   = "anfr-ref-exploitant"
	ArcepSites  = "arcep-sites"
	LaPoste     = "communes-laposte"
	Insee       = "communes-insee"
	RadioNodes  = "radio-ntm"
	Leaders     = "crozon-leaders"
)

// Kinds lists the tables that the package reads. The code that reads a table numbers its
// columns.
var Kinds = []*source.Kind{
	// Every known variant of the weekly file is UTF-8: other bytes show that the file was
	// converted, and perhaps damaged.
	{Name: Observatory, Columns: observatoryColumns, Others: []string{"list_azimut"},
		Options: table.Options{UTF8: true}},
	{Name: Antennas, Columns: antennaColumns},
	{Name: Emitters, Columns: emitterColumns},
	{Name: Bands, Columns: bandColumns},
	{Name: Stations, Columns: stationColumns},
	{Name: Supports, Columns: supportColumns, Others: supportOthers},
	{Name: Natures, Columns: requiredColumns("NAT_ID", "NAT_LB_NOM")},
	{Name: Owners, Columns: requiredColumns("TPO_ID", "TPO_LB")},
	{Name: AntennaType, Columns: requiredColumns("TAE_ID", "TAE_LB")},
	{Name: Licensees, Columns: requiredColumns("ADM_ID", "ADM_LB_NOM")},
	{Name: ArcepSites, Columns: arcepColumns, Others: arcepOthers, Slot: arcepSlot},
	{Name: LaPoste, Columns: laPosteColumns},
	{Name: Insee, Columns: inseeColumns},
	{Name: RadioNodes, Columns: nodeColumns, Options: table.Options{NoHeader: true, Comma: ';'}, Sniff: isRadioNode,
		Many: true},
	{Name: Leaders, Columns: requiredColumns("sup_id", "leader")},
}

func requiredColumns(names ...string) []table.Column {
	cols := make([]table.Column, len(names))
	for i, n := range names {
		cols[i] = table.Column{Name: n, Required: true}
	}
	return cols
}
