package anfr

import (
	"relais/ingest/source"
	"relais/ingest/table"
)

// The names of the kinds, as reports and the kept sources call them.
const (
	Observatory      = "anfr-observatoire"
	kindAntennas     = "anfr-sup-antenne"
	kindEmitters     = "anfr-sup-emetteur"
	kindBands        = "anfr-sup-bande"
	kindStations     = "anfr-sup-station"
	kindSupports     = "anfr-sup-support"
	kindNatures      = "anfr-ref-nature"
	kindOwners       = "anfr-ref-proprietaire"
	kindAntennaTypes = "anfr-ref-type-antenne"
	kindLicensees    = "anfr-ref-exploitant"
	kindArcepSites   = "arcep-sites"
	kindLaPoste      = "communes-laposte"
	kindInsee        = "communes-insee"
	kindRadioNodes   = "radio-ntm"
	kindLeaders      = "crozon-leaders"
)

// Kinds lists the tables that the package reads. The code that reads a table numbers its
// columns.
var Kinds = []*source.Kind{
	// Every known variant of the weekly file is UTF-8: other bytes show that the file was
	// converted, and perhaps damaged.
	{Name: Observatory, Columns: observatoryColumns, More: maxMore, Others: []string{"list_azimut"},
		Options: table.Options{UTF8: true}},
	{Name: kindAntennas, Columns: antennaColumns},
	{Name: kindEmitters, Columns: emitterColumns},
	{Name: kindBands, Columns: bandColumns},
	{Name: kindStations, Columns: stationColumns},
	{Name: kindSupports, Columns: supportColumns, Others: supportOthers},
	{Name: kindNatures, Columns: requiredColumns("NAT_ID", "NAT_LB_NOM")},
	{Name: kindOwners, Columns: requiredColumns("TPO_ID", "TPO_LB")},
	{Name: kindAntennaTypes, Columns: requiredColumns("TAE_ID", "TAE_LB")},
	{Name: kindLicensees, Columns: requiredColumns("ADM_ID", "ADM_LB_NOM")},
	{Name: kindArcepSites, Columns: arcepColumns, Others: arcepOthers, Slot: arcepSlot},
	{Name: kindLaPoste, Columns: laPosteColumns, Ignored: laPosteOthers},
	{Name: kindInsee, Columns: inseeColumns, Ignored: inseeOthers},
	{Name: kindRadioNodes, Columns: nodeColumns, Options: table.Options{NoHeader: true, Comma: ';'}, Sniff: isRadioNode,
		Many: true},
	{Name: kindLeaders, Columns: requiredColumns("sup_id", "leader")},
}

func requiredColumns(names ...string) []table.Column {
	cols := make([]table.Column, len(names))
	for i, n := range names {
		cols[i] = table.Column{Name: n, Required: true}
	}
	return cols
}
