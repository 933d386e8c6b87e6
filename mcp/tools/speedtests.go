package tools

import (
	"context"
	"math"
	"slices"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/market"
	"relais/measure"
)

var speedtestTools = []*Tool{sitesGetSpeedtests, speedtestsNearby, speedtestsNearbyFromPlace, speedtestsAreaSummary,
	speedtestsAreaSummaryFromPlace}

var sitesGetSpeedtests = endpoint.New(endpoint.Decl{
	Name: "sites_get_speedtests", Title: "Speedtests of a site",
	Summary: "Speedtests that name a base station of the site, of any age, the newest first; where that gives nothing, those of its operators within a kilometre. Use speedtests_nearby for a position and speedtests_area_summary for what is usual around it.",
}, testsOfSite)

type siteSpeedtestsParams struct {
	siteParams
	operatorParams
	Best bool `param:"bestOnly" default:"false" doc:"Only the one of the highest average speed, then of the highest download speed, then the newest."`
	pageParams
}

// A SiteSpeedtests is a page of the speedtests of a site.
type SiteSpeedtests struct {
	Center Center `json:"center" doc:"The site."`
	SpeedtestList
	Sourced
}

// A SpeedtestList is a page of speedtests.
type SpeedtestList struct {
	List[Speedtest]
	Measured
}

// Measured is embedded in answers that show measures.
type Measured struct {
	Origin    string     `json:"origin" doc:"Who measured; say so when you repeat it."`
	Campaigns []Campaign `json:"campaigns" doc:"Of authorities, in the whole market; name the campaign when you repeat a measurement that has its edition."`
}

// A Campaign is the measurements that an authority published together.
type Campaign struct {
	Edition string `json:"edition" doc:"For the parameter edition."`
	Name    string `json:"name" doc:"Source and months, such as ARCEP, June to August 2025."`
	Licence string `json:"licence"`
	Newest  bool   `json:"newest" doc:"Of its source: answers without days have it, whatever its age."`
}

const measuredOrigin = "Measured by people with their phones, except what is marked synthetic or has an edition, and kept by the operator of this server; no authority vouches for it. What has an edition was measured for the authority that campaigns names. Where nobody measured, nothing is known."

// measured says where the measurements of a market are from.
func (r *Reading) measured(code market.Code, kinds ...measure.Kind) Measured {
	from := Measured{measuredOrigin, []Campaign{}}
	for _, kind := range kinds {
		for _, e := range r.MeasureEditions(market.Get(code), kind) {
			c := Campaign{e.ID, e.Name(), e.Campaign.Licence, e.Newest}
			if e.Campaign.ID != "" && !slices.Contains(from.Campaigns, c) {
				from.Campaigns = append(from.Campaigns, c)
			}
		}
	}
	return from
}

// A Speedtest is a speedtest. Numbers that are not known are null.
type Speedtest struct {
	ID             string              `json:"id"`
	Timestamp      string              `json:"timestamp" doc:"ISO 8601, UTC; empty when the source does not state it."`
	Coordinates    view.Coordinates    `json:"coordinates"`
	Distance       *int                `json:"distanceMeters" doc:"From the centre, metres."`
	Download       *float64            `json:"downloadSpeed" doc:"Mbit/s."`
	Average        *float64            `json:"averageSpeed" doc:"Mean download speed, Mbit/s."`
	Upload         *float64            `json:"uploadSpeed" doc:"Mbit/s."`
	Ping           *float64            `json:"ping" doc:"Milliseconds."`
	Operator       string              `json:"mobileOperator" doc:"Empty when it is not known."`
	Edition        *string             `json:"edition" doc:"Of the campaign that it is from; null for what no authority published."`
	NetworkType    string              `json:"networkType" doc:"CELLULAR, WIFI and so on; empty when it is not stated."`
	ConnectionType string              `json:"connectionType" doc:"LTE, 5G and so on; empty when it is not stated."`
	Radio          view.SpeedtestRadio `json:"radio"`
}

func testsOfSite(r *Reading, _ context.Context, p *siteSpeedtestsParams) (*SiteSpeedtests, error) {
	loaded, at, err := p.find(r)
	if err != nil {
		return nil, err
	}
	if p.Best { // there is one, and so no second page
		p.Offset = 0
	}
	operators, err := p.Operator.Positions(loaded.Table)
	if err != nil {
		return nil, err
	}
	of := &catalog.SiteTests{Site: catalog.SiteFound{Register: loaded, At: at}, Best: p.Best}
	found, err := r.Speedtests(catalog.Measures{Market: loaded.Table, Operators: operators, Of: of, Limit: p.Limit,
		Offset: p.Offset})
	if err != nil {
		return nil, err
	}
	if p.Best { // the store counts all that match
		found.Total = len(found.Items)
	}
	c := centerOf(loaded, at)
	return &SiteSpeedtests{*c, r.speedtestList(c, found, p.Offset), sourced(loaded.Table, loaded)}, nil
}

func (r *Reading) speedtestList(c *Center, page catalog.Page[measure.Test], offset int) SpeedtestList {
	items := each(page.Items, func(t measure.Test) Speedtest { return newSpeedtest(&t, c.point()) })
	return SpeedtestList{listOf(items, offset, page.Total), r.measured(c.Market, measure.Speedtest)}
}

func newSpeedtest(t *measure.Test, center geo.Point) Speedtest {
	return Speedtest{ID: t.ID, Timestamp: timestamp(t.Time), Coordinates: view.Coordinates(t.Position),
		Distance: metresTo(center, t.Position),
		Download: number(t.Download), Average: number(t.Average), Upload: number(t.Upload), Ping: number(t.Ping),
		Operator: t.OperatorName, Edition: textOrNull(t.Edition), NetworkType: t.NetworkType, ConnectionType: t.Technology,
		Radio: view.SpeedtestRadio{PointRadio: pointRadio(&t.Radio), RSRP: number(t.Radio.RSRP),
			RSRQ: number(t.Radio.RSRQ), SNR: number(t.Radio.SNR)}}
}

func pointRadio(r *measure.Radio) view.PointRadio {
	v := view.PointRadio{ENB: nodeText(r.ENB), GNB: nodeText(r.GNB)}
	if r.Cell != 0 {
		v.CellID = idText(r.Cell)
	}
	if r.PCI >= 0 {
		v.PCI = &r.PCI
	}
	return v
}

// nodeText returns the number of a base station, nil for 0.
func nodeText(id uint32) *string {
	if id == 0 {
		return nil
	}
	return new(idText(uint64(id)))
}

// number returns a value of a measurement, nil for one that is not stated: JSON has no NaN.
func number(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// timestamp returns a time as answers have it, "" for one that is not known.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return view.Moment(t)
}

// timeOrNull returns a time as answers have it, nil for one that is not known.
func timeOrNull(t time.Time) *string { return textOrNull(timestamp(t)) }

var speedtestsNearby = endpoint.New(endpoint.Decl{
	Name: "speedtests_nearby", Title: "Speedtests near a position",
	Summary: "Speedtests of the last days around a position, the newest first, with distances in metres. Use speedtests_area_summary for what is usual there, and speedtests_nearby_from_place for the name of a place.",
}, testsNearPoint)

type speedtestsNearbyParams struct {
	pointParams
	radiusParams
	marketParams
	api.WindowParams
	pageParams
}

// A NearbySpeedtests is a page of speedtests around a centre.
type NearbySpeedtests struct {
	Center Center `json:"center"`
	SpeedtestList
}

func testsNearPoint(r *Reading, _ context.Context, p *speedtestsNearbyParams) (*NearbySpeedtests, error) {
	return r.speedtests(p.center(p.Market), p.RadiusKm, p.Operator, p.WindowParams, p.pageParams)
}

var speedtestsNearbyFromPlace = endpoint.New(endpoint.Decl{
	Name: "speedtests_nearby_from_place", Title: "Speedtests near a place",
	Summary: "Speedtests of the last days around a commune, a postal code or an area, the newest first.",
}, testsNearPlace)

type speedtestsFromPlaceParams struct {
	placeParams
	radiusParams
	operatorParams
	api.WindowParams
	pageParams
}

func testsNearPlace(r *Reading, _ context.Context, p *speedtestsFromPlaceParams) (*NearbySpeedtests,
	error) {
	place, err := r.place(&p.placeParams, p.Operator)
	if err != nil {
		return nil, err
	}
	return r.speedtests(placeCenter(place), p.RadiusKm, p.Operator, p.WindowParams, p.pageParams)
}

// speedtests returns a page of the speedtests around a centre.
func (r *Reading) speedtests(c *Center, km float64, o api.Operators, w api.WindowParams, p pageParams) (*NearbySpeedtests, error) {
	q, err := r.around(c, o, km, w)
	if err != nil {
		return nil, err
	}
	q.Offset, q.Limit = p.Offset, p.Limit
	found, err := r.Speedtests(q)
	if err != nil {
		return nil, err
	}
	return &NearbySpeedtests{*c, r.speedtestList(c, found, p.Offset)}, nil
}
