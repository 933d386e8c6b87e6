package tools

import (
	"cmp"
	"context"
	"slices"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/community"
	"relais/index"
	"relais/site"
)

var communityTools = []*Tool{sitesGetValidations, communityListObservations}

var sitesGetValidations = endpoint.New(endpoint.Decl{
	Name: "sites_get_validations", Title: "What people confirmed of a site",
	Summary: "What users of this service say they saw of a site: that it exists or is gone, operators, technologies, nodes, cells, PCIs, azimuths, each with how many said it and the last day. It does not change what the register states (sites_get).",
}, siteValidations)

type siteValidationsParams struct {
	siteParams
	pageParams
}

// A Validation is a fact about a site that people confirmed.
type Validation struct {
	Subject  community.Subject `json:"subject"`
	Operator string            `json:"operator" doc:"Of whose part of the site it is said; empty when that was not said."`
	Value    string            `json:"value" doc:"Empty for exists and gone."`
	Count    int               `json:"count" doc:"How many people said so."`
	FirstDay string            `json:"firstDay" doc:"YYYY-MM-DD."`
	LastDay  string            `json:"lastDay" doc:"YYYY-MM-DD."`
}

func newValidation(v community.Validation) Validation {
	return Validation{v.Subject, v.Operator, v.Value, v.Count, v.FirstDay, v.LastDay}
}

// A ValidationList is a page of the validations of a site.
type ValidationList struct {
	Site Site `json:"site" doc:"As the register has it."`
	List[Validation]
	Sourced
}

func siteValidations(r *Reading, _ context.Context, p *siteValidationsParams) (*ValidationList, error) {
	loaded, at, err := p.find(r)
	if err != nil {
		return nil, err
	}
	s := r.site(loaded, at, -1)
	items := each(r.Submissions.Community.OfSite(s.SiteKey), newValidation)
	return &ValidationList{s, paged(items, p.Offset, p.Limit), sourced(loaded.Table, loaded)}, nil
}

var communityListObservations = endpoint.New(endpoint.Decl{
	Name: "community_list_observations_nearby", Title: "What people observed near a position",
	Summary: "What people said around a position, the nearest first: outages that they report at the moment, what they confirmed of sites, and photos of the 200 nearest sites. What operators publish of outages is in sites_hs_nearby, speedtests are in speedtests_nearby. Nobody is named.",
}, observationsNear)

// An observationType is a kind of observations.
type observationType string

const (
	anyObservation observationType = "all"
	anOutage       observationType = "outage"
	aValidation    observationType = "validation"
	aPhoto         observationType = "photo"
)

// Values lists the types.
func (observationType) Values() []string {
	return []string{string(anyObservation), string(anOutage), string(aValidation), string(aPhoto)}
}

type observationsParams struct {
	pointParams
	radiusParams
	marketParams
	Type observationType `param:"type" default:"all" doc:"Only outages, validations or photos."`
	pageParams
}

// An Observation is an outage, a validation or a photo from a person.
type Observation struct {
	Type        observationType  `json:"type"`
	ID          string           `json:"id"`
	SiteKey     string           `json:"siteKey" doc:"Empty when it is of no site."`
	Operator    string           `json:"operator" doc:"Empty when it is of none, or not known."`
	What        string           `json:"what" doc:"Of an outage, how bad it is; of a validation, subject and value; photo."`
	Reason      string           `json:"reasonByUser,omitempty" doc:"Of an outage, as somebody wrote it."`
	Caption     string           `json:"captionByUser,omitempty" doc:"Of a photo, as somebody wrote it."`
	State       string           `json:"state,omitempty" doc:"Of an outage: reported, or confirmed by three users."`
	Count       *int             `json:"count,omitempty" doc:"People who confirmed the outage, or who said the same of the site."`
	At          string           `json:"at" doc:"When the outage began or the photo was sent, ISO 8601, UTC; the last day of a validation."`
	ImageURL    string           `json:"imageUrl,omitempty" doc:"Of a photo; needs no key."`
	Coordinates view.Coordinates `json:"coordinates" doc:"Of a photo or validation, the site's."`
	Distance    *int             `json:"distanceMeters" doc:"Great-circle distance from the centre, metres."`
	ByUsers
}

// An ObservationList is a page of observations around a centre.
type ObservationList struct {
	Center *Center `json:"center"`
	List[Observation]
	Sourced
}

func observationsNear(r *Reading, _ context.Context, p *observationsParams) (*ObservationList, error) {
	m, operators, err := p.resolve()
	if err != nil {
		return nil, err
	}
	q := catalog.Outages{Market: m, Operators: operators, Source: catalog.FromPeople, Disc: disc(p.point(), p.RadiusKm), Limit: -1}
	wants := func(t observationType) bool { return p.Type == anyObservation || p.Type == t }
	var items []Observation
	if wants(anOutage) {
		items = r.outagesNear(q)
	}
	if wants(aValidation) {
		items = append(items, r.validationsNear(q)...)
	}
	total := len(items)
	loaded, err := r.Register(m)
	if err != nil && p.Type == aPhoto { // photos are found by the sites of the register
		return nil, err
	}
	if wants(aPhoto) && loaded != nil {
		// All up to the end of the page: outages and validations are sorted in between.
		photos, n, err := r.photosNear(loaded, q, p.Offset+p.Limit)
		if err != nil {
			return nil, err
		}
		items, total = append(items, photos...), total+n
	}
	slices.SortStableFunc(items, func(a, b Observation) int { return cmp.Compare(*a.Distance, *b.Distance) })
	page := paged(items, p.Offset, p.Limit)
	from := Sourced{[]Source{}}
	// An outage has the coordinates that its reporter gave; the others have those of the register, which is
	// then a source of the answer.
	ofSite := func(o Observation) bool { return o.Type != anOutage }
	if slices.ContainsFunc(page.Items, ofSite) || m.UnavailableReason != "" {
		from = sourced(m, loaded)
	}
	return &ObservationList{p.center(p.Market), listOf(page.Items, p.Offset, total), from}, nil
}

func (r *Reading) outagesNear(q catalog.Outages) (items []Observation) {
	for _, found := range r.FindOutages(q).Items {
		o := found.Report
		items = append(items, Observation{Type: anOutage, ID: o.ID, SiteKey: o.SiteKey, Operator: o.Operator,
			What: string(o.Severity), Reason: o.Reason, ByUsers: byUsers, State: string(o.State), Count: &o.Confirms,
			At: view.Moment(o.StartedAt), Coordinates: view.Coordinates(o.Point()), Distance: metresTo(q.Disc.Center, o.Point())})
	}
	return items
}

// validationsNear returns the validations in the disc of a question, the last day first: of equal
// distances, sorting keeps this order.
func (r *Reading) validationsNear(q catalog.Outages) (items []Observation) {
	list, keys := r.Submissions.Community.Near(q.Market.Code, *q.Disc), q.Market.KeysOf(q.Operators)
	slices.SortFunc(list, func(a, b community.Validation) int {
		return cmp.Or(cmp.Compare(b.LastDay, a.LastDay), cmp.Compare(a.ID, b.ID))
	})
	for _, v := range list {
		operator := v.Operator
		if v.Subject == community.Operator { // it says that the operator is there, not something of its part
			operator = v.Value
		}
		if keys != nil && !slices.Contains(keys, operator) {
			continue
		}
		what := string(v.Subject)
		if v.Value != "" {
			what += " " + v.Value
		}
		items = append(items, Observation{Type: aValidation, ID: v.ID, SiteKey: v.SiteKey, Operator: operator,
			What: what, ByUsers: byUsers, Count: &v.Count, At: v.LastDay,
			Coordinates: view.Coordinates(v.Point()), Distance: metresTo(q.Disc.Center, v.Point())})
	}
	return items
}

// maxPhotoSites is how many sites around a point are searched for photos. The tool's summary says so.
const maxPhotoSites = 200

// photosNear returns at most limit photos of the sites around a point, and how many there
// are.
func (r *Reading) photosNear(m *index.Market, q catalog.Outages, limit int) (items []Observation, total int, err error) {
	hits := m.Find(index.Query{Filter: index.All, Disc: q.Disc}, 0, maxPhotoSites)
	keys, prefix := make([]string, len(hits.Sites)), index.Key(m.Table.Code, "")
	for i, at := range hits.Sites {
		keys[i] = prefix + m.Snap.ID(int(at))
	}
	photos, total, err := r.Photos.ListSites(keys, m.Table.KeysOf(q.Operators), limit)
	if err != nil {
		return nil, 0, err
	}
	var s site.Site
	for _, photo := range photos {
		at := max(0, slices.Index(keys, photo.SiteKey)) // a damaged record may name any site
		m.Site(hits.Sites[at], &s)
		p := r.photo(photo)
		items = append(items, Observation{Type: aPhoto, ID: p.ID, SiteKey: p.SiteKey, Operator: p.Operator,
			What: string(aPhoto), Caption: p.Caption, ByUsers: byUsers, At: p.UploadedAt, ImageURL: p.ImageURL,
			Coordinates: view.Coordinates(s.Position), Distance: metresTo(q.Disc.Center, s.Position)})
	}
	return items, total, nil
}
