package cells

import (
	"bytes"
	"slices"

	"relais/fold"
	"relais/ingest/source"
	"relais/ingest/table"
)

// A role is what a column says of a cell.
type role int

const (
	nothing    role = iota // that is of use here
	technology             // see technologies
	mcc                    // mobile country code
	mnc                    // mobile network code, with its leading zeros or without
	plmn                   // both, one behind the other
	number                 // of the cell: ECI of LTE, NCI of NR
	node                   // of LTE: the eNB
	pci
	lat
	lng
	serving   // false: a neighbour of the cell that serves
	neighbour // true: the same
	roles
)

// A format is a kind of table with what its columns say.
type format struct {
	name       string
	options    table.Options
	columns    []column
	technology generation // of the whole file, where no column has it
	personal   []string
	others     []string // that tell it from a format of nearly the same columns
	mccSlot    bool     // files of several countries stand side by side
}

type column struct {
	name string
	role role
}

// formats has the columns of tables with a header by name, those of the others in
// their order.
var formats = []format{
	// Mozilla's location service wrote the same.
	{name: "cells-opencellid", options: table.Options{Comma: ',', OptionalHeader: true}, mccSlot: true,
		columns: []column{
			{"radio", technology}, {"mcc", mcc}, {"net", mnc}, {"area", nothing}, {"cell", number}, {"unit", pci},
			{"lon", lng}, {"lat", lat},
			{"range", nothing}, {"samples", nothing}, {"changeable", nothing}, {"created", nothing},
			{"updated", nothing}, {"averageSignal", nothing}}},
	{name: "cells-towercollector", options: table.Options{Comma: ','}, columns: []column{
		{"mcc", mcc}, {"mnc", mnc}, {"cell_id", number}, {"lat", lat}, {"lon", lng}, {"net_type", technology},
		{"neighboring", neighbour}},
		personal: []string{"device", "measured_at", "discovered_at"}},
	{name: "cells-gmon", options: table.Options{Comma: ';'}, columns: []column{
		{"PLMN", plmn}, {"SYSTEM", technology}, {"XCI", number}, {"xNBID", node}, {"PCI/PSC/BSIC", pci}, {"LAT", lat},
		{"LON", lng}},
		personal: []string{"DATE", "TIME"}},
	{name: "cells-cellmapper", options: table.Options{Comma: ',', NoHeader: true}, columns: []column{
		{"lat", lat}, {"lon", lng}, {"alt", nothing}, {"MCC", mcc}, {"MNC", mnc}, {"LAC", nothing}, {"Cell", number},
		{"Signal", nothing},
		{"Type", technology}, {"Subtype", nothing}, {"ARFCN", nothing}, {"PCI", pci}}},
	{name: "cells-networksurvey-lte", options: table.Options{Comma: ',', Comment: '#'}, technology: lte,
		personal: surveyors,
		columns:  survey("eci"), others: []string{"earfcn", "rsrp", "rsrq", "lteBandwidth", "snr"}},
	{name: "cells-networksurvey-nr", options: table.Options{Comma: ',', Comment: '#'}, technology: nr,
		personal: surveyors,
		columns:  survey("nci"), others: []string{"narfcn", "ssRsrp", "ssRsrq", "ssSinr"}},
	{name: "cells-netmonster", options: table.Options{Comma: ';', OptionalHeader: true}, columns: []column{
		{"RAT", technology}, {"MCC", mcc}, {"MNC", mnc}, {"CI", number}, {"TAC", nothing}, {"eNB", node}, {"PCI", pci},
		{"Lat", lat}, {"Lon", lng},
		{"Location", nothing}, {"EARFCN", nothing}}},
}

// surveyors: the device's serial number is a part of missionId too.
var surveyors = []string{"deviceSerialNumber", "missionId", "deviceTime"}

func survey(cell string) []column {
	return []column{{"deviceTime", nothing}, {"mcc", mcc}, {"mnc", mnc}, {cell, number}, {"pci", pci},
		{"latitude", lat}, {"longitude", lng}, {"servingCell", serving}}
}

// Kinds lists what the package reads.
var Kinds = kinds()

func kinds() []*source.Kind {
	var list []*source.Kind
	for i := range formats {
		f := &formats[i]
		k := &source.Kind{Name: f.name, Options: f.options, Personal: f.personal, Others: f.others,
			Private: len(f.personal) > 0, Many: true}
		k.Options.OneLine = len(f.personal) > 0 // a stray quote must not move a serial number into another column
		for _, c := range f.columns {
			k.Columns = append(k.Columns,
				table.Column{Name: c.name, Required: !slices.Contains([]role{nothing, node, pci}, c.role),
					Blank: c.role == number && f.at()[node] >= 0})
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

// at returns where the columns of each role stand, -1 for a role that none has.
func (f *format) at() (at [roles]int) {
	for r := range at {
		at[r] = slices.IndexFunc(f.columns, func(c column) bool { return c.role == role(r) })
	}
	return at
}

// sniff tells by a record whether a table without a header is of the format. The country
// 999 is the sentinel of the table of base stations, which is not of this package.
func (f *format) sniff(t *table.Reader) bool {
	at := f.at()
	_, known := generations[fold.UpperASCII(string(t.Field(at[technology])))]
	country, ok := digits(t.Field(at[mcc]))
	physical, _ := Number(t.Field(at[pci]))
	return t.Whole() && known && ok && country >= 200 && country < 999 && physical <= MaxNRPCI &&
		numeric(t.Field(at[lat])) && numeric(t.Field(at[lng]))
}

// slot is the country of the first record.
func (f *format) slot(t *table.Reader) string {
	code := t.Field(f.at()[mcc])
	if _, ok := digits(code); !ok || len(code) != 3 {
		return ""
	}
	return string(code)
}

// A generation is what a cell's identifier depends on.
type generation uint8

const (
	unknown generation = iota
	older              // before LTE, or not of 3GPP
	lte
	nr
)

// generations are the technologies' names in every app, in capitals. A cell of
// "NR NSA" has two identifiers, of which the tables do not tell which they have: it
// is not here.
var generations = map[string]generation{
	"GSM": older, "GPRS": older, "EDGE": older, "2G": older, "CDMA": older, "EVDO": older, "TDSCDMA": older,
	"TD-SCDMA": older, "IDEN": older,
	"UMTS": older, "WCDMA": older, "HSPA": older, "HSPA+": older, "HSDPA": older, "HSUPA": older, "3G": older,
	"LTE": lte, "LTE-A": lte, "LTE_CA": lte, "LTE-CA": lte, "LTE+": lte, "4G": lte,
	"NR": nr, "5GNR": nr, "5G NR": nr, "5G": nr, "NR SA": nr, "5G SA": nr, "NR-SA": nr, "5G-SA": nr, "NR_SA": nr,
}

// numeric tells whether a field may be a coordinate.
func numeric(b []byte) bool {
	return len(b) > 0 && len(bytes.Trim(b, "+-.0123456789")) == 0
}
