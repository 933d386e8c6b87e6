package cells

import (
	"bytes"
	"slices"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/internal/fold"
	"relais/site"
)

// A role is the meaning of a column.
type role int

const (
	unused     role = iota
	technology      // see generations
	mcc             // mobile country code
	mnc             // mobile network code, with or without leading zeros
	plmn            // mcc and mnc joined
	number          // ECI of LTE, NCI of NR
	node            // eNB of LTE
	pci
	lat
	lng
	serving   // false: a neighbour of the serving cell
	neighbour // true: a neighbour of the serving cell
	roles
)

// A format is a kind of table with the roles of its columns.
type format struct {
	name       string
	options    table.Options
	columns    []column
	technology generation // of the whole file, if no column has it
	personal   []string
	others     []string              // columns that distinguish it from similar formats
	mccSlot    bool                  // files of several countries are read together
	local      bool                  // number is the cell within the eNB where an eNB is stated, see LocalECI
	words      map[string]generation // of the technologies; nil: generations
}

type column struct {
	name string
	role role
}

// formats lists the formats. Without a header, columns are identified by position.
var formats = []format{
	// Mozilla's location service has the same format.
	{name: "cells-opencellid", options: table.Options{Comma: ',', OptionalHeader: true}, mccSlot: true,
		columns: []column{
			{"radio", technology}, {"mcc", mcc}, {"net", mnc}, {"area", unused}, {"cell", number}, {"unit", pci},
			{"lon", lng}, {"lat", lat},
			{"range", unused}, {"samples", unused}, {"changeable", unused}, {"created", unused},
			{"updated", unused}, {"averageSignal", unused}}},
	{name: "cells-towercollector", options: table.Options{Comma: ','}, columns: []column{
		{"mcc", mcc}, {"mnc", mnc}, {"cell_id", number}, {"lat", lat}, {"lon", lng}, {"net_type", technology},
		{"neighboring", neighbour}},
		personal: []string{"device", "measured_at", "discovered_at"}},
	// The table that is uploaded to OpenCelliD.
	{name: "cells-towercollector-upload", options: table.Options{Comma: ','}, columns: []column{
		{"lat", lat}, {"lon", lng}, {"mcc", mcc}, {"mnc", mnc}, {"cellid", number}, {"pci", pci}, {"act", technology}},
		personal: []string{"measured_at", "devn"},
		others:   []string{"sid", "nid", "bid", "rating", "direction"}},
	// The table cells.csv of an archive; the others are of Wi-Fi and beacons.
	{name: "cells-neostumbler", options: table.Options{Comma: ','}, columns: []column{
		{"latitude", lat}, {"longitude", lng}, {"cellId", number}, {"radioType", technology}, {"mcc", mcc}, {"mnc", mnc},
		{"psc", pci}},
		personal: []string{"timestamp"},
		others:   []string{"locationAccuracy", "locationAge", "cellScanAge"}},
	{name: "cells-gmon", options: table.Options{Comma: ';'}, columns: []column{
		{"PLMN", plmn}, {"SYSTEM", technology}, {"XCI", number}, {"xNBID", node}, {"PCI/PSC/BSIC", pci}, {"LAT", lat},
		{"LON", lng}},
		personal: []string{"DATE", "TIME"}},
	{name: "cells-cellmapper", options: table.Options{Comma: ',', NoHeader: true}, columns: []column{
		{"lat", lat}, {"lon", lng}, {"alt", unused}, {"MCC", mcc}, {"MNC", mnc}, {"LAC", unused}, {"Cell", number},
		{"Signal", unused},
		{"Type", technology}, {"Subtype", unused}, {"ARFCN", unused}, {"PCI", pci}}},
	{name: "cells-networksurvey-lte", options: table.Options{Comma: ',', Comment: '#'}, technology: lte,
		personal: surveyors,
		columns:  survey("eci"), others: []string{"earfcn", "rsrp", "rsrq", "lteBandwidth", "snr"}},
	{name: "cells-networksurvey-nr", options: table.Options{Comma: ',', Comment: '#'}, technology: nr,
		personal: surveyors,
		columns:  survey("nci"), others: []string{"narfcn", "ssRsrp", "ssRsrq", "ssSinr"}},
	{name: "cells-netmonitor", options: table.Options{Comma: ';', NoHeader: true}, columns: []column{
		{"type", technology}, {"MCC", mcc}, {"MNC", mnc}, {"LAC", unused}, {"CI", number}, {"PCI", pci}, {"ARFCN", unused},
		{"lat", lat}, {"lon", lng}, {"accuracy", unused}, {"text", unused}},
		words: map[string]generation{"G": older, "W": older, "T": older, "C": older, "L": lte, "N": nr}},
	// The cell list format CLF 4.0. A seventh field of 0 says that the row has no position.
	{name: "cells-clf4", options: table.Options{Comma: ';', NoHeader: true}, columns: []column{
		{"MCCMNC", plmn}, {"cell", number}, {"LAC", unused}, {"type", unused}, {"lat", lat}, {"lon", lng}, {"posrat", unused},
		{"text", unused}, {"sys", technology}, {"label", unused}, {"azimuth", unused}, {"height", unused}, {"hbw", unused},
		{"vbw", unused}, {"tilt", unused}, {"place", unused}},
		words: map[string]generation{"0": older, "1": older, "2": older, "3": older, "4": lte, "5": nr}},
	{name: "cells-netmonster", options: table.Options{Comma: ';', NoHeader: true}, local: true, columns: []column{
		{"RAT", technology}, {"MCC", mcc}, {"MNC", mnc}, {"CI", number}, {"TAC", unused}, {"eNB", node}, {"PCI", pci},
		{"Lat", lat}, {"Lon", lng},
		{"Location", unused}, {"EARFCN", unused}}},
}

// surveyors are personal columns: missionId contains the device's serial number.
var surveyors = []string{"deviceSerialNumber", "missionId", "deviceTime"}

func survey(cell string) []column {
	return []column{{"deviceTime", unused}, {"mcc", mcc}, {"mnc", mnc}, {cell, number}, {"pci", pci},
		{"latitude", lat}, {"longitude", lng}, {"servingCell", serving}}
}

// Kinds lists the tables that the package reads.
var Kinds = kinds()

func kinds() []*source.Kind {
	var list []*source.Kind
	for i := range formats {
		f := &formats[i]
		k := &source.Kind{Name: f.name, Options: f.options, Personal: f.personal, Others: f.others,
			Ignored: ignored[f.name], Private: len(f.personal) > 0, Many: true}
		k.Options.OneLine = len(f.personal) > 0 // a stray quote must not move a serial number into another column
		for _, c := range f.columns {
			k.Columns = append(k.Columns,
				table.Column{Name: c.name, Required: !slices.Contains([]role{unused, node, pci}, c.role),
					Blank: c.role == number && f.columnIndexes()[node] >= 0})
		}
		if f.options.NoHeader || f.options.OptionalHeader {
			k.Sniff = f.sniff
		}
		if f.mccSlot {
			k.Slot = f.slot
		}
		list = append(list, k)
	}
	return list
}

// columnIndexes returns where the columns of each role stand, -1 for a role that none has.
func (f *format) columnIndexes() (at [roles]int) {
	for r := range at {
		at[r] = slices.IndexFunc(f.columns, func(c column) bool { return c.role == role(r) })
	}
	return at
}

// sniff reports whether a table without a header is of the format, by a record. The country
// 999 marks the table of radio nodes, which package anfr reads.
func (f *format) sniff(t *table.Reader) bool {
	at := f.columnIndexes()
	field := func(r role) []byte {
		if at[r] < 0 {
			return nil
		}
		return t.Field(at[r])
	}
	g, known := f.generation(field(technology))
	if f.local && g == lte {
		eci, fits := LocalECI(field(number), field(node))
		known = fits && (eci == 0 || eci>>site.ECICellBits != 0)
	}
	country, ok := parseDigits(field(mcc))
	if code := field(plmn); len(code) >= 5 && len(code) <= 6 {
		country, ok = parseDigits(code[:3])
	}
	physical, _ := Number(field(pci))
	return t.Whole() && known && ok && country >= 200 && country < 999 && physical <= MaxNRPCI &&
		isNumeric(field(lat)) && isNumeric(field(lng))
}

// generation returns what a format's word for a technology means.
func (f *format) generation(word []byte) (g generation, known bool) {
	words := f.words
	if words == nil {
		words = generations
	}
	g, known = words[fold.UpperASCII(string(word))]
	return g, known
}

// slot returns the country of the first record.
func (f *format) slot(t *table.Reader) string {
	code := t.Field(f.columnIndexes()[mcc])
	if _, ok := parseDigits(code); !ok || len(code) != 3 {
		return ""
	}
	return string(code)
}

// A generation determines the form of a cell's identifier.
type generation uint8

const (
	unknown generation = iota
	older              // before LTE, or not of 3GPP
	lte
	nr
)

// generations maps the apps' names of technologies, in capitals. "NR NSA" is missing: such
// a cell has two identifiers, and the tables do not say which one they have.
var generations = map[string]generation{
	"GSM": older, "GPRS": older, "EDGE": older, "2G": older, "CDMA": older, "EVDO": older, "TDSCDMA": older,
	"TD-SCDMA": older, "IDEN": older,
	"UMTS": older, "WCDMA": older, "HSPA": older, "HSPA+": older, "HSDPA": older, "HSUPA": older, "3G": older,
	"LTE": lte, "LTE-A": lte, "LTE_CA": lte, "LTE-CA": lte, "LTE+": lte, "4G": lte,
	"NR": nr, "5GNR": nr, "5G NR": nr, "5G": nr, "NR SA": nr, "5G SA": nr, "NR-SA": nr, "5G-SA": nr, "NR_SA": nr,
}

// isNumeric reports whether a field may be a coordinate.
func isNumeric(b []byte) bool {
	return len(b) > 0 && len(bytes.Trim(b, "+-.0123456789")) == 0
}
