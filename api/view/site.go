package view

import (
	"net/url"

	"strings"

	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A Site is the site summary of /sites/{siteId}.
type Site struct {
	SiteID         string      `json:"siteId" doc:"The source's site id."`
	Market         market.Code `json:"market"`
	ANFRCode       string      `json:"anfrCode" doc:"Legacy: the lowest ANFR station number; empty outside FR and DROM."`
	Operators      []string    `json:"operators"`
	OperatorTag    string      `json:"operatorTag" doc:"The operator's key, or SHARED when there are several."`
	IsSharedSite   bool        `json:"isSharedSite" doc:"Whether two or more operators use the support."`
	IsCrozon       bool        `json:"isCrozon" doc:"Whether SFR and Bouygues share their radio network here."`
	CrozonLeader   *string     `json:"crozonLeader" doc:"The operator that runs the shared network, if a curated file states it."`
	AddressLine1   *string     `json:"addressLine1"`
	AddressLine2   *string     `json:"addressLine2"`
	AddressLine3   *string     `json:"addressLine3"`
	LieuDit        *string     `json:"lieuDit"`
	PostalCode     string      `json:"postalCode"`
	Insee          string      `json:"insee" doc:"The statistics office's code of the commune."`
	Commune        string      `json:"commune"`
	FullAddress    string      `json:"fullAddress"`
	OperatorSiteID string      `json:"operatorSiteId" doc:"The operator's own name of the site: the asked operator's, else the first one's."`
	Latitude       float64     `json:"latitude" doc:"WGS84 degrees."`
	Longitude      float64     `json:"longitude" doc:"WGS84 degrees."`
}

// sharedTag is the operatorTag of a site with several operators.
const sharedTag = "SHARED"

// NewSite returns the site summary of s. Its operatorSiteId is that of operator, or of any
// operator if operator is negative.
func NewSite(snap *snapshot.Snapshot, s *site.Site, operator int) Site {
	r := RegisterOf(snap)
	v := Site{
		SiteID: s.ID, Market: r.Code, Operators: r.operators(s), IsCrozon: s.Crozon,
		CrozonLeader: OrNull(&s.CrozonLeader),
		AddressLine1: OrNull(&s.Address[0]), AddressLine2: OrNull(&s.Address[1]), AddressLine3: OrNull(&s.Address[2]),
		LieuDit: OrNull(&s.Place), PostalCode: s.PostalCode, Insee: s.CommuneCode, Commune: s.Commune,
		FullAddress: fullAddress(s), OperatorSiteID: operatorSiteID(s, operator),
		Latitude: s.Position.Lat, Longitude: s.Position.Lng,
	}
	if r.LegacyCode {
		v.ANFRCode = s.SourceCode
	}
	if v.IsSharedSite = len(v.Operators) > 1; v.IsSharedSite {
		v.OperatorTag = sharedTag
	} else if len(v.Operators) == 1 {
		v.OperatorTag = v.Operators[0]
	}
	return v
}

// fullAddress returns the address with postal code and commune.
func fullAddress(s *site.Site) string {
	town := strings.TrimSpace(s.PostalCode + " " + s.Commune)
	if a := address(s); a != "" && town != "" {
		return a + ", " + town
	} else if a != "" {
		return a
	}
	return town
}

// operatorSiteID returns the operator's own id of the site. If operator is negative, it is
// that of the first operator in table order that has one.
func operatorSiteID(s *site.Site, operator int) string {
	best, id := -1, ""
	for _, t := range s.Stations {
		if t.OperatorSiteID == "" || operator >= 0 && t.Operator != operator {
			continue
		}
		if best < 0 || t.Operator < best {
			best, id = t.Operator, t.OperatorSiteID
		}
	}
	return id
}

// SitePagePath is the path of the pages about sites, without the siteKey.
const SitePagePath = "/site/"

// BasePath returns the path of the service's address, "" for one at the root of its host. It is in front of all
// paths that browsers ask for.
func BasePath(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil { // checked at the start
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

// SitePage returns the address of the page about a site; base is its beginning.
func SitePage(base, siteKey string) string { return base + SitePagePath + url.PathEscape(siteKey) }
