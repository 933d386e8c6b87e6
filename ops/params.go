package ops

import (
	"fmt"
	"slices"
	"strings"

	"relais/endpoint"
	"relais/fold"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// inMarket is embedded by operations that read one market.
type inMarket struct {
	Market   market.Code  `param:"market" default:"FR" doc:"The market to read."`
	Operator operatorName `param:"operator" default:"ALL" doc:"An operator of the market (see /markets), or ALL." example:"ORANGE"`
}

// An operatorName is the key of an operator, in upper case.
type operatorName string

// UnmarshalText accepts any case; whether the market has the operator is seen
// when the market is known.
func (o *operatorName) UnmarshalText(b []byte) error {
	*o = operatorName(fold.UpperASCII(string(b)))
	return nil
}

// areaParams are the filters on the administrative area.
type areaParams struct {
	Department string `param:"department" max:"8" doc:"FR and DROM: department or territory code, such as 03, 2A or 971." example:"03"`
	Territory  string `param:"territory" max:"8" doc:"DROM: the same as department (971, 972, 973, 974, 976)." example:"974"`
	Province   string `param:"province" max:"8" doc:"CA: province code." example:"QC"`
}

// emissionParams are the filters that meet on one emission.
type emissionParams struct {
	Generation *site.Generation `param:"generation" doc:"Generation of an emission."`
	Status     string           `param:"status" max:"100" doc:"Status of an emission as the data has it, without regard to case and accents, or en-service, techop, projet." example:"en-service"`
}

// boxParams are a bounding box.
type boxParams struct {
	North *float64 `param:"north" min:"-90" max:"90" code:"INVALID_BBOX" doc:"Bounding box, northern edge, degrees; the four edges belong together." example:"48.9"`
	South *float64 `param:"south" min:"-90" max:"90" code:"INVALID_BBOX" doc:"Bounding box, southern edge, degrees." example:"48.8"`
	East  *float64 `param:"east" min:"-180" max:"180" code:"INVALID_BBOX" doc:"Bounding box, eastern edge, degrees; west of west, the box crosses the antimeridian." example:"2.4"`
	West  *float64 `param:"west" min:"-180" max:"180" code:"INVALID_BBOX" doc:"Bounding box, western edge, degrees." example:"2.3"`
}

// An edge is a parameter of several that describe one shape.
type edge struct {
	name  string
	value *float64
}

// together fails when some of the edges are given and others are not.
func together(code string, edges []edge) error {
	var names, missing []string
	for _, e := range edges {
		names = append(names, e.name)
		if e.value == nil {
			missing = append(missing, e.name)
		}
	}
	if len(missing) == 0 || len(missing) == len(edges) {
		return nil
	}
	return &endpoint.ParamError{Param: strings.Join(missing, ", "), Code: code, Want: "missing: " + strings.Join(names, ", ") + " belong together"}
}

// box returns the box, nil when none was given.
func (p *boxParams) box() *geo.Box {
	if p.North == nil {
		return nil
	}
	return &geo.Box{North: *p.North, South: *p.South, East: *p.East, West: *p.West}
}

func (p *boxParams) check() error {
	if err := together(codeInvalidBBox, []edge{{"north", p.North}, {"south", p.South}, {"east", p.East}, {"west", p.West}}); err != nil {
		return err
	}
	if b := p.box(); b != nil && b.South > b.North {
		return &endpoint.ParamError{Param: "south", Value: fmt.Sprint(b.South), Code: codeInvalidBBox, Want: "at most north"}
	}
	return nil
}

// discParams are a disc.
type discParams struct {
	Lat      *float64 `param:"lat" min:"-90" max:"90" doc:"Centre of a disc, latitude in degrees; lat, lon and radiusKm belong together. Answers come nearest first." example:"48.8584"`
	Lon      *float64 `param:"lon" min:"-180" max:"180" doc:"Centre of a disc, longitude in degrees." example:"2.2945"`
	RadiusKm *float64 `param:"radiusKm" above:"0" max:"50" doc:"Radius of the disc in kilometres." example:"2"`
}

// disc returns the disc, nil when none was given.
func (p *discParams) disc() *geo.Disc {
	if p.Lat == nil {
		return nil
	}
	return &geo.Disc{Center: geo.Point{Lat: *p.Lat, Lng: *p.Lon}, Radius: *p.RadiusKm * 1000}
}

func (p *discParams) check() error {
	return together("", []edge{{"lat", p.Lat}, {"lon", p.Lon}, {"radiusKm", p.RadiusKm}})
}

// in returns the position of the operator in the market's table, index.Any for
// ALL.
func (o operatorName) in(m *market.Market) (int, error) {
	if o == market.AllOperators {
		return index.Any, nil
	}
	if i, ok := m.Operator(string(o)); ok {
		return i, nil
	}
	return 0, &endpoint.ParamError{Param: "operator", Value: string(o), Code: codeInvalidOperator,
		Want: fmt.Sprintf("%s has %s", m.Code, strings.Join(append(m.OperatorKeys(), market.AllOperators), ", "))}
}

// inAny fails when none of the markets has the operator.
func (o operatorName) inAny(markets []*market.Market) error {
	var keys []string
	for _, m := range markets {
		if _, err := o.in(m); err == nil {
			return nil
		}
		keys = append(keys, m.OperatorKeys()...)
	}
	slices.Sort(keys)
	return &endpoint.ParamError{Param: "operator", Value: string(o), Code: codeInvalidOperator,
		Want: fmt.Sprintf("one of %s, %s", strings.Join(slices.Compact(keys), ", "), market.AllOperators)}
}

// in returns the position of the area in the market's table.
func (p areaParams) in(m *market.Market) (int, error) {
	area := index.Any
	for _, f := range []struct{ name, value string }{{"department", p.Department}, {"territory", p.Territory}, {"province", p.Province}} {
		if f.value == "" {
			continue
		}
		if !m.HasFilter(f.name) {
			return 0, &endpoint.ParamError{Param: f.name, Value: f.value, Want: fmt.Sprintf("%s has the filters %s", m.Code, strings.Join(m.Filters, ", "))}
		}
		i, ok := m.Area(f.value)
		if !ok {
			return 0, &endpoint.ParamError{Param: f.name, Value: f.value, Want: fmt.Sprintf("a %s of %s: %s", m.AreaType, m.Code, areaCodes(m))}
		}
		if area != index.Any && area != i {
			return 0, &endpoint.ParamError{Param: f.name, Value: f.value, Want: "the same as department"}
		}
		area = i
	}
	return area, nil
}

// areaCodes names the codes of the areas, the ends of a long list only.
func areaCodes(m *market.Market) string {
	codes := make([]string, len(m.Areas))
	for i, a := range m.Areas {
		codes[i] = a.Code
	}
	if len(codes) > 20 {
		codes = append(codes[:4:4], "…", codes[len(codes)-1])
	}
	return strings.Join(codes, ", ")
}

// statusIn returns the position of a status in the loaded data.
func statusIn(text string, m *index.Market) int {
	if text == "" {
		return index.Any
	}
	for i, name := range m.Snap.Statuses {
		if fold.Equal(name, text) {
			return i
		}
		for _, s := range m.Table.Statuses {
			if s.Name == name && fold.Equal(s.Short, text) {
				return i
			}
		}
	}
	return index.NoStatus
}
