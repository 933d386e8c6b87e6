package api

import (
	"context"
	"strconv"
	"strings"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/market"
)

var find = endpoint.New(endpoint.Decl{
	Name: "find", Path: "/find", Scope: "antennas:read", FailureName: "FIND", MaxAge: 60,
	DependsOn: []string{catalog.Learned, catalog.DataAddresses},
	Example:   endpoint.Request{Target: "/find?q=5G+Rennes&limit=2"},
	Summary:   "What a question is about, as people type it.",
	Doc:       "Reads operators, generation, bands, status, place, area, postal code, position, radio identifier, PLMN, siteKey, outages and what is new, in French, English, Dutch and German, in all markets. First comes what was understood, with filters for tiles and lists; then positions, sites that an identifier or a landmark names, streets, places, and sites, the nearest to the middle of the place or street first; and what answers better. Streets, without the numbers of houses, are known where the operator has ingested addresses.",
	Shapes:    shapes[view.Found, view.FoundMeta](),
}, (*Env).find)

type findParams struct {
	Text   string       `param:"q" max:"200" doc:"The question." example:"5G Rennes"`
	Prefer *market.Code `param:"prefer" doc:"Of namesakes, those of this market come first." example:"FR"`
	Lat    *float64     `param:"lat" min:"-90" max:"90" doc:"Where who asks is, latitude in degrees, for near me; lng belongs to it."`
	Lng    *float64     `param:"lng" min:"-180" max:"180" doc:"Longitude in degrees."`
	Limit  int          `param:"limit" default:"10" min:"1" max:"50" doc:"Most sites to answer."`
}

// Check holds the rules over several parameters.
func (p *findParams) Check() error {
	return checkComplete("", []edge{{"lat", p.Lat}, {"lng", p.Lng}})
}

// Bounds of what comes before the sites.
const (
	maxByRadio = 5
	maxPlaces  = 4
)

func (r *Env) find(ctx context.Context, p *findParams) (*view.Body[view.Found, view.FoundMeta], error) {
	q := catalog.Find{Text: p.Text, Nearest: true, Limit: p.Limit}
	if p.Prefer != nil {
		q.Prefer = market.Get(*p.Prefer)
	}
	if p.Lat != nil {
		q.Near = &geo.Point{Lat: *p.Lat, Lng: *p.Lng}
	}
	found, err := r.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	body := &view.Body[view.Found, view.FoundMeta]{Data: view.Found{Understood: NewUnderstood(found),
		Results: results(found), Better: NewBetter(found)},
		Meta: view.FoundMeta{Markets: []market.Code{}, Total: found.Total, DataVersion: &r.Set.Version}}
	if s := found.Streets; len(s.Streets) > 0 {
		body.Meta.Streets = &view.StreetSource{Authority: s.Source.Authority, Source: s.Source.Source, Licence: s.Source.Licence,
			Date: s.Source.Date, Synthetic: s.Source.Synthetic}
	}
	for _, m := range found.Registers {
		body.Meta.Markets = append(body.Meta.Markets, m.Table.Code)
	}
	return body, nil
}

// results returns what was found, the best first.
func results(f *catalog.Found) []view.FoundItem {
	list := []view.FoundItem{}
	if p := f.Position; p != nil {
		text := strconv.FormatFloat(p.Lat, 'f', 5, 64) + ", " + strconv.FormatFloat(p.Lng, 'f', 5, 64)
		list = append(list, view.FoundItem{Kind: view.FoundPosition, Title: text, Lat: p.Lat, Lng: p.Lng, Matches: []string{}})
	}
	byRadio, sites := radioResults(f), siteResults(f)
	if f.RadioFirst() {
		list, byRadio = append(list, byRadio...), nil
	}
	streets := streetResults(f)
	if f.Street() != nil {
		list, streets = append(list, streets...), nil
	}
	list = append(list, sites[:f.Naming]...)
	for _, p := range f.Places[:min(len(f.Places), maxPlaces)] {
		place := newFoundPlace(f, &p)
		if place.Area == place.Name {
			place.Area = ""
		}
		list = append(list, view.FoundItem{Kind: view.FoundAsPlace, Title: place.Name, Note: place.Area, Market: &place.Market,
			Lat: p.Center.Lat, Lng: p.Center.Lng, Place: &place, Matches: []string{}})
	}
	return append(append(append(list, streets...), sites[f.Naming:]...), byRadio...)
}

func streetResults(f *catalog.Found) (list []view.FoundItem) {
	for _, s := range f.Streets.Streets {
		list = append(list, view.FoundItem{Kind: view.FoundAsStreet, Title: s.Name, Note: strings.TrimSpace(s.Postcode + " " + s.Commune),
			Market: &s.Market.Code, Lat: s.At.Lat, Lng: s.At.Lng, Matches: []string{}})
	}
	return list
}

func radioResults(f *catalog.Found) (list []view.FoundItem) {
	for _, x := range f.Radio[:min(len(f.Radio), maxByRadio)] {
		item := view.NewFoundSite(view.FoundByRadio, x.Register, x.Site)
		item.Learned, item.Foreign, item.Matches = x.Learned, x.Foreign, x.Kinds()
		list = append(list, item)
	}
	return list
}

// siteResults returns the sites that were found, without those of an identifier.
func siteResults(f *catalog.Found) (list []view.FoundItem) {
	for _, page := range f.Pages {
		for _, at := range page.Sites {
			kind := view.FoundAsSite
			if len(list) < f.Naming {
				kind = view.FoundAsLandmark
			}
			list = append(list, view.NewFoundSite(kind, page.Register, at))
		}
	}
	return list
}
