package api

import (
	"errors"
	"fmt"
	"strings"

	"relais/api/endpoint"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// Parameters that other transports share with these operations.
type (
	MarketOperators = marketParams
	Operator        = operatorName
	Operators       = operatorNames
	AreaParams      = areaParams
	ArchiveDate     = archiveDate
	RadioParams     = radioParams
	Technology      = technologyName
)

// marketParams are the parameters of operations that read one market.
type marketParams struct {
	Market   market.Code   `param:"market" default:"FR" doc:"The market to read."`
	Operator operatorNames `param:"operator" default:"ALL" doc:"Operators of the market (see /markets) by key, label or legal name, several with commas; or ALL." example:"ORANGE"`
}

// Resolve returns the market and the positions of the operators in it, nil for any.
func (in marketParams) Resolve() (m *market.Market, operators index.Choice, err error) {
	m = market.Get(in.Market)
	operators, err = in.Operator.Positions(m)
	return m, operators, err
}

// areaParams are the filters by administrative area.
type areaParams struct {
	Department string `param:"department" max:"60" doc:"FR and DROM: code or name of a department or territory, such as 03, 2A, 971 or Ille-et-Vilaine." example:"03"`
	Territory  string `param:"territory" max:"60" doc:"DROM: the same as department (971, 972, 973, 974, 976)." example:"974"`
	Province   string `param:"province" max:"60" doc:"CA: code or name of a province." example:"QC"`
}

// emissionParams are the filters by emission: one emission must satisfy all of them.
type emissionParams struct {
	Generation []site.Generation `param:"generation" doc:"Generations of an emission, several with commas." example:"5G"`
	Status     string            `param:"status" max:"400" doc:"Statuses of an emission as the data has them, without regard to case and accents, or en-service, techop, projet; several with commas." example:"en-service"`
	Technology []string          `param:"technology" doc:"Technologies of an emission with their bands, as technologies in answers has them; several with commas." example:"5G NR 3500"`
	Band       []string          `param:"band" doc:"Bands of an emission in MHz, several with commas." example:"3500"`
}

// siteFilters are the filters of routes that read sites.
type siteFilters struct {
	areaParams
	emissionParams
	Together bool `param:"together" doc:"true: a site must have every value that operator, generation, technology and band list, each on some emission that satisfies the other filters. Otherwise one of the values is enough."`
	changeParams
}

// boxParams are a bounding box.
type boxParams struct {
	BBox  boxText  `param:"bbox" code:"INVALID_BBOX" doc:"Bounding box as west,south,east,north, instead of the four edges." example:"2.3,48.8,2.4,48.9"`
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

// checkComplete fails if some of the edges are given and others are not.
func checkComplete(code string, edges []edge) error {
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
	return &endpoint.ParamError{Param: strings.Join(missing, ", "), Code: code,
		Want: "missing: " + strings.Join(names, ", ") + " belong together"}
}

// A choice is a parameter that excludes others.
type choice struct {
	name  string
	given bool
}

// checkOne fails unless exactly one of the choices is given. names says what they are, as "a, b or c".
func checkOne(names string, choices []choice) error {
	first := ""
	for _, c := range choices {
		switch {
		case !c.given:
		case first != "":
			return &endpoint.ParamError{Param: c.name, Want: first + " is given too; give only " + names}
		default:
			first = c.name
		}
	}
	if first == "" {
		return &endpoint.ParamError{Param: choices[0].name, Want: "missing: give " + names}
	}
	return nil
}

// bind returns the question that the parameters of an operation ask.
func bind[P, Q any](op *endpoint.Op[*Env], get endpoint.Lookup, question func(*P) (Q, error)) (q Q, err error) {
	call, err := op.Bind(get)
	if err != nil {
		return q, err
	}
	return question(call.Params().(*P))
}

// A boxText is a box as west,south,east,north.
type boxText string

// UnmarshalText accepts four numbers that are a box.
func (t *boxText) UnmarshalText(b []byte) error {
	*t = boxText(b)
	_, err := t.box()
	return err
}

func (t boxText) box() (geo.Box, error) {
	var edges [4]float64
	parts := strings.Split(string(t), ",")
	ok := len(parts) == len(edges)
	for i := 0; ok && i < len(edges); i++ {
		edges[i], ok = endpoint.Decimal(parts[i])
	}
	b := geo.Box{West: edges[0], South: edges[1], East: edges[2], North: edges[3]}
	if !ok || !(geo.Point{Lat: b.South, Lng: b.West}).Valid() || !(geo.Point{Lat: b.North, Lng: b.East}).Valid() ||
		b.South > b.North {
		return b, errors.New("west,south,east,north in degrees, south at most north")
	}
	return b, nil
}

// hasBox reports whether a box is given.
func (p *boxParams) hasBox() bool { return p.North != nil || p.BBox != "" }

// boxName is the parameter that has the box, or a part of it.
func (p *boxParams) boxName() string {
	if p.North != nil {
		return "north"
	}
	return "bbox"
}

// box returns the box, nil if it is not given.
func (p *boxParams) box() *geo.Box {
	if b, err := p.BBox.box(); err == nil {
		return &b
	}
	if p.North == nil {
		return nil
	}
	return &geo.Box{North: *p.North, South: *p.South, East: *p.East, West: *p.West}
}

// checkOnce fails if a box is given in both ways.
func (p *boxParams) checkOnce() error {
	for _, e := range p.edges() {
		if p.BBox != "" && e.value != nil {
			return &endpoint.ParamError{Param: "bbox",
				Want: e.name + " is given too; give bbox or north, south, east, west"}
		}
	}
	return nil
}

func (p *boxParams) edges() []edge {
	return []edge{{"north", p.North}, {"south", p.South}, {"east", p.East}, {"west", p.West}}
}

func (p *boxParams) check() error {
	if err := p.checkOnce(); err != nil || p.BBox != "" {
		return err
	}
	if err := checkComplete(codeInvalidBBox, p.edges()); err != nil {
		return err
	}
	if b := p.box(); b != nil && b.South > b.North {
		return &endpoint.ParamError{Param: "south", Value: fmt.Sprint(b.South), Code: codeInvalidBBox,
			Want: "at most north"}
	}
	return nil
}

// discParams are a disc.
type discParams struct {
	Lat      *float64 `param:"lat" min:"-90" max:"90" doc:"Centre of a disc, latitude in degrees; lat, lon and radiusKm belong together. Answers come nearest first." example:"48.8584"`
	Lon      *float64 `param:"lon" min:"-180" max:"180" doc:"Centre of a disc, longitude in degrees." example:"2.2945"`
	Lng      *float64 `param:"lng" min:"-180" max:"180" doc:"The same as lon." example:"2.2945"`
	RadiusKm *float64 `param:"radiusKm" above:"0" max:"50" doc:"Radius of the disc in kilometres." example:"2"`
}

// disc returns the disc, nil if it is not given.
func (p *discParams) disc() *geo.Disc {
	if p.Lat == nil {
		return nil
	}
	return &geo.Disc{Center: geo.Point{Lat: *p.Lat, Lng: *p.lon()}, Radius: *p.RadiusKm * 1000}
}

// lon returns the longitude, which has two names.
func (p *discParams) lon() *float64 {
	if p.Lon != nil {
		return p.Lon
	}
	return p.Lng
}

func (p *discParams) check() error {
	if p.Lon != nil && p.Lng != nil {
		return &endpoint.ParamError{Param: "lng", Want: "lon is given too; give one of them"}
	}
	return checkComplete("", []edge{{"lat", p.Lat}, {"lon", p.lon()}, {"radiusKm", p.RadiusKm}})
}

// code returns the code of the area in the market, "" for any.
func (p areaParams) code(m *market.Market) (string, error) {
	area := ""
	for _, f := range []struct{ name, value string }{{"department", p.Department}, {"territory", p.Territory},
		{"province", p.Province}} {
		if f.value == "" {
			continue
		}
		if !m.HasFilter(f.name) {
			return "", &endpoint.ParamError{Param: f.name, Value: f.value,
				Want: fmt.Sprintf("%s has the filters %s", m.Code, strings.Join(m.Filters, ", "))}
		}
		i, ok := m.AreaNamed(f.value)
		if !ok {
			want := fmt.Sprintf("a %s of %s: %s", m.AreaType, m.Code, abbreviate(m.AreaCodes()))
			for _, other := range market.All {
				if i, has := other.AreaNamed(f.value); has && other.HasFilter(f.name) {
					want += fmt.Sprintf("; %s is in %s: ask with market=%s", other.Areas[i].Label, other.Code, other.Code)
				}
			}
			return "", &endpoint.ParamError{Param: f.name, Value: f.value, Allowed: m.AreaCodes(), Want: want}
		}
		code := m.Areas[i].Code
		if area != "" && area != code {
			return "", &endpoint.ParamError{Param: f.name, Value: f.value, Want: "the same as department"}
		}
		area = code
	}
	return area, nil
}

// areaName is the first parameter that has an area, "" for none.
func (p areaParams) areaName() string {
	switch {
	case p.Department != "":
		return "department"
	case p.Territory != "":
		return "territory"
	case p.Province != "":
		return "province"
	}
	return ""
}

// Codes returns the code of the area in the market in a list, nil for any.
func (p areaParams) Codes(m *market.Market) ([]string, error) {
	code, err := p.code(m)
	if err != nil || code == "" {
		return nil, err
	}
	return []string{code}, nil
}

// Code returns the code of the area in the market, "" for any.
func (p areaParams) Code(m *market.Market) (string, error) { return p.code(m) }

// selection returns the part of the market that the parameters select. What the market does not have is an error
// before anything of the data is one: a question that is wrong stays wrong, whatever is loaded.
func (p siteFilters) selection(in marketParams) (s catalog.Selection, err error) {
	s = catalog.Selection{Status: p.Status, Technologies: p.Technology, Bands: p.Band,
		Together: p.Together, ChangedSince: p.ChangedSince.day()}
	if s.Market, s.Operators, err = in.Resolve(); err != nil {
		return s, err
	}
	if s.Area, err = p.code(s.Market); err != nil {
		return s, err
	}
	for _, g := range p.Generation {
		s.Generations = append(s.Generations, int(g))
	}
	return s, p.check(s.Market)
}

// abbreviate joins the values of a list. Of a long list it shows only the ends.
func abbreviate(list []string) string {
	if len(list) > 20 {
		list = append(list[:4:4], "…", list[len(list)-1])
	}
	return strings.Join(list, ", ")
}
