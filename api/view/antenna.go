package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"relais/index"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A Summary is an antenna site in lists.
type Summary struct {
	ID                 string      `json:"id" doc:"The source's site id; sup_id in France."`
	ANFRCode           string      `json:"anfrCode" doc:"Legacy: the lowest ANFR station number of the site; empty outside FR and DROM."`
	NationalSiteCode   string      `json:"nationalSiteCode" doc:"The site's national code."`
	SourceCode         string      `json:"sourceCode" doc:"The source's own code of the site or its first station."`
	SiteKey            *string     `json:"siteKey" doc:"Key of the site over all markets, such as fr-23444."`
	Market             market.Code `json:"market" doc:"The market."`
	CountryCode        string      `json:"countryCode" doc:"ISO 3166-1 alpha-2."`
	MarketLabel        string      `json:"marketLabel" doc:"Name of the market."`
	SourceAuthority    string      `json:"sourceAuthority" doc:"Who publishes the register."`
	SourceLabel        string      `json:"sourceLabel" doc:"What the register is called. Demonstration data says here that it is synthetic."`
	AdministrativeArea Area        `json:"administrativeArea"`
	Coordinates        Coordinates `json:"coordinates"`
	Location           Location    `json:"location"`
	Status             *string     `json:"status" doc:"The most advanced status of the site's emissions, as published."`
	Technologies       []string    `json:"technologies" doc:"Distinct systems such as LTE 800, by generation and band."`
	Operators          []string    `json:"operators" doc:"Operators on the site, in the order of /markets."`
	SharedNetwork      bool        `json:"sharedNetwork" doc:"The source states radio-network sharing. Several operators on one mast alone are not that."`
	UpdatedAt          *string     `json:"updatedAt" doc:"Date of the source file, YYYY-MM-DDTHH:MM:SS."`
	Source             *string     `json:"source" doc:"Always null."`
	Licence            *string     `json:"licence,omitempty" doc:"The lowest licence number of the site; only in markets that are known by licences (CA)."`
	Licences           []string    `json:"licences,omitempty" doc:"All licence numbers of the site."`
	Reference          *string     `json:"reference,omitempty" doc:"Reference number of the lowest licence."`
}

// A Location is where a site is, in words.
type Location struct {
	Department         *string `json:"department" doc:"Department code; FR and DROM only."`
	ProvinceCode       *string `json:"provinceCode" doc:"Province code; CA only."`
	Commune            *string `json:"commune" doc:"Name of the commune, when a file of communes was ingested."`
	PostalCode         *string `json:"postalCode"`
	Address            *string `json:"address" doc:"Lieu-dit and address lines."`
	AdministrativeArea Area    `json:"administrativeArea"`
}

// A NearSummary is a Summary found by distance.
type NearSummary struct {
	Summary
	DistanceMeters *int `json:"distanceMeters,omitempty" doc:"Great-circle distance from the centre in metres; only in answers to lat, lon, radiusKm."`
}

// NewSummary returns the summary of s, which it refers to.
func NewSummary(snap *snapshot.Snapshot, s *site.Site) Summary { return RegisterOf(snap).summary(s) }

// summary returns the summary of s, which it refers to.
func (r register) summary(s *site.Site) Summary {
	area, from := r.area(s.Area), r.attributionOf(s)
	key := r.key + s.ID
	v := Summary{
		ID: s.ID, NationalSiteCode: cmp.Or(s.NationalCode, s.ID), SourceCode: s.SourceCode, SiteKey: &key,
		Market: r.Code, CountryCode: r.Country, MarketLabel: r.Label,
		SourceAuthority: from.Authority, SourceLabel: from.Source,
		AdministrativeArea: area, Coordinates: Coordinates{s.Position.Lat, s.Position.Lng},
		Location: Location{Commune: OrNull(&s.Commune), PostalCode: OrNull(&s.PostalCode), AdministrativeArea: area},
		Status:   r.status(s), Technologies: technologies(s), Operators: r.operators(s),
		SharedNetwork: s.SharedRadio, UpdatedAt: OrNull(&r.snap.UpdatedAt),
	}
	if a := address(s); a != "" {
		v.Location.Address = &a
	}
	if r.LegacyCode {
		v.ANFRCode = s.SourceCode
	}
	if r.Licences {
		v.Licences = licences(s)
		v.Reference = OrNull(&s.Reference)
		if len(v.Licences) > 0 {
			v.Licence = &v.Licences[0]
		}
	}
	if s.Area >= 0 {
		switch r.AreaType {
		case "department":
			v.Location.Department = &r.Areas[s.Area].Code
		case "province":
			v.Location.ProvinceCode = &r.Areas[s.Area].Code
		}
	}
	return v
}

// licences lists the codes of the stations, each once.
func licences(s *site.Site) []string {
	list := make([]string, 0, len(s.Stations))
	for _, t := range s.Stations {
		if t.Code != "" {
			list = append(list, t.Code)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// address joins the lieu-dit and the address lines.
func address(s *site.Site) string {
	parts := make([]string, 0, 4)
	for _, p := range []string{s.Place, s.Address[0], s.Address[1], s.Address[2]} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

// status returns the most advanced status of the emissions.
func (r register) status(s *site.Site) *string {
	best := -1
	for _, e := range s.Emissions {
		best = max(best, e.Status)
	}
	if best < 0 {
		return nil
	}
	return &r.snap.Statuses[best]
}

// technologies lists the distinct systems of a site by generation and band.
func technologies(s *site.Site) []string {
	var space [32]int
	order := space[:0] // of the systems, ascending
	names := make([]string, 0, len(s.Emissions))
	for _, e := range s.Emissions {
		at := len(order)
		for at > 0 && order[at-1] > e.Order {
			at--
		}
		if at > 0 && order[at-1] == e.Order || e.System == "" {
			continue
		}
		order, names = slices.Insert(order, at, e.Order), slices.Insert(names, at, e.System)
	}
	return names
}

// Summaries returns a function that appends the encoded summary of a site and a comma.
// So neighbours in memory can be copied to a JSON list in one piece.
func Summaries(snap *snapshot.Snapshot) index.Encode {
	r, encode := RegisterOf(snap), newEncoder()
	var v Summary
	return func(dst []byte, s *site.Site) []byte {
		v = r.summary(s)
		text, err := encode(&v)
		if err != nil {
			panic(err) // JSON has every value of a Summary
		}
		return append(append(dst, text...), ',')
	}
}

// newEncoder returns a function that encodes values as JSON without escaping HTML. Its
// result is valid until the next call.
func newEncoder() func(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	return func(v any) ([]byte, error) {
		buf.Reset()
		if err := e.Encode(v); err != nil {
			return nil, err
		}
		return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
	}
}
