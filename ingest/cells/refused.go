package cells

import (
	"bytes"

	"relais/ingest/source"
	"relais/ingest/table"
)

// Refused lists tables of apps that are known, and not read.
var Refused = []*source.Kind{
	oldLog("gsm", "GSM", "ci", "lac", "arfcn", "bsic", "ta"),
	oldLog("umts", "UMTS", "cid", "lac", "uarfcn", "psc", "rscp"),
	oldLog("cdma", "CDMA", "bsid", "sid", "nid", "zone", "channel", "pnOffset"),
	{Name: "wigle", Magic: "WigleWifi-", Refused: "a file of WiGLE: nearly all of its rows are of Wi-Fi and Bluetooth devices " +
		"of other people, so it is not read; log cells with an app of docs/data-sources.md"},
	{Name: "clf2", Options: table.Options{Comma: '\t', NoHeader: true}, Columns: []table.Column{{Name: "cell"}, {Name: "text"}},
		Sniff: isCLF2, Refused: "a cell list in CLF 2, which states neither technologies nor positions: export it as CLF 4.0"},
	{Name: "clf3", Options: table.Options{Comma: ';', NoHeader: true}, Sniff: isCLF3,
		Columns: []table.Column{{Name: "MCCMNC"}, {Name: "cell"}, {Name: "LAC"}, {Name: "RNC"}, {Name: "lat"}, {Name: "lon"},
			{Name: "posrat"}, {Name: "text"}, {Name: "last"}},
		Refused: "a cell list in CLF 3, which does not state technologies: export it as CLF 4.0"},
}

// oldLog is Network Survey's log of a technology before LTE. Its columns are those of the classes GsmCsvConstants,
// UmtsCsvConstants and CdmaCsvConstants of christianrowlands/android-network-survey.
func oldLog(name, technology string, columns ...string) *source.Kind {
	k := &source.Kind{Name: "networksurvey-" + name, Options: table.Options{Comma: ',', Comment: '#'},
		Others: []string{"deviceTime", "latitude", "longitude", "mcc", "mnc", "servingCell", "provider", "signalStrength"},
		Refused: "a log of " + technology + ", which has nothing that can be looked up: only cells of LTE and NR have " +
			"identifiers of the kinds eNB, ECI, gNB and NCI"}
	for _, c := range columns {
		k.Columns = append(k.Columns, table.Column{Name: c, Required: true})
	}
	return k
}

// isCLF2 recognises a record by its first field: cell and LAC of 4 or 5 digits or more, and the network.
func isCLF2(t *table.Reader) bool {
	digits := t.Field(0)
	return t.Whole() && len(digits) >= 13 && len(bytes.Trim(digits, "0123456789ABCDEF")) == 0
}

func isCLF3(t *table.Reader) bool {
	network, ratio := t.Field(0), string(t.Field(6))
	_, ok := parseDigits(network)
	return t.Whole() && ok && len(network) >= 5 && len(network) <= 6 && isNumeric(t.Field(4)) && isNumeric(t.Field(5)) &&
		(ratio == "0" || ratio == "-1") && string(t.Field(8)) == "0"
}
