package tools

import (
	"errors"
	"fmt"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// marketParams pick a market and operators of it.
type marketParams struct {
	Market   market.Code   `param:"market" default:"FR" doc:"The market to read."`
	Operator api.Operators `param:"operator" default:"ALL" doc:"An operator of the market (see /markets), or ALL." example:"ORANGE"`
}

// resolve returns the market and the positions of the operators in it, nil for any.
func (p marketParams) resolve() (*market.Market, index.Choice, error) {
	return api.MarketOperators(p).Resolve()
}

// pageParams pick a page.
type pageParams struct {
	Limit  int `param:"limit" default:"10" min:"1" max:"50" doc:"Most items to answer."`
	Offset int `param:"offset" default:"0" min:"0" max:"1000000" doc:"Items to pass over: nextOffset of the page before."`
}

// of returns the question for the page of the sites of a selection.
func (p pageParams) of(s catalog.Selection, where index.Query) catalog.Sites {
	return catalog.Sites{Selection: s, Where: where, Offset: p.Offset, Limit: p.Limit}
}

// pointParams are a position that must be given.
type pointParams struct {
	Lat float64 `param:"lat" min:"-90" max:"90" required:"true" doc:"Latitude, WGS84 degrees." example:"48.8584"`
	Lon float64 `param:"lon" min:"-180" max:"180" required:"true" doc:"Longitude, WGS84 degrees." example:"2.2945"`
}

func (p pointParams) point() geo.Point { return geo.Point{Lat: p.Lat, Lng: p.Lon} }

// radiusParams say how far around a point to look.
type radiusParams struct {
	RadiusKm float64 `param:"radiusKm" default:"5" above:"0" max:"50" doc:"How far around to look, in kilometres."`
}

func disc(c geo.Point, km float64) *geo.Disc { return &geo.Disc{Center: c, Radius: km * 1000} }

// siteParams name a site.
type siteParams struct {
	Site   string       `param:"siteId" max:"128" required:"true" doc:"siteKey (such as fr-23444), site id, national code or station number." example:"fr-23444"`
	Market *market.Code `param:"market" doc:"Only this market; a siteKey names its own."`
}

// find returns the site in its register.
func (p siteParams) find(r *Reading) (*index.Market, uint32, error) {
	found, err := r.Site(catalog.Site{Name: p.Site, Market: marketOf(p.Market)})
	if errors.Is(err, catalog.ErrNoSite) {
		where := "no site that is loaded"
		if p.Market != nil {
			where = "no site of " + string(*p.Market)
		}
		err = api.NotFound(fmt.Sprintf(
			"%s has the identifier %q: search for sites by words, and give the siteKey of a result", where, p.Site))
	}
	return found.Register, found.At, err
}

// marketOf returns the market with a code, nil for any.
func marketOf(code *market.Code) *market.Market {
	if code == nil {
		return nil
	}
	return market.Get(*code)
}

// emissionParams are the filters by emission: one emission must satisfy all of them.
type emissionParams struct {
	Generation *site.Generation `param:"generation" doc:"Generation of an emission."`
	Status     string           `param:"status" max:"100" doc:"Status of an emission as the data has it, without regard to case and accents, or en-service, techop, projet." example:"en-service"`
}

// selection returns the part of a market that parameters select.
func selection(m *market.Market, o api.Operators, a api.AreaParams, e emissionParams) (s catalog.Selection, err error) {
	s = catalog.Selection{Market: m, Status: e.Status}
	if e.Generation != nil {
		s.Generations = index.Choice{int(*e.Generation)}
	}
	if s.Operators, err = o.Positions(m); err == nil {
		s.Area, err = a.Code(m)
	}
	return s, err
}

// rounded returns a position to 1e-7 degrees, as the registers have them.
func rounded(p geo.Point) *view.Coordinates {
	return &view.Coordinates{Lat: geo.Degrees(geo.Fix(p.Lat)), Lng: geo.Degrees(geo.Fix(p.Lng))}
}
