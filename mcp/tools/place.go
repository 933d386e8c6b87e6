package tools

import (
	"context"
	"fmt"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
)

var placeTools = []*Tool{locationGeocode, locationSearchPlaces}

var locationGeocode = endpoint.New(endpoint.Decl{
	Name: "location_geocode", Title: "Position of a place",
	Summary: "Turns the name of a commune, a postal code, a department, a region or a province into a position, from the places that the registers name: the best match, and others that it may be. Works offline; streets and house numbers are not known: search may know streets.",
}, geocode)

type placeParams struct {
	Place  string       `param:"place" max:"100" required:"true" doc:"Commune, postal code, department, territory, region or province; its department, postal code or country may follow." example:"Saint-Denis 974"`
	Market *market.Code `param:"market" doc:"Only this market."`
}

// A Place is a place that sites name.
type Place struct {
	Name        string           `json:"name"`
	Kind        index.PlaceKind  `json:"kind"`
	Market      market.Code      `json:"market"`
	Area        string           `json:"area" doc:"Department, territory or province; empty when the source names none."`
	AreaCode    string           `json:"areaCode"`
	PostalCodes []string         `json:"postalCodes" doc:"Of a commune: those that its sites have, at most 20. Empty for a postal code and an area."`
	Coordinates view.Coordinates `json:"coordinates" doc:"The mean position of its sites, not the town hall."`
	Sites       int              `json:"sites" doc:"Antenna sites there."`
}

// question asks for the places that the parameters name, for a question about operators.
func (p *placeParams) question(o api.Operators) catalog.Places {
	return catalog.Places{Text: p.Place, Market: marketOf(p.Market), Operators: o.Texts(), Part: true}
}

// A Geocoded is a place, with other places that may be meant instead.
type Geocoded struct {
	Match        Place   `json:"match"`
	Alternatives []Place `json:"alternatives" doc:"Other places that the text names, the best first."`
	Note         string  `json:"note,omitempty" doc:"How sure the match is: ask when it matters."`
	Sourced
}

func geocode(r *Reading, _ context.Context, p *placeParams) (*Geocoded, error) {
	q := p.question(nil)
	q.Limit = 11
	found, err := r.Places(q)
	if err != nil {
		return nil, err
	}
	best := found.Best()
	if best == nil {
		return nil, unknownPlace(p)
	}
	places := newPlaces(found.Places)
	return &Geocoded{places[0], places[1:], partNote(best), sourcesOf(p.Market, found.Registers)}, nil
}

// unknownPlace returns the error for a text that names no place. It says what to try next, since an assistant
// would otherwise answer that there are no antennas.
func unknownPlace(p *placeParams) error {
	where, wider := "no loaded register has sites", ""
	if p.Market != nil {
		where, wider = fmt.Sprintf("%s has no sites", *p.Market), ", and without market all registers are searched"
	}
	return api.NotFound(fmt.Sprintf(
		"place: %s in a commune, postal code, department or province %q; location_search_places lists those that begin with a text%s. %s", where, p.Place, wider, landmarks))
}

// landmarks says how to find places that registers do not list.
const landmarks = "Landmarks, streets and stations are known only as far as addresses of sites name them: search finds those by their words"

var locationSearchPlaces = endpoint.New(endpoint.Decl{
	Name: "location_search_places", Title: "Places that begin with a text",
	Summary: "Communes, postal codes and areas by the beginning of their name, those with the most sites first. Use it when location_geocode finds the wrong place.",
}, searchPlaces)

type searchPlacesParams struct {
	placeParams
	pageParams
}

// A PlaceList is places.
type PlaceList struct {
	List[Place]
	Sourced
}

func searchPlaces(r *Reading, _ context.Context, p *searchPlacesParams) (*PlaceList, error) {
	found, err := r.Places(catalog.Places{Text: p.Place, Market: marketOf(p.Market), Limit: p.Offset + p.Limit})
	if err != nil {
		return nil, err
	}
	items := newPlaces(found.Places[min(p.Offset, len(found.Places)):])
	return &PlaceList{listOf(items, p.Offset, found.Total), sourcesOf(p.Market, found.Registers)}, nil
}

func newPlaces(list []catalog.Place) []Place {
	places := make([]Place, len(list))
	for i, p := range list {
		places[i] = Place{Name: p.Name, Kind: p.Kind, Market: p.Market.Code,
			PostalCodes: append([]string{}, p.PostalCodes[:min(len(p.PostalCodes), 20)]...),
			Coordinates: view.Coordinates(p.Center), Sites: p.Sites}
		if p.Area != index.Any {
			places[i].Area, places[i].AreaCode = p.Market.Areas[p.Area].Label, p.Market.Areas[p.Area].Code
		}
	}
	return places
}

// sourcesOf returns the sources of the registers that were asked. A market without an inventory has no register, but a
// source.
func sourcesOf(in *market.Code, asked []*index.Market) (from Sourced) {
	if in != nil && len(asked) == 0 {
		return sourced(market.Get(*in), nil)
	}
	for _, m := range asked {
		from.Sources = append(from.Sources, sourceOf(m.Table, m))
	}
	return from
}

// place returns the one place that a text names best, for a question about operators. A place in a market that
// lacks one of them is an error: an empty list would look like a place without antennas of the operator.
func (r *Reading) place(p *placeParams, o api.Operators) (*catalog.NamedPlace, error) {
	found, err := r.Places(p.question(o))
	if err != nil {
		return nil, err
	}
	best := found.Best()
	switch {
	case best == nil:
		return nil, unknownPlace(p)
	case best.Lacks > 0:
		return nil, &endpoint.ParamError{Param: "operator", Value: o.String(),
			Want: fmt.Sprintf("%s is in the market %s, which has %s", placeTitle(&best.Place), best.Market.Code,
				strings.Join(append(best.Market.OperatorKeys(), market.AllOperators), ", "))}
	}
	return best, nil
}

// A Center is the place or site around which an answer looks.
type Center struct {
	Name        string           `json:"name" doc:"The place or the siteKey."`
	Market      market.Code      `json:"market"`
	Coordinates view.Coordinates `json:"coordinates"`
	Note        string           `json:"note,omitempty" doc:"How sure the place is, which others the name may mean, or that the position is of another market: ask when it matters."`
}

func (c *Center) point() geo.Point { return geo.Point(c.Coordinates) }

// measures asks for the measurements of operators around the centre, 0 days for those of any age.
func (c *Center) measures(o api.Operators, km float64, days int) (q catalog.Measures, err error) {
	q = catalog.Measures{Market: market.Get(c.Market), Days: days, Disc: disc(c.point(), km)}
	q.Operators, err = o.Positions(q.Market)
	return q, err
}

// around asks for the measurements of operators around a centre, in a window.
func (r *Reading) around(c *Center, o api.Operators, km float64, w api.WindowParams) (catalog.Measures, error) {
	q, err := c.measures(o, km, 0)
	if err == nil {
		err = w.Apply(r.Env, &q)
	}
	return q, err
}

// placeCenter returns a place as a centre.
func placeCenter(p *catalog.NamedPlace) *Center {
	c := &Center{Name: placeTitle(&p.Place), Market: p.Market.Code, Coordinates: view.Coordinates(p.Center)}
	var notes []string
	if note := partNote(p); note != "" {
		notes = append(notes, note)
	}
	if p.Match > 0 {
		notes = append(notes, fmt.Sprintf("No place has exactly this name; %s is the nearest to it.", p.Name))
	}
	var others []string
	for _, other := range p.Others {
		others = append(others, placeTitle(&other))
	}
	if n := len(others); n > 0 {
		notes = append(notes, fmt.Sprintf(
			"It may be another place: %s%s. Add the department or postal code, or use location_geocode.",
			strings.Join(others[:min(n, maxOthers)], ", "), map[bool]string{true: " and more"}[n > maxOthers]))
	}
	c.Note = strings.Join(notes, " ")
	return c
}

// partNote says that a part of the text is the name of the place, "" if all of it is.
func partNote(p *catalog.NamedPlace) string {
	if p.PartOf == "" {
		return ""
	}
	return fmt.Sprintf("No place is called %q; this is %s. %s.", p.PartOf, p.Name, landmarks)
}

// maxOthers is how many other places a centre names at most.
const maxOthers = 4

// placeTitle returns the place with its area.
func placeTitle(p *catalog.Place) string {
	if p.Area == index.Any || p.Market.Areas[p.Area].Label == p.Name {
		return p.Name
	}
	return p.Name + " (" + p.Market.Areas[p.Area].Label + ")"
}
