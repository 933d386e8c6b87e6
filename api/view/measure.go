package view

import (
	"strconv"
	"time"

	"relais/internal/jsontext"
	"relais/market"
	"relais/measure"
)

// A Speedtest is a speedtest. Numbers that are not known are null.
type Speedtest struct {
	ID             string         `json:"id" doc:"Derived from the content: the same measurement has the same id in every import."`
	Timestamp      string         `json:"timestamp" doc:"ISO 8601, UTC; empty when the source does not state it."`
	Coordinates    Coordinates    `json:"coordinates"`
	DownloadSpeed  *float64       `json:"downloadSpeed" doc:"Mbit/s."`
	AverageSpeed   *float64       `json:"averageSpeed" doc:"Mean download speed, Mbit/s."`
	MaxSpeed       *float64       `json:"maxSpeed" doc:"Highest download speed, Mbit/s."`
	UploadSpeed    *float64       `json:"uploadSpeed" doc:"Mbit/s."`
	Ping           *float64       `json:"ping" doc:"Milliseconds."`
	MCC            *int           `json:"mcc" doc:"Mobile country code."`
	MNC            *int           `json:"mnc" doc:"Mobile network code."`
	MobileOperator string         `json:"mobileOperator" doc:"Name of the network's operator; empty when it is not known. Demonstration data says here that it is synthetic."`
	NetworkType    string         `json:"networkType" doc:"CELLULAR, WIFI and so on; empty when it is not stated."`
	ConnectionType string         `json:"connectionType" doc:"LTE, 5G and so on; empty when it is not stated."`
	Edition        *string        `json:"edition" doc:"Id of the campaign in meta.editions; null for what no authority published."`
	DeviceType     string         `json:"deviceType" doc:"phone, tablet and so on; empty when it is not stated."`
	Radio          SpeedtestRadio `json:"radio"`
}

// A SpeedtestRadio is the cell that served a speedtest.
type SpeedtestRadio struct {
	PointRadio
	RSRP *float64 `json:"rsrp" doc:"dBm."`
	RSRQ *float64 `json:"rsrq" doc:"dB."`
	SNR  *float64 `json:"snr" doc:"SINR, dB."`
}

// A Point is a coverage point. Numbers that are not known are null.
type Point struct {
	ID             string      `json:"id" doc:"Derived from the content: the same measurement has the same id in every import."`
	Timestamp      string      `json:"timestamp" doc:"ISO 8601, UTC; empty when the source does not state it."`
	Coordinates    Coordinates `json:"coordinates"`
	SignalStrength *float64    `json:"signalStrength" doc:"dBm."`
	RSRP           *float64    `json:"rsrp" doc:"dBm."`
	RSRQ           *float64    `json:"rsrq" doc:"dB."`
	SNR            *float64    `json:"snr" doc:"SINR, dB."`
	Technology     *string     `json:"technology" doc:"LTE, NR, 5G and so on, as the source calls it; empty when it is not stated, null where a phone found no network."`
	NetworkType    string      `json:"networkType" doc:"CELLULAR, WIFI and so on, NO_SERVICE where a phone found no network; empty when it is not stated."`
	MobileOperator string      `json:"mobileOperator" doc:"Name of the network's operator; empty when it is not known. Demonstration data says here that it is synthetic."`
	MCC            *int        `json:"mcc" doc:"Mobile country code."`
	MNC            *int        `json:"mnc" doc:"Mobile network code."`
	Edition        *string     `json:"edition" doc:"Id of the campaign in meta.editions; null for what no authority published."`
	Radio          PointRadio  `json:"radio"`
}

// A PointRadio is the serving cell of a measurement.
type PointRadio struct {
	ENB    *string `json:"enb" doc:"eNB, decimal."`
	GNB    *string `json:"gnb" doc:"gNB, decimal."`
	CellID string  `json:"cellId" doc:"ECI of LTE, NCI of NR, decimal; empty when it is not stated."`
	PCI    *int    `json:"pci" doc:"Physical cell id."`
}

// An Edition is measurements that came together: a campaign that an authority published, or an import.
type Edition struct {
	ID        string  `json:"id" doc:"For the parameter edition: of a campaign such as arcep-2025-habitations; of the operator's own files one for each import; server for the speedtests that people submitted one by one."`
	Source    *string `json:"source" doc:"Who published it, such as ARCEP; null for what nobody published."`
	Name      *string `json:"name" doc:"Source and months of the measurements, such as ARCEP, June to August 2025; null for what nobody published."`
	Licence   *string `json:"licence" doc:"Of what was published."`
	FirstDay  *string `json:"firstDay" doc:"Of the measurements, YYYY-MM-DD, UTC; null where they state no time."`
	LastDay   *string `json:"lastDay"`
	Imported  string  `json:"imported" doc:"When it came into the folder, ISO 8601, UTC."`
	Measures  int     `json:"measures" doc:"Measurements of the kind of the answer, of the whole market."`
	Newest    bool    `json:"newest" doc:"The newest campaign of its source: answers without days have it, whatever its age."`
	Synthetic bool    `json:"synthetic" doc:"Nobody measured it: it was made up for a demonstration."`
}

// NewEdition returns an edition with its measurements of a kind.
func NewEdition(e *measure.Edition, kind measure.Kind) Edition {
	v := Edition{ID: e.ID, Imported: Moment(e.Imported), Measures: e.Measures[kind], Newest: e.Newest, Synthetic: e.Synthetic}
	if e.Campaign.ID != "" {
		v.Source, v.Name, v.Licence = &e.Campaign.Publisher, new(e.Name()), &e.Campaign.Licence
	}
	if !e.First.IsZero() {
		v.FirstDay, v.LastDay = new(e.First.Format(time.DateOnly)), new(e.Last.Format(time.DateOnly))
	}
	return v
}

// SpeedtestsMeta is the meta of /speedtests.
type SpeedtestsMeta struct {
	Limit                   int         `json:"limit"`
	Returned                int         `json:"returned" doc:"Items in this answer."`
	Market                  market.Code `json:"market"`
	Operator                string      `json:"operator"`
	Offset                  int         `json:"offset"`
	HasMore                 bool        `json:"hasMore"`
	NextOffset              *int        `json:"nextOffset" doc:"offset of the next page; null on the last."`
	Editions                []Edition   `json:"editions" doc:"Of the market, not only of this answer: campaigns, the last measured first, and then the last 50 imports."`
	SourceUnavailableReason *string     `json:"sourceUnavailableReason" doc:"Why the market has no inventory; null when it has."`
	DataVersion             *string     `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// SiteSpeedtestsMeta is the meta of /speedtests/site.
type SiteSpeedtestsMeta struct {
	Total                   int         `json:"total" doc:"Speedtests that match."`
	Limit                   int         `json:"limit"`
	Offset                  int         `json:"offset" doc:"0 with bestOnly."`
	BestOnly                bool        `json:"bestOnly"`
	Market                  market.Code `json:"market"`
	Operator                string      `json:"operator"`
	SourceUnavailableReason *string     `json:"sourceUnavailableReason" doc:"Why the market has no inventory; null when it has."`
	DataVersion             *string     `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// PointsMeta is the meta of /coverage/points.
type PointsMeta struct {
	Limit                   int         `json:"limit"`
	Returned                int         `json:"returned" doc:"Items in this answer."`
	Market                  market.Code `json:"market"`
	Operator                string      `json:"operator"`
	Technology              *string     `json:"technology" doc:"null when any is wanted."`
	Editions                []Edition   `json:"editions" doc:"Of the market, not only of this answer: campaigns, the last measured first, and then the last 50 imports."`
	SourceUnavailableReason *string     `json:"sourceUnavailableReason" doc:"Why the market has no inventory; null when it has."`
	DataVersion             *string     `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// AppendSpeedtest appends a Speedtest in JSON. As one answer has thousands, it does so
// without a Speedtest and its pointers.
func AppendSpeedtest(dst []byte, t *measure.Test) []byte {
	dst = appendHead(dst, &t.Measurement)
	dst = jsontext.AppendNumber(append(dst, `,"downloadSpeed":`...), t.Download)
	dst = jsontext.AppendNumber(append(dst, `,"averageSpeed":`...), t.Average)
	dst = jsontext.AppendNumber(append(dst, `,"maxSpeed":`...), t.Max)
	dst = jsontext.AppendNumber(append(dst, `,"uploadSpeed":`...), t.Upload)
	dst = jsontext.AppendNumber(append(dst, `,"ping":`...), t.Ping)
	dst = appendNetwork(dst, &t.Measurement)
	dst = jsontext.AppendString(append(dst, `,"networkType":`...), t.NetworkType)
	dst = jsontext.AppendString(append(dst, `,"connectionType":`...), t.Technology)
	dst = jsontext.AppendString(append(dst, `,"deviceType":`...), t.DeviceType)
	dst = appendRadio(dst, &t.Radio)
	dst = jsontext.AppendNumber(append(dst, `,"rsrp":`...), t.Radio.RSRP)
	dst = jsontext.AppendNumber(append(dst, `,"rsrq":`...), t.Radio.RSRQ)
	dst = jsontext.AppendNumber(append(dst, `,"snr":`...), t.Radio.SNR)
	return append(dst, "}}"...)
}

// AppendPoint appends a Point in JSON.
func AppendPoint(dst []byte, p *measure.Point) []byte {
	dst = appendHead(dst, &p.Measurement)
	dst = jsontext.AppendNumber(append(dst, `,"signalStrength":`...), p.Signal)
	dst = jsontext.AppendNumber(append(dst, `,"rsrp":`...), p.Radio.RSRP)
	dst = jsontext.AppendNumber(append(dst, `,"rsrq":`...), p.Radio.RSRQ)
	dst = jsontext.AppendNumber(append(dst, `,"snr":`...), p.Radio.SNR)
	if dst = append(dst, `,"technology":`...); p.NoService() {
		dst = append(dst, "null"...)
	} else {
		dst = jsontext.AppendString(dst, p.Technology)
	}
	dst = jsontext.AppendString(append(dst, `,"networkType":`...), p.NetworkType)
	dst = appendNetwork(dst, &p.Measurement)
	dst = appendRadio(dst, &p.Radio)
	return append(dst, "}}"...)
}

// appendHead begins an object with the first members of both kinds.
func appendHead(dst []byte, m *measure.Measurement) []byte {
	dst = jsontext.AppendString(append(dst, `{"id":`...), m.ID)
	dst = append(dst, `,"timestamp":"`...)
	if !m.Time.IsZero() {
		dst = m.Time.UTC().AppendFormat(dst, timeFormat)
	}
	dst = jsontext.AppendNumber(append(dst, `","coordinates":{"lat":`...), m.Position.Lat)
	dst = jsontext.AppendNumber(append(dst, `,"lng":`...), m.Position.Lng)
	return append(dst, '}')
}

func appendNetwork(dst []byte, m *measure.Measurement) []byte {
	dst = appendWhole(append(dst, `,"mcc":`...), m.MCC)
	dst = appendWhole(append(dst, `,"mnc":`...), m.MNC)
	dst = jsontext.AppendString(append(dst, `,"mobileOperator":`...), m.OperatorName)
	if dst = append(dst, `,"edition":`...); m.Edition == "" {
		return append(dst, "null"...)
	}
	return jsontext.AppendString(dst, m.Edition)
}

// appendRadio begins the object radio.
func appendRadio(dst []byte, r *measure.Radio) []byte {
	dst = appendNode(append(dst, `,"radio":{"enb":`...), r.ENB)
	dst = appendNode(append(dst, `,"gnb":`...), r.GNB)
	dst = append(dst, `,"cellId":"`...)
	if r.Cell != 0 {
		dst = strconv.AppendUint(dst, r.Cell, 10)
	}
	return appendWhole(append(dst, `","pci":`...), r.PCI)
}

// appendWhole appends a number, or null for a negative one, which is unknown.
func appendWhole(dst []byte, n int) []byte {
	if n < 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

func appendNode(dst []byte, n uint32) []byte {
	if n == 0 {
		return append(dst, "null"...)
	}
	return append(strconv.AppendUint(append(dst, '"'), uint64(n), 10), '"')
}
