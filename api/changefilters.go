package api

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"relais/api/endpoint"
	"relais/archive/change"
	"relais/internal/fold"
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

// resolve turns the parameters into a filter, except for systems.
func (p *changeFilters) resolve(m *market.Market, o operatorNames) (f change.Filter, err error) {
	operators, err := o.positions(m)
	if err != nil {
		return f, err
	}
	area, err := p.code(m)
	if err != nil {
		return f, err
	}
	f.Operators = m.KeysOf(operators)
	if area != "" {
		f.Areas = []string{area}
	}
	f.Kinds, f.Generations = p.Kind, p.Generation
	disc := discParams(p.changeDisc)
	f.Box, f.Disc = p.box(), disc.disc()
	return f, nil
}

// resolveSystems sets the systems of a filter. known are those that the market has or had. If they are all
// that it has, an unknown one is an error; else nothing matches it.
func (p *changeFilters) resolveSystems(f *change.Filter, m *market.Market, known []string, all bool) error {
	f.Technologies, f.Bands = nil, nil
	for _, want := range p.Technology {
		i := slices.IndexFunc(known, func(name string) bool { return fold.Equal(name, want) })
		switch {
		case i >= 0:
			want = known[i]
		case all:
			return unknownSystem("technology", want, m, known)
		}
		f.Technologies = append(f.Technologies, want)
	}
	for _, want := range p.Band {
		band, err := strconv.Atoi(want)
		if all && (err != nil || !slices.ContainsFunc(known, func(name string) bool { return bandOf(name) == want })) {
			return unknownSystem("band", want, m, bandsOf(known))
		}
		if err != nil || band <= 0 {
			return &endpoint.ParamError{Param: "band", Value: want, Want: "whole numbers of MHz, such as 3500"}
		}
		f.Bands = append(f.Bands, band)
	}
	return nil
}

func unknownSystem(param, value string, m *market.Market, known []string) error {
	e := &endpoint.ParamError{Param: param, Value: value, Allowed: known,
		Want: fmt.Sprintf("%s has %s", m.Code, strings.Join(known, ", "))}
	if len(known) == 0 {
		e.Want = fmt.Sprintf("the source of %s does not state it: leave it out", m.Code)
	}
	return e
}

// bandsOf lists the bands of systems, the lowest first.
func bandsOf(systems []string) (list []string) {
	for _, name := range systems {
		if band := bandOf(name); band != "" && !slices.Contains(list, band) {
			list = append(list, band)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return list
}

// bandOf returns the band in MHz at the end of a system's name, "" if it has no band.
func bandOf(system string) string {
	last := system[strings.LastIndexByte(system, ' ')+1:]
	if _, err := strconv.ParseUint(last, 10, 32); err != nil {
		return ""
	}
	return last
}
