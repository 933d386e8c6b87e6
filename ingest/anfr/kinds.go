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

// Kinds lists what the package reads. Columns are named here and numbered
// beside the code that reads them.
var Kinds = []*source.Kind{
	// The weekly publication is UTF-8 in every variant that was ever seen: a
	// byte that is not says that somebody converted it, and perhaps more.
	{Name: Observatory, Columns: observatoryColumns, Others: []string{"list_azimut"},
		Options: table.Options{UTF8: true}},
	{Name: Antennas, Columns: antennaColumns},
	{Name: Emitters, Columns: emitterColumns},
	{Name: Bands, Columns: bandColumns},
	{Name: Stations, Columns: stationColumns},
	{Name: Supports, Columns: supportColumns, Others: supportOthers},
	{Name: Natures, Columns: required("NAT_ID", "NAT_LB_NOM")},
	{Name: Owners, Columns: required("TPO_ID", "TPO_LB")},
	{Name: AntennaType, Columns: required("TAE_ID", "TAE_LB")},
	{Name: Licensees, Columns: required("ADM_ID", "ADM_LB_NOM")},
	{Name: ArcepSites, Columns: arcepColumns, Others: arcepOthers, Slot: arcepSlot},
	{Name: LaPoste, Columns: laPosteColumns},
	{Name: Insee, Columns: inseeColumns},
	{Name: RadioNodes, Columns: nodeColumns, Options: table.Options{NoHeader: true, Comma: ';'}, Sniff: isRadioNode,
		Many: true},
	{Name: Leaders, Columns: required("sup_id", "leader")},
}

func required(names ...string) []table.Column {
	cols := make([]table.Column, len(names))
	for i, n := range names {
		cols[i] = table.Column{Name: n, Required: true}
	}
	return cols
}
