package web

import (
	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/market"
	"relais/photos"
)

// siteOutages are the outages at a site.
type siteOutages struct {
	List       []view.Outage
	Labels     map[string]string // of operators, by key
	Published  bool              // operators of the market publish their unavailable sites
	Available  bool              // the files of all its operators are recent
	Unreadable bool
}

// sameSite is the distance in metres up to which an outage is one of a site. Reports and what
// operators publish are compared within the same distance.
const sameSite = 300

// mostOutages are the outages that the page of a site shows.
const mostOutages = 200

// outagesOf returns the outages of a site's operators at the site. An outage that is near it is left out if
// it is known to be at another site.
func (p sites) outagesOf(env *api.Env, m *market.Market, d *view.Detail) *siteOutages {
	if err := env.Usable(catalog.DataOutages); err != nil {
		p.Log.Warn("the page of a site has no outages", "error", err)
		return &siteOutages{Unreadable: true}
	}
	q := catalog.Outages{Market: m, Limit: mostOutages,
		Disc: &geo.Disc{Center: geo.Point{Lat: d.Coordinates.Lat, Lng: d.Coordinates.Lng}, Radius: sameSite}}
	for _, key := range d.Operators {
		if i, ok := m.Operator(key); ok {
			q.Operators = append(q.Operators, i)
		}
	}
	found := env.FindOutages(q)
	o := &siteOutages{Published: found.Feed.Exists, Available: found.Feed.Available, Labels: map[string]string{}}
	for _, one := range found.Items {
		x := env.NewOutage(one)
		if x.SiteKey != nil && *x.SiteKey != *d.SiteKey {
			continue
		}
		o.Labels[x.OperatorKey] = market.Label(m.Code, x.OperatorKey)
		x.SiteName = cleanText(x.SiteName)
		if x.Reason != nil {
			clean := cleanText(*x.Reason)
			x.Reason = &clean
		}
		o.List = append(o.List, x)
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
func (p sites) photosOf(env *api.Env, d *view.Detail) *sitePhotos {
	var list []*photos.Photo
	shown, err := &sitePhotos{}, env.Usable(catalog.DataPhotos)
	if err == nil {
		list, shown.Total, err = env.Photos.List(*d.SiteKey, nil, mostPhotos, 0)
	}
	if err != nil {
		p.Log.Warn("the page of a site has no photos", "error", err)
		return &sitePhotos{Unreadable: true}
	}
	for _, photo := range list {
		x := view.NewPhoto("", photo)
		x.Caption = cleanText(x.Caption)
		shown.List = append(shown.List, x)
	}
	if len(shown.List) > 0 {
		shown.OGImage = env.BaseURL + shown.List[0].OGImageURL
	}
	return shown
}
