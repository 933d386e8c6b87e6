package tools

import (
	"relais/api/view"
	"relais/index"
	"relais/market"
	"relais/site"
)

// A Site is an antenna site in lists, with the names that an assistant needs for other tools.
type Site struct {
	SiteKey      string           `json:"siteKey" doc:"Names the site in other tools, such as fr-23444."`
	Market       market.Code      `json:"market"`
	Code         string           `json:"nationalSiteCode"`
	Operators    []string         `json:"operators"`
	Technologies []string         `json:"technologies" doc:"Distinct systems such as LTE 800."`
	Status       *string          `json:"status" doc:"The most advanced status of the site's emissions, as published."`
	Commune      *string          `json:"commune"`
	PostalCode   *string          `json:"postalCode"`
	Address      *string          `json:"address"`
	Area         string           `json:"area" doc:"Department, territory or province; empty when the source names none."`
	Coordinates  view.Coordinates `json:"coordinates"`
	Distance     *int             `json:"distanceMeters,omitempty" doc:"Great-circle distance from the centre, metres."`
	URL          string           `json:"url" doc:"A page about the site."`

	Generations string `json:"-"` // the newest first: 5G 4G
}

// site returns the site at an index of a register, without a distance if metres is negative.
func (r *Reading) site(m *index.Market, at uint32, metres float64) Site {
	var s site.Site
	m.Site(at, &s)
	v := view.NewSummary(m.Snap, &s)
	t := Site{SiteKey: *v.SiteKey, Market: v.Market, Code: v.NationalSiteCode, Operators: v.Operators,
		Technologies: v.Technologies, Status: v.Status,
		Commune: v.Location.Commune, PostalCode: v.Location.PostalCode, Address: v.Location.Address,
		Area: v.AdministrativeArea.Label, Coordinates: v.Coordinates,
		URL: r.pageOf(*v.SiteKey), Generations: view.Generations(&s)}
	if metres >= 0 {
		t.Distance = new(whole(metres))
	}
	return t
}

// sites returns the sites of a page.
func (r *Reading) sites(m *index.Market, hits index.Hits) []Site {
	list := make([]Site, len(hits.Sites))
	for i, at := range hits.Sites {
		metres := -1.0
		if hits.Metres != nil {
			metres = hits.Metres[i]
		}
		list[i] = r.site(m, at, metres)
	}
	return list
}

// pageOf returns the address of a page about a site.
func (r *Reading) pageOf(key string) string { return view.SitePage(r.BaseURL, key) }
