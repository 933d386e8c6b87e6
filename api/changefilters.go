package api

import (
	"relais/api/endpoint"
	"relais/archive/change"
	"relais/catalog"
	"relais/market"
	"relais/site"
)

// changeFilters are the filters of changes.
type changeFilters struct {
	changeSelection
	boxParams
	changeDisc
}

// changeSelection are changeFilters without a place.
type changeSelection struct {
	Kind []change.Kind `param:"kind" doc:"Kinds of changes, several with commas." example:"site-added"`
	areaParams
	Generation []site.Generation `param:"generation" doc:"Generations of systems, several with commas. Changes that are not of one system are left out." example:"5G"`
	Technology []string          `param:"technology" doc:"Systems with their bands, as technologies in answers has them; several with commas. Changes that are not of one system are left out." example:"5G NR 3500"`
	Band       []string          `param:"band" doc:"Bands of systems in MHz, several with commas. Changes that are not of one system are left out." example:"3500"`
}

// changeDisc are discParams of lists that are not by distance.
type changeDisc struct {
	Lat      *float64 `param:"lat" min:"-90" max:"90" doc:"Centre of a disc, latitude in degrees; lat, lon and radiusKm belong together." example:"48.8584"`
	Lon      *float64 `param:"lon" min:"-180" max:"180" doc:"Centre of a disc, longitude in degrees." example:"2.2945"`
	Lng      *float64 `param:"lng" min:"-180" max:"180" doc:"The same as lon." example:"2.2945"`
	RadiusKm *float64 `param:"radiusKm" above:"0" max:"50" doc:"Radius of the disc in kilometres." example:"2"`
}

// Check holds the rules over several parameters.
func (p *changeFilters) Check() error {
	disc := discParams(p.changeDisc)
	if err := p.boxParams.check(); err != nil {
		return err
	}
	if err := disc.check(); err != nil {
		return err
	}
	if p.hasBox() && p.Lat != nil {
		return &endpoint.ParamError{Param: "radiusKm",
			Want: "a disc and a box (bbox, or north, south, east, west) exclude each other"}
	}
	return nil
}

// selection returns the changes of a market that the parameters select.
func (p *changeFilters) selection(in marketParams) (s catalog.ChangeSelection, err error) {
	m := market.Get(in.Market)
	operators, err := in.Operator.Positions(m)
	if err != nil {
		return s, err
	}
	area, err := p.code(m)
	if err != nil {
		return s, err
	}
	disc := discParams(p.changeDisc)
	s = catalog.ChangeSelection{Market: m, Technologies: p.Technology, Bands: p.Band, Filter: change.Filter{Kinds: p.Kind,
		Operators: m.KeysOf(operators), Generations: p.Generation, Box: p.box(), Disc: disc.disc()}}
	if area != "" {
		s.Filter.Areas = []string{area}
	}
	return s, nil
}

// ChangeParams select changes of a market.
type ChangeParams struct {
	marketParams
	changeSelection
}

// Question returns what the parameters ask, of no period.
func (p *ChangeParams) Question() (q catalog.Changes, err error) {
	f := changeFilters{changeSelection: p.changeSelection}
	q.ChangeSelection, err = f.selection(p.marketParams)
	return q, err
}
