package web

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/market"
)

// siteOutages are the outages at a site.
type siteOutages struct {
	List       []view.Outage
	Labels     map[string]string // of operators, by key
	Published  bool              // operators of the market publish their unavailable sites
	Available  bool              // the files of all its operators are recent
	Unreadable bool
}

// sameSite is the distance in kilometres up to which an outage is one of a site. Reports and what
// operators publish are compared within the same distance.
const sameSite = "0.3"

// outagesOf returns the outages of a site's operators at the site. An outage that is near it is left out if
// it is known to be at another site.
func (p *Pages) outagesOf(ctx context.Context, env *api.Env, m *market.Market, d *view.Detail) *siteOutages {
	answer, err := answerOf[view.Body[[]view.Outage, view.OutagesMeta]](ctx, env, "outages.list", map[string]string{
		"market": string(d.Market), "operator": strings.Join(d.Operators, ","), "radiusKm": sameSite,
		"lat": strconv.FormatFloat(d.Coordinates.Lat, 'f', -1, 64),
		"lon": strconv.FormatFloat(d.Coordinates.Lng, 'f', -1, 64)})
	if err != nil {
		p.Log.Warn("the page of a site has no outages", "error", err)
		return &siteOutages{Unreadable: true}
	}
	at := slices.DeleteFunc(answer.Data,
		func(x view.Outage) bool { return x.SiteKey != nil && *x.SiteKey != *d.SiteKey })
	o := &siteOutages{List: at, Published: answer.Meta.OperatorFeed.Exists,
		Available: answer.Meta.OperatorFeed.Available, Labels: map[string]string{}}
	for i := range o.List {
		x := &o.List[i]
		o.Labels[x.OperatorKey] = market.Label(m.Code, x.OperatorKey)
		x.SiteName = cleanText(x.SiteName)
		if x.Reason != nil {
			clean := cleanText(*x.Reason)
			x.Reason = &clean
		}
	}
	return o
}

// sitePhotos are the photos of a site.
type sitePhotos struct {
	List       []view.Photo
	Total      int
	Unreadable bool
	OGImage    string // address of the newest one for Open Graph
}

// mostPhotos are the photos that the page of a site shows.
const mostPhotos = 12

// photosOf returns the newest photos of a site. The addresses of their images are those of this
// server, by whatever name the browser knows it.
func (p *Pages) photosOf(ctx context.Context, env *api.Env, d *view.Detail) *sitePhotos {
	local := *env
	local.BaseURL = ""
	answer, err := answerOf[view.Body[[]view.Photo, view.PhotosMeta]](ctx, &local, "photos.list",
		map[string]string{"siteId": *d.SiteKey, "limit": strconv.Itoa(mostPhotos)})
	if err != nil {
		p.Log.Warn("the page of a site has no photos", "error", err)
		return &sitePhotos{Unreadable: true}
	}
	photos := &sitePhotos{List: answer.Data, Total: answer.Meta.Total}
	for i := range photos.List {
		x := &photos.List[i]
		x.Caption = cleanText(x.Caption)
	}
	if len(photos.List) > 0 {
		photos.OGImage = env.BaseURL + photos.List[0].OGImageURL
	}
	return photos
}
