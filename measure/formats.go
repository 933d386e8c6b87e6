package measure

import (
	"slices"

	"relais/ingest/cells"
	"relais/ingest/source"
	"relais/ingest/table"
)

// A role is the meaning of a column.
type role int

const (
	timestamp role = iota // see clock
	timeOfDay             // where the day has a column of its own
	wholeTime             // both, where it is not empty
	lat
	lng
	mcc
	mnc
	plmn // both codes, one after the other
	operator
	tech
	cell
	enb
	gnb
	pci
	signal
	rsrp
	rsrq
	snr
	download
	averageDownload
	maxDownload
	upload
	transfer  // a speed whose direction the protocol tells
	protocol  // of a test
	rscp      // level of 3G
	service   // whether the phone had a network
	territory // see territories
	situation // where the phone was, such as in a train
	rtt
	networkType
	deviceType
	serving   // false: a neighbour of the cell that serves
	neighbour // true: the same
	roles
)

// A clock is the form of a format's times.
type clock uint8

const (
	zoned   clock = iota // ISO 8601 with its zone
	utc                  // UTC, stated or not
	local                // the market's legal time if no zone is stated; days may be dd/mm/yyyy
	epoch                // Unix seconds or milliseconds
	noClock              // the format states no time
)

// A format is a kind of table with the roles of its columns.
type format struct {
	kinds   []Kind // possible kinds of its rows, the first unless the import states another
	kind    *source.Kind
	clock   clock
	roles   map[string]role
	more    map[string]role // columns for NR with roles that other columns have for other technologies
	only    string          // technology of all rows
	zeroPCI bool            // a PCI of 0 is valid, not unknown
	// published is who publishes the files, nil for those of apps. Such a file gives all of its kinds at once.
	published *publisher
	local     bool // the cell is the one within the eNB, see cells.LocalECI
}

// The tables that no other package knows: the project's own exports. A table with a country code or a network code must have both.
var (
	plainSpeedtests = &source.Kind{Name: "speedtests", Options: table.Options{Comma: ',', OneLine: true}, Many: true,
		Ignored: []string{"id"},
		Columns: []table.Column{
			{Name: "timestamp", Required: true}, {Name: "lat", Aliases: []string{"latitude"}, Required: true},
			{Name: "lng", Aliases: []string{"lon", "longitude"}, Required: true},
			{Name: "download_mbps", Required: true, Blank: true}, {Name: "average_mbps"}, {Name: "max_mbps"},
			{Name: "upload_mbps"},
			{Name: "ping_ms"},
			{Name: "mcc", With: "mnc", Required: true, Blank: true},
			{Name: "mnc", With: "mcc", Required: true, Blank: true},
			{Name: "operator", Aliases: []string{"mobile_operator"}}, {Name: "network_type"}, {Name: "connection_type"},
			{Name: "device_type"},
			{Name: "enb"}, {Name: "gnb"}, {Name: "cell_id"}, {Name: "pci"}, {Name: "rsrp"}, {Name: "rsrq"},
			{Name: "snr"}}}
	plainCoverage = &source.Kind{Name: "coverage", Options: table.Options{Comma: ',', OneLine: true}, Many: true,
		Ignored: []string{"id"},
		Columns: []table.Column{
			{Name: "timestamp", Required: true}, {Name: "lat", Aliases: []string{"latitude"}, Required: true},
			{Name: "lng", Aliases: []string{"lon", "longitude"}, Required: true},
			{Name: "signal_strength"}, {Name: "technology", Required: true, Blank: true}, {Name: "network_type"},
			{Name: "mcc", With: "mnc", Required: true, Blank: true},
			{Name: "mnc", With: "mcc", Required: true, Blank: true},
			{Name: "operator", Aliases: []string{"mobile_operator"}},
			{Name: "enb"}, {Name: "gnb"}, {Name: "cell_id"}, {Name: "pci"}, {Name: "rsrp"}, {Name: "rsrq"},
			{Name: "snr"}}}
)

// ownRoles are the roles of the columns of the project's own tables.
var ownRoles = map[string]role{
	"timestamp": timestamp, "lat": lat, "lng": lng, "download_mbps": download, "average_mbps": averageDownload,
	"max_mbps":    maxDownload,
	"upload_mbps": upload, "ping_ms": rtt,
	"mcc": mcc, "mnc": mnc, "operator": operator, "network_type": networkType, "connection_type": tech,
	"technology": tech, "device_type": deviceType,
	"enb": enb, "gnb": gnb, "cell_id": cell, "pci": pci, "signal_strength": signal, "rsrp": rsrp, "rsrq": rsrq,
	"snr": snr,
}

// formats are the tables that can be read. The tables of apps are detected as by package cells,
// and have more columns here.
var formats = requireTimes([]format{
	{kinds: []Kind{Speedtest}, kind: plainSpeedtests, roles: ownRoles, zeroPCI: true},
	{kinds: []Kind{Coverage}, kind: plainCoverage, roles: ownRoles, zeroPCI: true},
	{kinds: []Kind{Speedtest, Coverage}, kind: arcep, clock: local, zeroPCI: true, roles: arcepRoles,
		published: arcepPublisher},
	{kinds: []Kind{Speedtest, Coverage}, kind: arcep2022, clock: local, roles: arcep2022Roles,
		published: arcepPublisher},
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-opencellid"), clock: epoch, roles: map[string]role{
		"radio": tech, "mcc": mcc, "net": mnc, "cell": cell, "unit": pci, "lon": lng, "lat": lat, "updated": timestamp,
		"averageSignal": signal}},
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-towercollector", "measured_at", "dbm", "rsrp", "rsrq", "rssnr",
		"ss_rsrp", "ss_rsrq", "ss_sinr"), clock: utc,
		roles: map[string]role{"mcc": mcc, "mnc": mnc, "cell_id": cell, "lat": lat, "lon": lng, "net_type": tech,
			"neighboring": neighbour,
			"measured_at": timestamp, "dbm": signal, "rsrp": rsrp, "rsrq": rsrq, "rssnr": snr},
		more: map[string]role{"ss_rsrp": rsrp, "ss_rsrq": rsrq, "ss_sinr": snr}},
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-gmon", "RSSI", "RSRP/RSCP", "RSRQ/ECIO", "SNR", "DATE", "TIME",
		"NR_SS_RSRP", "NR_SS_RSRQ", "NR_SS_SINR"), clock: local,
		roles: map[string]role{"PLMN": plmn, "SYSTEM": tech, "XCI": cell, "xNBID": enb, "PCI/PSC/BSIC": pci, "LAT": lat,
			"LON":  lng,
			"RSSI": signal, "RSRP/RSCP": rsrp, "RSRQ/ECIO": rsrq, "SNR": snr, "DATE": timestamp, "TIME": timeOfDay},
		more: map[string]role{"NR_SS_RSRP": rsrp, "NR_SS_RSRQ": rsrq, "NR_SS_SINR": snr}},
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-cellmapper"), clock: noClock, roles: map[string]role{
		"lat": lat, "lon": lng, "MCC": mcc, "MNC": mnc, "Cell": cell, "Signal": signal, "Type": tech, "PCI": pci}},
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-networksurvey-lte", "rsrp", "rsrq", "snr", "signalStrength",
		"provider"),
		only: "LTE", roles: networkSurveyRoles("eci")},
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-networksurvey-nr", "ssRsrp", "ssRsrq", "ssSinr", "signalStrength",
		"provider"), only: "NR", roles: networkSurveyRoles("nci")},
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-neostumbler", "timestamp", "signalStrength"), clock: epoch,
		roles: map[string]role{"timestamp": timestamp, "latitude": lat, "longitude": lng, "cellId": cell, "radioType": tech,
			"mcc": mcc, "mnc": mnc, "psc": pci, "signalStrength": signal}},
	// Its column signal has ASU or dBm, and does not say which.
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-towercollector-upload", "measured_at"), clock: utc,
		roles: map[string]role{"lat": lat, "lon": lng, "mcc": mcc, "mnc": mnc, "cellid": cell, "pci": pci, "act": tech,
			"measured_at": timestamp}},
	{kinds: []Kind{Coverage}, kind: cellsKind("cells-netmonster"), clock: noClock, local: true, roles: map[string]role{
		"RAT": tech, "MCC": mcc, "MNC": mnc, "CI": cell, "eNB": enb, "PCI": pci, "Lat": lat, "Lon": lng}},
})

// requireTimes makes the columns of times required: without them, every row is rejected.
func requireTimes(list []format) []format {
	for _, f := range list {
		for i := range f.kind.Columns {
			c := &f.kind.Columns[i]
			if r, ok := f.roles[c.Name]; ok && (r == timestamp || r == timeOfDay) {
				c.Required = true
			}
		}
	}
	return list
}

func networkSurveyRoles(number string) map[string]role {
	return map[string]role{"deviceTime": timestamp, "mcc": mcc, "mnc": mnc, number: cell, "pci": pci, "latitude": lat,
		"longitude": lng, "servingCell": serving,
		"provider": operator, "signalStrength": signal, "rsrp": rsrp, "rsrq": rsrq, "snr": snr, "ssRsrp": rsrp,
		"ssRsrq": rsrq, "ssSinr": snr}
}

// cellsKind returns a kind of package cells with more optional columns.
func cellsKind(name string, columns ...string) *source.Kind {
	k := *cells.Kinds[slices.IndexFunc(cells.Kinds, func(k *source.Kind) bool { return k.Name == name })]
	k.Columns = slices.Clone(k.Columns)
	for _, c := range columns {
		if !slices.ContainsFunc(k.Columns, func(o table.Column) bool { return o.Name == c }) {
			k.Columns = append(k.Columns, table.Column{Name: c})
		}
	}
	return &k
}

// sourceKinds returns the kinds of the formats, and those that are refused.
func sourceKinds() (list []*source.Kind) {
	for i := range formats {
		list = append(list, formats[i].kind)
	}
	for _, k := range cells.Kinds {
		if !slices.ContainsFunc(list, func(o *source.Kind) bool { return o.Name == k.Name }) {
			plan := *k
			plan.Refused = "a list of cells, not of measurements: relais ingest takes its identifiers"
			list = append(list, &plan)
		}
	}
	return append(list, cells.Refused...)
}

// positions returns the positions of the columns by role, and of the columns for NR that
// replace them; -1 for none.
func (f *format) positions() (first, second [roles]int) {
	for r := range roles {
		first[r], second[r] = -1, -1
	}
	for i, c := range f.kind.Columns {
		if r, ok := f.roles[c.Name]; ok {
			first[r] = i
		}
		if r, ok := f.more[c.Name]; ok {
			second[r] = i
		}
	}
	return first, second
}
