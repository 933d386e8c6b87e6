package tools

import (
	"context"
	"encoding/json"
	"strconv"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/account"
	"relais/market"
	"relais/measure"
)

var submitSpeedtest = endpoint.New(endpoint.Decl{
	Name: "community_submit_speedtest", Title: "Submit a speedtest", SignedIn: true, Writes: true,
	Summary: "Adds a speedtest that who signed in has measured on a mobile network, with the rules of imports: a position in the market, a time that is not in the future, a speed. Submit nothing that was not measured. The same speedtest twice is one.",
}, sendSpeedtest)

type submitTestParams struct {
	tokenParams
	Market      market.Code `param:"market" default:"FR" doc:"The market."`
	MeasuredAt  instant     `param:"measuredAt" required:"true" doc:"When, ISO 8601 with its zone." example:"2026-11-21T08:30:00Z"`
	Lat         float64     `param:"lat" min:"-90" max:"90" required:"true" doc:"Where, WGS84 degrees." example:"48.8584"`
	Lon         float64     `param:"lon" min:"-180" max:"180" required:"true" doc:"Longitude." example:"2.2945"`
	Download    *float64    `param:"downloadMbps" doc:"Download speed, Mbit/s; one of the speeds must be given." example:"123.4"`
	Average     *float64    `param:"averageMbps" doc:"Mean download speed, Mbit/s."`
	Max         *float64    `param:"maxMbps" doc:"Highest download speed, Mbit/s."`
	Upload      *float64    `param:"uploadMbps" doc:"Upload speed, Mbit/s."`
	Ping        *float64    `param:"pingMs" doc:"Milliseconds."`
	MCC         *int        `param:"mcc" min:"0" max:"999" doc:"Mobile country code." example:"208"`
	MNC         *int        `param:"mnc" min:"0" max:"999" doc:"Mobile network code." example:"1"`
	Operator    string      `param:"operator" max:"40" doc:"Name of the network's operator, where the codes are not known." example:"Orange"`
	NetworkType string      `param:"networkType" max:"16" doc:"CELLULAR, WIFI and so on."`
	Technology  string      `param:"technology" max:"16" doc:"LTE, NR, 5G and so on." example:"LTE"`
	DeviceType  string      `param:"deviceType" max:"16" doc:"phone, tablet, router and so on; no make, model or number."`
	ENB         *int        `param:"enb" min:"0" doc:"eNB."`
	GNB         *int        `param:"gnb" min:"0" doc:"gNB."`
	Cell        *int        `param:"cellId" min:"0" doc:"ECI of LTE, NCI of NR."`
	PCI         *int        `param:"pci" min:"0" max:"1007" doc:"Physical cell id."`
	RSRP        *float64    `param:"rsrp" doc:"dBm."`
	RSRQ        *float64    `param:"rsrq" doc:"dB."`
	SNR         *float64    `param:"snr" doc:"dB."`
}

// fields returns the parameters as the columns of an import, whose rules then hold for them.
func (p *submitTestParams) fields() map[string]string {
	f := map[string]string{"timestamp": string(p.MeasuredAt), "lat": decimal(p.Lat), "lng": decimal(p.Lon),
		"operator":     p.Operator,
		"network_type": p.NetworkType, "connection_type": p.Technology, "device_type": p.DeviceType}
	for name, x := range map[string]*float64{"download_mbps": p.Download, "average_mbps": p.Average, "max_mbps": p.Max,
		"upload_mbps": p.Upload, "ping_ms": p.Ping,
		"rsrp": p.RSRP, "rsrq": p.RSRQ, "snr": p.SNR} {
		if x != nil {
			f[name] = decimal(*x)
		}
	}
	for name, n := range map[string]*int{"mcc": p.MCC, "mnc": p.MNC, "enb": p.ENB, "gnb": p.GNB, "cell_id": p.Cell,
		"pci": p.PCI} {
		if n != nil {
			f[name] = strconv.Itoa(*n)
		}
	}
	return f
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// A SpeedtestReceipt is the outcome of a speedtest.
type SpeedtestReceipt struct {
	Receipt
	Speedtest view.Speedtest `json:"speedtest" doc:"As /speedtests shows it: what was not usable is null."`
}

func sendSpeedtest(r *Reading, _ context.Context, p *submitTestParams) (*SpeedtestReceipt, error) {
	store, err := r.MeasureStore()
	if err != nil {
		return nil, err
	}
	return submit(r, "community_submit_speedtest", account.Speedtest, p.Token, p,
		func(string) (*SpeedtestReceipt, account.Fact, error) {
			test, added, err := store.Add(p.Market, p.fields())
			if err != nil {
				return nil, account.Fact{}, err
			}
			own := ownTest{p.Market, speedtestView(&test)}
			data, err := json.Marshal(own)
			at := own.Speedtest.Coordinates
			return &SpeedtestReceipt{Receipt{ID: test.ID, State: "shown", New: added, ShownAt: []string{
					r.apiPage("/speedtests?market=%s&days=365&north=%v&south=%v&east=%v&west=%v", p.Market, at.Lat,
						at.Lat, at.Lng, at.Lng), "me_speedtests_list"}}, own.Speedtest},
				account.Fact{Kind: account.Speedtest, Ref: test.ID, Data: data}, err
		})
}

// An ownTest is a speedtest as it is kept with the account of the person who submitted it. The measurements
// themselves do not say who made them, and are removed when they are old.
type ownTest struct {
	Market    market.Code    `json:"market"`
	Speedtest view.Speedtest `json:"speedtest"`
}

// speedtestView returns a speedtest as the API answers it.
func speedtestView(t *measure.Test) (v view.Speedtest) {
	_ = json.Unmarshal(view.AppendSpeedtest(nil, t), &v) // AppendSpeedtest writes a view.Speedtest
	return v
}
