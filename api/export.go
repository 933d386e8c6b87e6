package api

import (
	"context"
	"reflect"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/index"
)

var exportAntennas = endpoint.New(endpoint.Decl{
	Name: "antennas.export", Path: "/antennas/export", Scope: "antennas:read", FailureName: "ANTENNAS_EXPORT", MaxAge: 3600,
	Large:      true,
	Summary:    "All antenna sites of a market, or those that a filter leaves, in one answer.",
	Doc:        "For loading everything; refresh with /antennas and a box afterwards. Ask for it compressed.",
	ErrorCodes: []string{codeInvalidOperator, codeInvalidDate, codeNoArchive},
}, (*Env).export)

type exportParams struct {
	marketParams
	Format exportFormat `param:"format" default:"json" doc:"json: summaries as in /antennas; geojson: a FeatureCollection."`
	siteFilters
}

// An exportFormat is a format of the export.
type exportFormat string

// The formats.
const (
	formatJSON    exportFormat = "json"
	formatGeoJSON exportFormat = "geojson"
)

// Values lists the formats.
func (exportFormat) Values() []string { return []string{string(formatJSON), string(formatGeoJSON)} }

// An exportAnswer is the answer of export.
type exportAnswer struct{ endpoint.Stream }

// Shapes implements endpoint.Shaped.
func (exportAnswer) Shapes() map[string]reflect.Type {
	s := shapes[[]view.Summary, view.ExportMeta]()
	s[geoJSONType] = reflect.TypeFor[view.FeatureCollection]()
	return s
}

func (r *Env) export(ctx context.Context, p *exportParams) (exportAnswer, error) {
	m, loaded, f, err := r.resolveMarket(ctx, p.marketParams, p.siteFilters)
	if err != nil {
		return exportAnswer{}, err
	}
	meta := view.ExportMeta{Export: true, Format: string(p.Format), Market: m.Code, Operator: p.Operator.canonical(m)}
	meta.Attribution, meta.SourceDate = attribution(m, loaded)
	var sites []uint32
	whole := loaded != nil && f == index.All
	if loaded != nil {
		meta.DataVersion = &loaded.Snap.Version
		meta.Total, meta.TotalMatched = loaded.Len(), loaded.Len()
		if !whole {
			hits := loaded.Find(index.Query{Filter: f}, 0, loaded.Len())
			sites, meta.TotalMatched = hits.Sites, hits.Total
		}
		meta.Returned = meta.TotalMatched
	}
	if p.Format == formatGeoJSON {
		text, err := view.JSON(meta)
		return exportAnswer{&featureStream{market: loaded, sites: sites, whole: whole, meta: text}}, err
	}
	page, err := newPage(sitePage{market: loaded, sites: sites, whole: whole}, meta)
	return exportAnswer{page}, err
}

// WholeExports lists the unfiltered exports of each loaded market that has at most so many
// sites: many clients ask for them, so they are worth preparing.
func WholeExports(set *index.Set, sites int) (calls []*endpoint.Call[*Env]) {
	for m := range set.Loaded() {
		if m.Len() > sites {
			continue
		}
		for _, format := range exportFormat("").Values() {
			params := map[string]string{"market": string(m.Table.Code), "format": format}
			call, err := exportAntennas.Bind(func(p *endpoint.Param) (string, error) { return params[p.Name], nil })
			if err == nil { // the values come from the tables
				calls = append(calls, call)
			}
		}
	}
	return calls
}
