package api

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"relais/address"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/coverage"
	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/tiles"
)

var coverageAt = endpoint.New(endpoint.Decl{
	Name: "coverage.at", Path: "/coverage/at", Scope: "coverage:read", FailureName: "COVERAGE_AT", MaxAge: 60,
	Example:    endpoint.Request{Target: "/coverage/at?lat=48.11&lon=-1.68&technology=4G"},
	DependsOn:  []string{catalog.Learned, catalog.DataCoverage, catalog.DataAddresses, catalog.Recent},
	Summary:    "Who covers a place: what official coverage maps say of it, and what was measured there.",
	Doc:        "A row is the map of one operator and technology. The maps are what operators expect and regulators publish; this server answers from grids of them, with cells of cellMeters. Theory and measurement are both there, and disagreement says where they contradict each other. The market is that of the place.",
	ErrorCodes: []string{codeInvalidDate, codeInvalidOperator, codeNoSite},
	Shapes:     shapes[[]view.CoverageRow, view.CoverageAtMeta](),
}, (*Env).PlaceCoverage)

// SpotParams name a place in one of three ways.
type SpotParams struct {
	Lat    *float64 `param:"lat" min:"-90" max:"90" doc:"Latitude of the place in degrees; lon belongs to it." example:"48.11"`
	Lon    *float64 `param:"lon" min:"-180" max:"180" doc:"Longitude in degrees." example:"-1.68"`
	Lng    *float64 `param:"lng" min:"-180" max:"180" doc:"The same as lon." example:"-1.68"`
	Text   string   `param:"q" max:"200" doc:"A place, street or position, as people type it, instead of lat and lon." example:"Rennes"`
	SiteID string   `param:"siteId" max:"128" doc:"siteKey, site id, national code or station number of a site that is at the place, instead of lat and lon." example:"fr-90000010"`
}

// Check fails unless exactly one way is used.
func (p *SpotParams) Check() error {
	lon := cmp.Or(p.Lon, p.Lng)
	if p.Lon != nil && p.Lng != nil {
		return &endpoint.ParamError{Param: "lng", Want: "lon is given too; give one of them"}
	}
	if err := checkComplete("", []edge{{"lat", p.Lat}, {"lon", lon}}); err != nil {
		return err
	}
	return checkOne("lat with lon, q or siteId", []choice{{"lat", p.Lat != nil}, {"q", p.Text != ""}, {"siteId", p.SiteID != ""}})
}

// Spot returns the place, and its name if it was looked up. Errors: those of Find and Site; a ParamError if no place has
// the name.
func (p *SpotParams) Spot(ctx context.Context, r *catalog.Catalog) (at geo.Point, name string, err error) {
	switch {
	case p.Lat != nil:
		return geo.Point{Lat: *p.Lat, Lng: *cmp.Or(p.Lon, p.Lng)}, "", nil
	case p.SiteID != "":
		found, err := r.Site(catalog.Site{Name: p.SiteID})
		if err != nil {
			return at, "", err
		}
		return found.Register.Position(found.At), found.Key(), nil
	}
	found, err := r.Find(ctx, catalog.Find{Text: p.Text, Nearest: true, Limit: 1})
	if err != nil {
		return at, "", err
	}
	if first := results(found); len(first) > 0 {
		return geo.Point{Lat: first[0].Lat, Lng: first[0].Lng}, first[0].Title, nil
	}
	return at, "", &endpoint.ParamError{Param: "q", Value: p.Text, Want: "a place or street that this server knows, or a position as in 48.11, -1.68"}
}

// CoverageAtParams ask who covers a place.
type CoverageAtParams struct {
	SpotParams
	Operator   operatorNames     `param:"operator" default:"ALL" doc:"Operators by key, label or legal name, several with commas; or ALL." example:"ORANGE"`
	Technology []site.Generation `param:"technology" doc:"2G, 3G, 4G, 5G, several with commas." example:"4G"`
	editionParam
}

// An editionParam chooses an edition of coverage maps.
type editionParam struct {
	Edition archiveDate `param:"edition" code:"INVALID_DATE" doc:"The day that maps are about, YYYY-MM-DD; by default the newest of each." example:"2026-06-30"`
}

// generationNames returns the names of generations, nil for none.
func generationNames(list []site.Generation) (names []string) {
	for _, g := range list {
		names = append(names, g.String())
	}
	return names
}

// PlaceCoverage returns what maps say of the place.
func (r *Env) PlaceCoverage(ctx context.Context, p *CoverageAtParams) (*view.Body[[]view.CoverageRow, view.CoverageAtMeta], error) {
	at, name, err := p.Spot(ctx, &r.Catalog)
	if err == nil {
		err = p.Operator.known()
	}
	if err != nil {
		return nil, err
	}
	found, err := r.CoverageAt(ctx, catalog.Coverage{At: at, Operators: p.Operator.Texts(), Technologies: generationNames(p.Technology),
		Edition: string(p.Edition)})
	if err != nil {
		return nil, err
	}
	body := newCoverageAt(found, at, name)
	body.Meta.Editions = r.CoverageEditions(found.Market)
	return body, nil
}

// newCoverageAt returns what was found of a place as answers show it.
func newCoverageAt(found *catalog.CoverageFound, at geo.Point, name string) *view.Body[[]view.CoverageRow, view.CoverageAtMeta] {
	body := &view.Body[[]view.CoverageRow, view.CoverageAtMeta]{Data: make([]view.CoverageRow, len(found.Rows)),
		Meta: view.CoverageAtMeta{Coordinates: view.Coordinates(at), Place: view.OrNull(&name), Theory: view.Theory,
			DataVersion: &found.Version}}
	for i := range found.Rows {
		body.Data[i] = newCoverageRow(&found.Rows[i], found.Market)
	}
	if found.Market != nil {
		body.Meta.Market = &found.Market.Code
	}
	switch {
	case len(body.Data) > 0:
	case len(found.Others) > 0:
		body.Meta.Note = new("The maps here are of other operators: " + strings.Join(found.Others, ", ") + ".")
	default:
		body.Meta.Note = new(noMap)
	}
	return body
}

// newCoverageRow returns a row as answers show it.
func newCoverageRow(r *catalog.CoverageRow, m *market.Market) view.CoverageRow {
	l := r.Layer
	v := view.CoverageRow{Operators: view.OrNull(&r.Word.Operators), Technology: l.Technology, Service: view.OrNull(&l.Service),
		Level: view.OrNull(&r.Word.Level), SourceLevel: view.OrNull(&r.Word.Source), Edition: l.Edition, CellMeters: l.Metres,
		Source: l.SourceName(), Authority: l.Publisher.Authority, Licence: view.OrNull(&l.Publisher.Licence), Synthetic: l.Synthetic,
		Disagreement: view.OrNull((*string)(&r.Disagree))}
	if r.Operator >= 0 {
		v.OperatorKey, v.Operator = &m.Operators[r.Operator].Key, &m.Operators[r.Operator].Label
	}
	if b := r.Better; b != nil {
		v.Better = &view.BetterCell{Level: b.Word.Level, Operators: view.OrNull(&b.Word.Operators),
			DistanceMeters: int(math.Round(b.Metres)), AzimuthDegrees: math.Round(b.Azimuth)}
	}
	if s := r.Site; s != nil {
		v.NearestSite = &view.CoveringSite{SiteKey: s.Key(), DistanceMeters: int(math.Round(s.Metres)),
			AzimuthDegrees: math.Round(s.Azimuth)}
	}
	if n := r.Measured; n != nil {
		v.Measured = &view.MeasuredNear{Points: n.Points, NoService: n.NoService, Synthetic: n.Synthetic}
		if !math.IsNaN(n.RSRP) {
			v.Measured.RSRP = &n.RSRP
		}
		if !n.Newest.IsZero() {
			v.Measured.Newest = new(n.Newest.UTC().Format(time.RFC3339))
		}
	}
	return v
}

// tooSmall says why there is nothing about a small area.
const tooSmall = "The area is smaller than the cells of the maps: ask for a larger area, or for a place with /coverage/at."

// noMap says why there is nothing.
const noMap = "No coverage map of this server that you may read says anything here: it may have none of the country, operator, " +
	"technology or edition. Maps whose publisher states no licence need a key."

var coverageArea = endpoint.New(endpoint.Decl{
	Name: "coverage.area", Path: "/coverage/area", Scope: "coverage:read", FailureName: "COVERAGE_AREA", MaxAge: 300,
	Example:    endpoint.Request{Target: "/coverage/area?department=35&operator=ORANGE&technology=4G"},
	DependsOn:  []string{catalog.DataCoverage, catalog.DataAddresses},
	Summary:    "How much of an area official coverage maps say is covered, and what the newest edition changed.",
	Doc:        "Shares are of land, of a commune of its addresses: a street counts at the place of the address in its middle. A department has the outline that this server draws; a bbox has at most about 100,000 km². change compares with the edition before, where the server has one.",
	ErrorCodes: []string{codeInvalidBBox, codeInvalidOperator, codeInvalidDate},
	Shapes:     shapes[[]view.CoverageShare, view.CoverageAreaMeta](),
}, (*Env).coverageArea)

type coverageAreaParams struct {
	Market   market.Code   `param:"market" default:"FR" doc:"The market of the department. A commune and a bbox are of the market whose maps have them."`
	Operator operatorNames `param:"operator" default:"ALL" doc:"Operators by key, label or legal name, several with commas; or ALL." example:"ORANGE"`
	areaParams
	Commune string `param:"commune" max:"60" doc:"FR and DROM: INSEE code or name of a commune, whose addresses are counted instead of land." example:"35238"`
	boxParams
	Technology []site.Generation `param:"technology" doc:"2G, 3G, 4G, 5G, several with commas." example:"4G"`
	editionParam
}

// Check holds the rules over several parameters.
func (p *coverageAreaParams) Check() error {
	if err := p.boxParams.check(); err != nil {
		return err
	}
	area := p.areaName()
	return checkOne(cmp.Or(area, "department")+", commune or bbox", []choice{{cmp.Or(area, "department"), area != ""},
		{"commune", p.Commune != ""}, {p.boxName(), p.hasBox()}})
}

func (r *Env) coverageArea(ctx context.Context, p *coverageAreaParams,
) (*view.Body[[]view.CoverageShare, view.CoverageAreaMeta], error) {
	q := catalog.CoverageArea{Commune: p.Commune, Box: p.box(), Operators: p.Operator.Texts(),
		Technologies: generationNames(p.Technology), Edition: string(p.Edition)}
	err := p.Operator.known()
	if q.Box == nil && q.Commune == "" && err == nil {
		q.Market = market.Get(p.Market)
		q.Area, err = p.Code(q.Market)
	}
	if err != nil {
		return nil, err
	}
	found, err := r.CoverageOf(ctx, q)
	if e := areaFailure(err, &q, cmp.Or(p.areaName(), p.boxName())); e != nil {
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	body := &view.Body[[]view.CoverageShare, view.CoverageAreaMeta]{Data: make([]view.CoverageShare, len(found.Shares)),
		Meta: view.CoverageAreaMeta{Area: view.OrNull(&q.Area), Theory: view.Theory,
			Editions: r.CoverageEditions(found.Market), DataVersion: &found.Version}}
	if found.Market != nil {
		body.Meta.Market = &found.Market.Code
	}
	if b := q.Box; b != nil {
		body.Meta.BBox = &view.Box{North: b.North, South: b.South, East: b.East, West: b.West}
	}
	for i := range found.Shares {
		body.Data[i] = view.NewCoverageShare(&found.Shares[i], found.Addresses != nil)
	}
	if of := found.Addresses; of != nil {
		body.Meta.Commune, body.Meta.CommuneCode = &found.Commune, &found.CommuneCode
		body.Meta.Addresses = new(of.Source + ", " + of.Date)
	}
	if q.Area != "" {
		body.Meta.Outline = new("simplified: its border is about a kilometre from the true one")
	}
	switch {
	case len(body.Data) > 0:
	case found.Small:
		body.Meta.Note = new(tooSmall)
	default:
		body.Meta.Note = new(noMap)
	}
	return body, nil
}

// areaFailure returns the answer to an area that cannot be added up, nil for another error. name is the parameter that
// has the area or box.
func areaFailure(err error, q *catalog.CoverageArea, name string) error {
	several, ok := errors.AsType[*address.SeveralError](err)
	switch {
	case ok:
		return &endpoint.ParamError{Param: "commune", Value: q.Commune, Want: several.Error()}
	case errors.Is(err, address.ErrNoCommune), errors.Is(err, catalog.ErrNoAddresses):
		return &endpoint.ParamError{Param: "commune", Value: q.Commune, Want: err.Error()}
	case errors.Is(err, catalog.ErrNoOutline):
		return &endpoint.ParamError{Param: name,
			Want: "where the areas of " + string(q.Market.Code) + " end is not known: ask for a bbox"}
	case errors.Is(err, coverage.ErrLarge):
		return &endpoint.ParamError{Param: name, Value: q.Area, Want: "an area of at most about 100,000 km²"}
	}
	return nil
}

// mapLayer makes the layer of official coverage maps.
func (r *Env) mapLayer(p *tileParams, t tiles.Tile) ([]byte, error) {
	m, operators, err := (marketParams{p.Market, p.Operator}).Resolve()
	if err != nil {
		return nil, err
	}
	layers, err := r.CoverageMaps(m, operators, generationNames(p.Generation))
	if err != nil {
		return nil, err
	}
	return tiles.CoverageMap(m, layers, t)
}
