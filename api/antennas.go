package api

import (
	"context"
	"reflect"
	"strconv"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/export"
	"relais/index"
)

var listAntennas = endpoint.New(endpoint.Decl{
	Name: "antennas.list", Path: "/antennas", Scope: "antennas:read", FailureName: "ANTENNAS", MaxAge: 60,
	Example:    endpoint.Request{Target: "/antennas?lat=48.8566&lon=2.3522&radiusKm=10&operator=ORANGE&limit=1"},
	Summary:    "Antenna sites of a market, page by page.",
	Doc:        "All filters on emissions meet on one emission. The order is fixed as long as sourceDate does not change, so that pages neither skip nor repeat a site; with lat, lon and radiusKm the nearest come first.",
	ErrorCodes: []string{codeInvalidBBox, codeInvalidOperator, codeInvalidDate, codeNoArchive},
	Shapes: map[string]reflect.Type{endpoint.JSON: bodyType[[]view.NearSummary, view.ListMeta](),
		geoJSONType: reflect.TypeFor[view.SiteCollection]()},
	Files: []string{csvType}, Columns: new(export.Register).SiteTable().Names(),
}, (*Env).list)

// SiteParams select sites of a market.
type SiteParams struct {
	marketParams
	siteFilters
	siteText
}

// Question returns the question for all sites that the parameters select.
func (p *SiteParams) Question() (catalog.Sites, error) {
	s, err := p.selection(p.marketParams)
	return catalog.Sites{Selection: s, Where: index.Query{Text: p.Text}, Limit: -1}, err
}

type listParams struct {
	SiteParams
	IDs []string `param:"ids" max:"100" doc:"Only these sites of the market: up to 100 siteKeys or ids, in any mix, separated by commas. The order of the list does not count; names that no site has are in unknownIds." example:"fr-90000010"`
	boxParams
	discParams
	Format listFormat `param:"format" default:"json" doc:"json; geojson: a FeatureCollection (application/geo+json) whose properties are the members of data, with the same meta; or csv: the items without meta, with the columns of /antennas/export."`
	csvParams
	Limit  int `param:"limit" default:"100" min:"1" max:"5000" want:"a whole number from 1 to 1000; up to 5000 with north, south, east, west or lat, lon, radiusKm" doc:"Most items to answer: up to 1000, with a box or a disc up to 5000."`
	Offset int `param:"offset" default:"0" min:"0" doc:"Items to pass over."`
}

// maxPage is the greatest limit without a box or a disc.
const maxPage = 1000

// Check holds the rules over several parameters.
func (p *listParams) Check() error {
	if err := checkPlace(&p.boxParams, &p.discParams); err != nil {
		return err
	}
	if p.Limit > maxPage && !p.hasBox() && p.Lat == nil {
		return &endpoint.ParamError{Param: "limit", Value: strconv.Itoa(p.Limit),
			Want: "a whole number from 1 to 1000; up to 5000 with north, south, east, west or lat, lon, radiusKm"}
	}
	return p.csvParams.check(string(p.Format))
}

// siteText is the filter by words.
type siteText struct {
	Text string `param:"q" max:"200" doc:"Words that must all occur in identifiers, commune, postal code, address, lieu-dit or department, without regard to case and accents." example:"saint-denis"`
}

// checkPlace holds the rules over a box and a disc.
func checkPlace(box *boxParams, disc *discParams) error {
	if err := box.check(); err != nil {
		return err
	}
	if err := disc.check(); err != nil {
		return err
	}
	if box.hasBox() && disc.Lat != nil {
		return &endpoint.ParamError{Param: "radiusKm",
			Want: "a disc and a box (bbox, or north, south, east, west) exclude each other"}
	}
	return nil
}

// question returns the question for a page.
func (p *listParams) question() (catalog.Sites, error) {
	q, err := p.Question()
	q.Where.Box, q.Where.Disc, q.Named, q.Offset, q.Limit = p.box(), p.disc(), p.IDs, p.Offset, p.Limit
	return q, err
}

// BindSites returns the question that the parameters of /antennas ask.
func BindSites(get endpoint.Lookup) (catalog.Sites, error) {
	return bind(listAntennas, get, (*listParams).question)
}

func (r *Env) list(ctx context.Context, p *listParams) (*endpoint.Answer, error) {
	q, err := p.question()
	if err != nil {
		return nil, err
	}
	found, err := r.Sites(ctx, q)
	if err != nil {
		return nil, err
	}
	m, loaded := q.Market, found.Register
	meta := view.ListMeta{Limit: p.Limit, Offset: p.Offset, Market: m.Code, Operator: p.Operator.canonical(m)}
	meta.Attribution, meta.SourceDate = attribution(m, loaded)
	if b := q.Where.Box; b != nil {
		meta.BBox = &view.Box{North: b.North, South: b.South, East: b.East, West: b.West}
	}
	meta.UnknownIDs, meta.TotalMatched, meta.Returned = found.Unknown, found.Total, len(found.Sites)
	meta.NextOffset = found.Next(p.Offset)
	meta.HasMore = meta.NextOffset != nil
	if loaded != nil {
		meta.DataVersion, meta.Total = &loaded.Snap.Version, loaded.Len()
	}
	page := sitePage{market: loaded, sites: found.Sites, metres: found.Metres}
	if p.Format == formatCSV {
		return p.file(page.register().SiteTable(), m.Code, siteRows, meta.NextOffset), nil
	}
	if page.meta, err = view.JSON(meta); err != nil {
		return nil, err
	}
	if p.Format == formatGeoJSON {
		return before(meta.NextOffset, geoJSON(page.writeFeatures)), nil
	}
	return page.answer(), nil
}
