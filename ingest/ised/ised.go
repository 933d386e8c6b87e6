// Package ised reads the terrestrial site data of Canadian spectrum licences,
// which ISED publishes as Site_Data_Extract_FX: a row for each licence, frequency
// and antenna. It understands the layout of today and the older one in upper case.
// Raw spellings of the file live here and nowhere else.
//
// The register names no sites. One site here is one place of one operator: all rows
// of the operator whose coordinates are the same when rounded to 5 decimals. Its id
// is the first 8 bytes, in hexadecimal, of the SHA-256 of the operator's key, the
// latitude and the longitude in units of 1e-5 degrees, joined by blanks:
// "BELL 4364232 -7938709". It stays the same as long as the place does, whatever
// else the rows say and in whatever order they come.
package ised

import (
	"fmt"
	"time"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
	"relais/snapshot"
)

// Extract is the name of the kind, as reports and the kept sources call it.
const Extract = "ised-site-data-extract"

// Markets are the markets that Build makes.
var Markets = []market.Code{market.CA}

// Kinds lists the tables that the package reads.
var Kinds = []*source.Kind{{
	Name: Extract, Columns: columns, Others: otherColumns, Options: table.Options{OneLine: true, Shifted: shifted},
	Personal: []string{contactName, telephone, email}, Private: true, Whole: columns[colLicence].Name,
}}

// Columns of the extract. Those of personal data are not among them.
const (
	colLicence = iota
	colLicensee
	colCategory
	colLatitude
	colLongitude
	colTechnology
	colLocation
	colProvince
	colRecord
	colReference
	colUploaded
	colCell
	colPhysical
	colStructureHeight
	colStructureType
	colTx
	colRx
	colAntennaHeight
	colAzimuth
	colOmni
)

var columns = []table.Column{
	{Name: "licence_number", Aliases: []string{"NEW_LICNO"}, Required: true},
	{Name: "licensee_name", Aliases: []string{"LICENSEE"}, Required: true},
	{Name: "licence_category", Aliases: []string{"SERVICE"}, Required: true},
	{Name: "latitude", Required: true},
	{Name: "longitude", Required: true},
	{Name: "technology", Required: true, With: "licence_number"}, // the older layout has none
	{Name: "location", Gives: snapshot.Addresses},
	{Name: "province_code", Aliases: []string{"PROV"}, Required: true, Blank: true, Gives: snapshot.Areas},
	{Name: "record_id", Gives: snapshot.OperatorSiteIDs},
	{Name: "reference_number", Gives: snapshot.References},
	{Name: "upload_date", Aliases: []string{"LAST_UPLOAD_DATE"}},
	{Name: "cell_id", Gives: snapshot.Cells},
	{Name: "physical_id", Gives: snapshot.PCIs},
	{Name: "structure_height", Aliases: []string{"STUCT_HT", "STRUCT_HT"}, Gives: snapshot.Heights},
	{Name: "structure_type", Gives: snapshot.Natures},
	{Name: "tx_frequency", Aliases: []string{"TRANSMIT_FREQ"}, Gives: snapshot.Frequencies},
	{Name: "rx_frequency", Aliases: []string{"RECEIVE_FREQ"}, Gives: snapshot.ReceivedFrequencies},
	{Name: "tx_ant_height", Aliases: []string{"TX_ANT_HT"}, Gives: snapshot.AntennaHeights},
	{Name: "tx_ant_azimuth", Aliases: []string{"TX_ANT_AZIM"}, Gives: snapshot.AzimuthLists},
	{Name: "tx_ant_omni_indicator", Aliases: []string{"TX_ANT_DIRECTIONAL"}},
}

// otherColumns are the columns that are not read, without those of personal data. Some of them
// help to recognize shifted rows.
var otherColumns = []string{"subservice_id", "area_id", "area_name", accountNumber, olderAccount, "station_type",
	"site_type", "date_last_changed",
	"tx_radio_model_number", "rx_radio_model_number", "tx_radio_manufacturer_code", "rx_radio_manufacturer_code",
	"tx_certification_no", "rx_certification_no", "bandwidth", "class_emission", "tx_power", "downlink_allocation",
	"tx_ant_type", "rx_ant_type", "tx_number_antennas", "rx_number_antennas", "tx_ant_model_no", "rx_ant_model_no",
	"tx_ant_manufacturer", "rx_ant_manufacturer", "rx_ant_height", "rx_ant_omni_indicator",
	"tx_ant_horiz_beamwidth", "rx_ant_horiz_beamwidth", "tx_ant_vert_beamwidth", "rx_ant_vert_beamwidth",
	"rx_ant_azimuth", "tx_ant_elevation_angle", "rx_ant_elevation_angle", "tx_ant_gain", "rx_ant_gain", "tx_line_loss",
	"rx_line_loss"}

// Build reads the extract and returns the snapshot of CA, and a report on the file.
func Build(files []source.Found, markets []*market.Market, watch source.Watch) ([]*snapshot.Builder, []*source.Report,
	error) {
	c := newCountry(market.Get(market.CA))
	var reports []*source.Report
	for i := range files {
		report, err := c.read(&files[i], watch)
		if err != nil {
			return nil, nil, err
		}
		reports = append(reports, report)
	}
	if len(reports) == 0 {
		return nil, nil, fmt.Errorf("no %s among the files", Extract)
	}
	b := snapshot.NewBuilder(c.market, []string{})
	b.SourceDate = c.date
	b.UpdatedAt = b.SourceDate + "T00:00:00"
	for _, f := range files {
		b.Synthetic = b.Synthetic || f.Synthetic()
	}
	if err := c.assemble(b); err != nil {
		return nil, nil, err
	}
	return []*snapshot.Builder{b}, reports, nil
}

func (c *country) read(f *source.Found, watch source.Watch) (*source.Report, error) {
	r, err := f.Read(watch)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all := tallies{}
	for r.Next() {
		r.Rows++
		reason := r.Broken()
		if reason == "" || reason == shiftedColumns {
			all.add(r, reason != "")
		}
		if reason == "" {
			reason = c.row(r)
		}
		if reason != "" {
			r.Reject(reason)
		}
	}
	report, err := r.Done()
	if err != nil {
		return nil, err
	}
	report.CountServed()
	if report.Served == 0 {
		first := report.Examples[0]
		return nil, fmt.Errorf("%s:%d: %s; none of the %d rows is served", report.Path, first.Line, first.Reason,
			report.Rows)
	}
	if newest := c.newest.Time(); !newest.IsZero() {
		c.date = newest.Format(time.DateOnly)
	} else if c.date = f.NameDate().String(); c.date == "" {
		return nil, fmt.Errorf(
			"%s: neither the column upload_date nor the file's name says a date that the data can have; name "+
				"the file like Site_Data_Extract_FX_2026-01-15.csv", report.Path)
	}
	for _, warning := range []string{all.warning(), c.left.String()} {
		if warning != "" {
			report.Warn(warning)
		}
	}
	return report, nil
}
