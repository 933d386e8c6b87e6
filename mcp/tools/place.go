package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/index"
	"relais/index/question"
	"relais/market"
)

var placeTools = []*Tool{locationGeocode, locationSearchPlaces}

var locationGeocode = endpoint.New(endpoint.Decl{
	Name: "location_geocode", Title: "Position of a place",
	Summary: "Turns the name of a commune, a postal code, a department, a region or a province into a position, from the places that the registers name: the best match, and others that it may be. Works offline; streets and house numbers are not known.",
}, (*Reading).locationGeocode)

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

	at     index.Place
	match  int
	lacks  int      // 1 where its market does not have the operator that is asked for
	others []string // that the text names as well
	note   string   // how it was found, where the text is not its name
}

// A Geocoded is a place and those that it may be instead.
type Geocoded struct {
	Match        Place   `json:"match"`
	Alternatives []Place `json:"alternatives" doc:"Other places that the text names, the best first."`
	Note         string  `json:"note,omitempty" doc:"How sure the match is: ask when it matters."`
	Sourced
}

func (r *Reading) locationGeocode(_ context.Context, p *placeParams) (*Geocoded, error) {
	found, _, from, err := r.places(p, market.AllOperators, 11)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if found, err = r.shorterPlaces(p, market.AllOperators, 11); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, unknownPlace(p)
	}
	return &Geocoded{found[0], found[1:], found[0].note, from}, nil
}

// unknownPlace is the error of a text that names no place.
func unknownPlace(p *placeParams) error {
	where, wider := "no loaded register has sites", ""
	if p.Market != nil {
		where, wider = fmt.Sprintf("%s has no sites", *p.Market), ", and without market all registers are searched"
	}
	return api.NotFound(fmt.Sprintf(
		"place: %s in a commune, postal code, department or province %q; location_search_places lists those that begin with a text%s. %s", where, p.Place, wider, landmarks))
}

// landmarks says what is known of places that registers do not list.
const landmarks = "Landmarks, streets and stations are known only as far as addresses of sites name them: search finds those by their words"

var locationSearchPlaces = endpoint.New(endpoint.Decl{
	Name: "location_search_places", Title: "Places that begin with a text",
	Summary: "Communes, postal codes and areas by the beginning of their name, those with the most sites first. Use it when location_geocode finds the wrong place.",
}, (*Reading).locationSearchPlaces)

type searchPlacesParams struct {
	placeParams
	pageParams
}

// A PlaceList is places.
type PlaceList struct {
	List[Place]
	Sourced
}

func (r *Reading) locationSearchPlaces(_ context.Context, p *searchPlacesParams) (*PlaceList, error) {
	found, total, from, err := r.places(&p.placeParams, market.AllOperators, p.Offset+p.Limit)
	if err != nil {
		return nil, err
	}
	return &PlaceList{listOf(found[min(p.Offset, len(found)):], p.Offset, total), from}, nil
}

// places returns the places that a text names, at most limit, the best first, how many there
// are, and the registers that were asked. Of the ways to write the text, the first that is a
// place's name counts, else the first that finds anything. Of namesakes, those of markets that
// have the operator come first.
func (r *Reading) places(p *placeParams, o api.Operator, limit int) (list []Place, total int, from Sourced, err error) {
	among, from, err := r.registers(p.Market)
	if country := question.Country(p.Place); country != "" {
		among = slices.DeleteFunc(among, func(m *index.Market) bool { return m.Table.Country != country })
	}
	for _, name := range question.Places(p.Place) {
		found, n := placesIn(among, name, o, limit)
		if best := len(found) > 0 && found[0].match == 0; best || list == nil {
			list, total = found, n
			if best {
				break
			}
		}
	}
	return list, total, from, err
}

// placesIn returns the places of some registers that have a name.
func placesIn(among []*index.Market, name string, o api.Operator, limit int) (list []Place, total int) {
	for _, m := range among {
		lacks := 0
		if _, err := o.Position(m.Table); err != nil {
			lacks = 1
		}
		found, n := m.Places(name, limit)
		for _, one := range found {
			place := placeOf(m, one)
			place.lacks = lacks
			list = append(list, place)
		}
		total += n
	}
	slices.SortStableFunc(list,
		func(a, b Place) int { return cmp.Or(a.match-b.match, a.lacks-b.lacks, b.Sites-a.Sites) })
	return list[:min(limit, len(list))], total
}

// shorterPlaces returns the places whose name is a part of a text, such as Rennes of "gare de
// Rennes", with a note that says so.
func (r *Reading) shorterPlaces(p *placeParams, o api.Operator, limit int) ([]Place, error) {
	for _, part := range question.Shorter(p.Place) {
		found, _, _, err := r.places(&placeParams{Place: part, Market: p.Market}, o, limit)
		if err != nil {
			return nil, err
		}
		if country := question.Country(p.Place); country != "" {
			found = slices.DeleteFunc(found, func(one Place) bool { return market.Get(one.Market).Country != country })
		}
		if len(found) > 0 && found[0].match == 0 {
			found[0].note = fmt.Sprintf("No place is called %q; this is %s. %s.", p.Place, found[0].Name, landmarks)
			return found, nil
		}
	}
	return nil, nil
}

func placeOf(m *index.Market, p index.Place) Place {
	place := Place{Name: p.Name, Kind: p.Kind, Market: m.Table.Code,
		PostalCodes: p.PostalCodes[:min(len(p.PostalCodes), 20)],
		Coordinates: view.Coordinates{Lat: round(p.Center.Lat), Lng: round(p.Center.Lng)}, Sites: p.Sites, at: p,
		match: p.Match}
	if place.PostalCodes == nil {
		place.PostalCodes = []string{}
	}
	if p.Area != index.Any {
		place.Area, place.AreaCode = m.Table.Areas[p.Area].Label, m.Table.Areas[p.Area].Code
	}
	return place
}

// registers returns the registers that are asked, of one market or all that are loaded, and
// their sources. A market without an inventory has no register, but a source.
func (r *Reading) registers(in *market.Code) (list []*index.Market, from Sourced, err error) {
	if in != nil {
		table := market.Get(*in)
		m, err := r.Register(table)
		if m != nil {
			list = append(list, m)
		}
		return list, sourced(table, m), err
	}
	if r.Set != nil {
		for m := range r.Set.Loaded() {
			list = append(list, m)
			from.Sources = append(from.Sources, sourceOf(m.Table, m))
		}
	}
	if len(list) == 0 {
		_, err = r.Register(market.Get(market.Default))
	}
	return list, from, err
}

// place is the one place that a text names best, for a question about an operator.
func (r *Reading) place(p *placeParams, o api.Operator) (Place, error) {
	found, _, _, err := r.places(p, o, 1+mostOthers+1)
	if err == nil && len(found) == 0 {
		found, err = r.shorterPlaces(p, o, 1+mostOthers+1)
	}
	if err != nil {
		return Place{}, err
	}
	if len(found) == 0 {
		return Place{}, unknownPlace(p)
	}
	best := found[0]
	if best.lacks > 0 {
		return Place{}, &endpoint.ParamError{Param: "operator", Value: string(o),
			Want: fmt.Sprintf("%s is in the market %s, which has %s", best.title(), best.Market,
				strings.Join(append(market.Get(best.Market).OperatorKeys(), market.AllOperators), ", "))}
	}
	best.setOthers(found[1:])
	return best, nil
}

// setOthers notes which of other places the text means as well.
func (p *Place) setOthers(others []Place) {
	for _, other := range others {
		if other.match == p.match && (other.Area != p.Area || other.Market != p.Market) {
			p.others = append(p.others, other.title())
		}
	}
}

// A Center is what answers around a place or a site are around.
type Center struct {
	Name        string           `json:"name" doc:"The place or the siteKey."`
	Market      market.Code      `json:"market"`
	Coordinates view.Coordinates `json:"coordinates"`
	Note        string           `json:"note,omitempty" doc:"How sure the place is, which others the name may mean, or that the position is of another market: ask when it matters."`
}

// center is the place as a centre.
func (p Place) center() *Center {
	c := &Center{Name: p.title(), Market: p.Market, Coordinates: p.Coordinates}
	var notes []string
	if p.note != "" {
		notes = append(notes, p.note)
	}
	if p.match > 0 {
		notes = append(notes, fmt.Sprintf("No place has exactly this name; %s is the nearest to it.", p.Name))
	}
	if n := len(p.others); n > 0 {
		notes = append(notes, fmt.Sprintf(
			"It may be another place: %s%s. Add the department or postal code, or use location_geocode.",
			strings.Join(p.others[:min(n, mostOthers)], ", "), map[bool]string{true: " and more"}[n > mostOthers]))
	}
	c.Note = strings.Join(notes, " ")
	return c
}

// mostOthers is how many other places a centre names.
const mostOthers = 4

// title is the place with its area.
func (p Place) title() string {
	if p.Area == "" || p.Area == p.Name {
		return p.Name
	}
	return p.Name + " (" + p.Area + ")"
}
