package tools

import (
	"context"
	"fmt"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
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
}, unavailableSites)

type sitesHSListParams struct {
	marketParams
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

// A Feed says how much of the operators' publications is known.
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

func unavailableSites(r *Reading, _ context.Context, p *sitesHSListParams) (*UnavailableList, error) {
	areas, err := api.AreaParams{Territory: p.Territory}.Codes(market.Get(p.Market))
	if err != nil {
		return nil, err
	}
	return r.unavailable(nil, p.marketParams, areas, nil, p.pageParams)
}

var sitesHSNearby = endpoint.New(endpoint.Decl{
	Name: "sites_hs_nearby", Title: "Sites out of service near a position",
	Summary: "Sites around a position that their operators publish as unavailable, the nearest first. Look at feed.available before concluding from an empty list that all sites work.",
}, unavailableNearPoint)

type sitesHSNearbyParams struct {
	pointParams
	RadiusKm float64 `param:"radiusKm" default:"20" above:"0" max:"200" doc:"How far around to look, in kilometres."`
	marketParams
	pageParams
}

func unavailableNearPoint(r *Reading, _ context.Context, p *sitesHSNearbyParams) (*UnavailableList, error) {
	c := p.center(p.Market)
	return r.unavailable(c, p.marketParams, nil, disc(p.point(), p.RadiusKm), p.pageParams)
}

var sitesHSNearbyFromPlace = endpoint.New(endpoint.Decl{
	Name: "sites_hs_nearby_from_place", Title: "Sites out of service near a place",
	Summary: "Sites around a commune or a postal code, or in a department, region or province, that their operators publish as unavailable, the nearest to its middle first.",
}, unavailableNearPlace)

type sitesHSFromPlaceParams struct {
	placeParams
	RadiusKm *float64 `param:"radiusKm" above:"0" max:"200" doc:"How far around its middle to look, in kilometres; by default 20, and in all of a department, region or province."`
	operatorParams
	pageParams
}

func unavailableNearPlace(r *Reading, _ context.Context, p *sitesHSFromPlaceParams) (*UnavailableList, error) {
	place, err := r.place(&p.placeParams, p.Operator)
	if err != nil {
		return nil, err
	}
	c := placeCenter(place)
	around, areas := disc(c.point(), 20), []string(nil)
	switch {
	case p.RadiusKm != nil:
		around = disc(c.point(), *p.RadiusKm)
	case place.Wide(): // sites of the area are meant, and a disc would have those of its neighbours
		around, areas = place.Within().Disc, place.AreaCodes()
	}
	return r.unavailable(c, marketParams{place.Market.Code, p.Operator}, areas, around, p.pageParams)
}

// unavailable returns a page of the sites that operators say are unavailable, in some areas or
// with nil in all.
func (r *Reading) unavailable(c *Center, in marketParams, areas []string, around *geo.Disc, page pageParams) (
	*UnavailableList, error) {
	m, operators, err := in.resolve()
	if err != nil {
		return nil, err
	}
	found := r.FindOutages(catalog.Outages{Market: m, Operators: operators, Areas: areas, Source: catalog.FromOperators,
		Disc: around, Offset: page.Offset, Limit: page.Limit})
	items := each(found.Items, func(o community.Outage) Unavailable { return r.newUnavailable(o, around) })
	return &UnavailableList{c, r.feed(m, operators, found.Feed), listOf(items, page.Offset, found.Total),
		publishers(m, found.Feed)}, nil
}

// feed returns how much is known of the operators that a question is about. An empty list means something only
// together with it.
func (r *Reading) feed(m *market.Market, operators index.Choice, status outage.FeedStatus) Feed {
	f := Feed{OperatorFeed: view.NewOperatorFeed(status), LastUpdate: textOrNull(view.LastUpdate(status.LastUpdate))}
	switch {
	case !status.Exists:
		f.Note = fmt.Sprintf("No operator of %s publishes its unavailable sites: nothing is known of outages from operators.", m.Label)
	case !status.Available:
		f.Note = "What the operators publish was not read in the last 48 hours, or not of all of them: a missing site may still be out of service."
	default:
		f.Note = "What the operators publish was read in the last 48 hours."
	}
	if status.Exists {
		// Of the whole market: the age of a list does not depend on the place that is asked for.
		all := r.FindOutages(catalog.Outages{Market: m, Operators: operators, Source: catalog.FromOperators, Limit: -1})
		f.NewestStart = f.listAge(all.Items, r.Now)
	}
	return f
}

// listAge returns when the newest outage of the operators' files began, and adds to the note how old
// the files are by it.
func (f *Feed) listAge(all []community.Outage, now time.Time) *string {
	var newest *time.Time
	ended := 0
	for _, o := range all {
		e := o.Entry
		// An outage that is announced for later says nothing of the age.
		if e.Start != nil && !e.Start.After(now) && (newest == nil || e.Start.After(*newest)) {
			newest = e.Start
		}
		if e.End != nil && e.End.Before(now) {
			ended++
		}
	}
	if newest == nil {
		return nil
	}
	days := int(now.Sub(*newest).Hours() / 24)
	f.Note += fmt.Sprintf(" The newest outage in it began %s (%s).", newest.UTC().Format(time.DateOnly), daysAgo(days))
	if days > oldListDays {
		f.Note += " The list is old: what it names may be mended, and newer outages are missing."
	}
	if ended > 0 {
		f.Note += fmt.Sprintf(" The expected end of %d of %d has passed.", ended, len(all))
	}
	return textOrNull(view.LastUpdate(newest))
}

// oldListDays is after how many days without a new outage a list is called old.
const oldListDays = 7

func daysAgo(n int) string {
	switch n {
	case 0:
		return "less than a day ago"
	case 1:
		return "1 day ago"
	}
	return fmt.Sprintf("%d days ago", n)
}

// publishers returns the operators that a question is about as sources of its answer, if their files were read.
func publishers(m *market.Market, status outage.FeedStatus) Sourced {
	from := Sourced{[]Source{}}
	for _, f := range status.Feeds {
		o, ok := m.Operator(f.Operator)
		if !ok || f.ReadAt == nil {
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

// newUnavailable returns an outage as answers have it, with its distance if there is a centre.
func (r *Reading) newUnavailable(o community.Outage, around *geo.Disc) Unavailable {
	v := r.NewOutage(o)
	u := Unavailable{ID: v.ID, Operator: v.OperatorKey, Code: v.SiteName, SiteKey: v.SiteKey, Commune: v.Commune, Severity: v.Severity,
		Services:     v.AffectedServices,
		Technologies: v.AffectedTechnologies, StartedAt: v.StartedAt, ExpectedEnd: v.ExpectedEndAt, Reason: v.Reason,
		Coordinates: view.Coordinates{Lat: v.Latitude, Lng: v.Longitude}}
	if around != nil {
		u.Distance = metresTo(around.Center, o.Entry.Point())
	}
	return u
}

// metresTo returns a distance as answers show it.
func metresTo(a, b geo.Point) *int { return new(whole(geo.Distance(a, b))) }
