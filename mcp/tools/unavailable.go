package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/community"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/outage"
)

var unavailableTools = []*Tool{sitesHSList, sitesHSNearby, sitesHSNearbyFromPlace}

var sitesHSList = endpoint.New(endpoint.Decl{
	Name: "sites_hs_list", Title: "Sites out of service",
	Summary: "Sites that their operators publish as unavailable (hors service) at the moment, what began last first. Look at feed.available before concluding from an empty list that all sites work.",
}, (*Reading).sitesHSList)

type sitesHSListParams struct {
	api.MarketParams
	Territory string `param:"territory" max:"8" doc:"DROM: only this territory (971, 972, 973, 974, 976)." example:"974"`
	pageParams
}

// An Unavailable is a site that its operator says is unavailable.
type Unavailable struct {
	ID           string           `json:"id"`
	Operator     string           `json:"operator"`
	Code         string           `json:"operatorSiteId" doc:"The operator's code of the site."`
	SiteKey      *string          `json:"siteKey" doc:"Of the register's site, for the other tools; null if the operator's code and the position do not name exactly one."`
	Commune      *string          `json:"commune"`
	Severity     outage.Severity  `json:"severity" doc:"down when a service is out and none is OK, else degraded."`
	Services     []string         `json:"affectedServices" doc:"Of data, voice, sms."`
	Technologies []string         `json:"affectedTechnologies" doc:"Of 2g, 3g, 4g, 5g."`
	StartedAt    string           `json:"startedAt" doc:"ISO 8601, UTC; empty when it is not stated."`
	ExpectedEnd  *string          `json:"expectedEndAt" doc:"ISO 8601, UTC."`
	Reason       *string          `json:"reason"`
	Coordinates  view.Coordinates `json:"coordinates"`
	Distance     *int             `json:"distanceMeters,omitempty" doc:"From the centre, metres."`
}

// A Feed says how much is known of what operators publish.
type Feed struct {
	view.OperatorFeed
	LastUpdate *string `json:"lastUpdate" doc:"The oldest good reading of the files that were asked for, ISO 8601, UTC."`
	// The reading says how old the copy is, the events how old the list itself is.
	NewestStart *string `json:"newestStartedAt" doc:"When the newest of the outages that the files name began, ISO 8601, UTC: a list whose newest is weeks old is old, whenever it was read."`
	Note        string  `json:"note"`
}

// An UnavailableList is a page of sites that are unavailable.
type UnavailableList struct {
	Center *Center `json:"center,omitempty"`
	Feed   Feed    `json:"feed"`
	List[Unavailable]
	Sourced
}

func (r *Reading) sitesHSList(_ context.Context, p *sitesHSListParams) (*UnavailableList, error) {
	return r.unavailable(nil, p.MarketParams, api.AreaParams{Territory: p.Territory}, nil, p.pageParams)
}

var sitesHSNearby = endpoint.New(endpoint.Decl{
	Name: "sites_hs_nearby", Title: "Sites out of service near a position",
	Summary: "Sites around a position that their operators publish as unavailable, the nearest first. Look at feed.available before concluding from an empty list that all sites work.",
}, (*Reading).sitesHSNearby)

// wideRadiusParams are radiusParams for what is rare.
type wideRadiusParams struct {
	RadiusKm float64 `param:"radiusKm" default:"20" above:"0" max:"200" doc:"How far around to look, in kilometres."`
}

func (p wideRadiusParams) disc(c geo.Point) *geo.Disc {
	return &geo.Disc{Center: c, Radius: p.RadiusKm * 1000}
}

type sitesHSNearbyParams struct {
	pointParams
	wideRadiusParams
	api.MarketParams
	pageParams
}

func (r *Reading) sitesHSNearby(_ context.Context, p *sitesHSNearbyParams) (*UnavailableList, error) {
	c := p.center(p.Market)
	return r.unavailable(c, p.MarketParams, api.AreaParams{}, p.disc(c.point()), p.pageParams)
}

var sitesHSNearbyFromPlace = endpoint.New(endpoint.Decl{
	Name: "sites_hs_nearby_from_place", Title: "Sites out of service near a place",
	Summary: "Sites around a commune or a postal code, or in a department, region or province, that their operators publish as unavailable, the nearest to its middle first.",
}, (*Reading).sitesHSNearbyFromPlace)

type sitesHSFromPlaceParams struct {
	placeParams
	RadiusKm *float64 `param:"radiusKm" above:"0" max:"200" doc:"How far around its middle to look, in kilometres; by default 20, and in all of a department, region or province."`
	operatorParams
	pageParams
}

func (r *Reading) sitesHSNearbyFromPlace(_ context.Context, p *sitesHSFromPlaceParams) (*UnavailableList, error) {
	place, err := r.place(&p.placeParams, p.Operator)
	if err != nil {
		return nil, err
	}
	c := place.center()
	around, areas := wideRadiusParams{20}.disc(c.point()), []string(nil)
	switch {
	case p.RadiusKm != nil:
		around = wideRadiusParams{*p.RadiusKm}.disc(c.point())
	case place.wide():
		around.Radius, areas = anywhere, place.areaCodes()
	}
	return r.unavailable(c, api.MarketParams{Market: place.Market, Operator: p.Operator}, api.AreaParams{}, around,
		p.pageParams, areas...)
}

// areaCodes are the codes of the areas that a wide place is made of.
func (p *Place) areaCodes() []string {
	if p.Kind == index.AreaPlace {
		return []string{p.AreaCode}
	}
	m := market.Get(p.Market)
	if i, ok := m.RegionNamed(p.Name); ok {
		return m.Regions[i].Codes
	}
	return nil
}

// unavailable is a page of the sites that operators say are unavailable, in some areas or
// with none in all.
func (r *Reading) unavailable(c *Center, in api.MarketParams, a api.AreaParams, around *geo.Disc, page pageParams,
	areas ...string) (*UnavailableList, error) {
	q, err := outagesIn(in, a)
	if err != nil {
		return nil, err
	}
	q.Disc = around
	entries, _ := r.Outages.Entries(q)
	if areas != nil {
		entries = slices.DeleteFunc(slices.Clone(entries),
			func(e *outage.Entry) bool { return !slices.Contains(areas, e.Area) })
	}
	from := min(page.Offset, len(entries))
	items := []Unavailable{}
	for _, e := range entries[from:min(from+page.Limit, len(entries))] {
		items = append(items, r.newUnavailable(e, around))
	}
	return &UnavailableList{c, r.feed(q), listOf(items, page.Offset, len(entries)), r.publishers(q)}, nil
}

// outagesIn resolves the parameters that pick outages.
func outagesIn(in api.MarketParams, a api.AreaParams) (outage.Query, error) {
	m := market.Get(in.Market)
	q := outage.Query{Market: m.Code}
	operator, err := in.Operator.Position(m)
	if err != nil {
		return q, err
	}
	if operator != index.Any {
		q.Operators = []string{m.Operators[operator].Key}
	}
	q.Area, err = a.Code(m)
	return q, err
}

// feed says how much is known of the operators that a question is about.
func (r *Reading) feed(q outage.Query) Feed {
	status := r.Outages.FeedStatus(q.Market, q.Operators)
	f := Feed{OperatorFeed: view.OperatorFeed{Exists: status.Exists, Available: status.Available},
		LastUpdate: stated(view.LastUpdate(status.LastUpdate))}
	switch {
	case !status.Exists:
		f.Note = fmt.Sprintf("No operator of %s publishes its unavailable sites: nothing is known of outages from operators.", market.Get(q.Market).Label)
	case !status.Available:
		f.Note = "What the operators publish was not read in the last 48 hours, or not of all of them: a missing site may still be out of service."
	default:
		f.Note = "What the operators publish was read in the last 48 hours."
	}
	if status.Exists {
		f.NewestStart = r.listAge(q, &f)
	}
	return f
}

// listAge returns when the newest outage of the operators' files began, and adds to the note how old
// the files are by it.
func (r *Reading) listAge(q outage.Query, f *Feed) *string {
	q.Disc, q.Box, q.Limit, q.Area = nil, nil, 0, ""
	entries, _ := r.Outages.Entries(q)
	var newest *time.Time
	ended := 0
	for _, e := range entries {
		if e.Start != nil && !e.Start.After(r.Now) && (newest == nil || e.Start.After(*newest)) {
			newest = e.Start
		}
		if e.End != nil && e.End.Before(r.Now) {
			ended++
		}
	}
	if newest == nil {
		return nil
	}
	days := int(r.Now.Sub(*newest).Hours() / 24)
	f.Note += fmt.Sprintf(" The newest outage in it began %s (%s).", newest.UTC().Format(time.DateOnly), daysAgo(days))
	if days > oldList {
		f.Note += " The list is old: what it names may be mended, and newer outages are missing."
	}
	if ended > 0 {
		f.Note += fmt.Sprintf(" The expected end of %d of %d has passed.", ended, len(entries))
	}
	return stated(view.LastUpdate(newest))
}

// oldList is after how many days without a new outage a list is called old.
const oldList = 7

func daysAgo(n int) string {
	switch n {
	case 0:
		return "less than a day ago"
	case 1:
		return "1 day ago"
	}
	return fmt.Sprintf("%d days ago", n)
}

// publishers are the operators that a question is about, as far as their files were read.
func (r *Reading) publishers(q outage.Query) Sourced {
	m, from := market.Get(q.Market), Sourced{[]Source{}}
	for _, f := range r.Outages.Feeds(q.Market) {
		o, ok := m.Operator(f.Operator)
		if !ok || f.ReadAt == nil || len(q.Operators) > 0 && !slices.Contains(q.Operators, f.Operator) {
			continue
		}
		register := market.Register{Authority: m.Operators[o].Label,
			Source: "Unavailable sites that the operator publishes"}
		if f.Synthetic {
			register = view.Demonstration(register)
		}
		from.Sources = append(from.Sources,
			Source{Market: m.Code, Authority: register.Authority, Label: register.Source})
	}
	return from
}

func (r *Reading) newUnavailable(e *outage.Entry, around *geo.Disc) Unavailable {
	v := r.NewOutage(community.Outage{Entry: e})
	u := Unavailable{ID: v.ID, Operator: v.OperatorKey, Code: v.SiteName, SiteKey: v.SiteKey, Commune: v.Commune, Severity: v.Severity,
		Services:     v.AffectedServices,
		Technologies: v.AffectedTechnologies, StartedAt: v.StartedAt, ExpectedEnd: v.ExpectedEndAt, Reason: v.Reason,
		Coordinates: view.Coordinates{Lat: v.Latitude, Lng: v.Longitude}}
	if around != nil {
		u.Distance = metresTo(around.Center, e.Point())
	}
	return u
}

// metresTo is a distance as answers show it.
func metresTo(a, b geo.Point) *int {
	whole := int(math.Round(geo.Distance(a, b)))
	return &whole
}
