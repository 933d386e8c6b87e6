package api

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/export"
	"relais/index"
	"relais/market"
)

var exportAntennas = endpoint.New(endpoint.Decl{
	Name: "antennas.export", Path: "/antennas/export", Scope: "antennas:read", FailureName: "ANTENNAS_EXPORT", MaxAge: 3600,
	Example:    endpoint.Request{Target: "/antennas/export?department=75"},
	Large:      true,
	Summary:    "All antenna sites of a market, or those that a filter leaves, in one answer.",
	Doc:        "For loading everything; refresh with /antennas and a box afterwards. Ask for it compressed. " + csvDoc + " " + fileDoc,
	ErrorCodes: []string{codeInvalidBBox, codeInvalidOperator, codeInvalidDate, codeNoArchive},
	Shapes: map[string]reflect.Type{endpoint.JSON: bodyType[[]view.NearSummary, view.ExportMeta](),
		geoJSONType: reflect.TypeFor[view.FeatureCollection]()},
	Files:     []string{csvType, parquetType, kmzType},
	Columns:   slices.Concat(new(export.Register).SiteTable().Names(), new(export.Register).EmissionTable().Names()),
	MakesFile: func(params any) bool { return params.(*exportParams).makesFile() },
}, (*Env).export)

type exportParams struct {
	marketParams
	Format     exportFormat     `param:"format" default:"json" doc:"json: summaries as in /antennas; geojson: a FeatureCollection; csv: a line for each row, whose columns have the names of the JSON's members; parquet: GeoParquet of the same rows; kmz: a map of at most 5000 sites for Google Earth and the like."`
	Rows       exportRows       `param:"rows" default:"sites" doc:"csv and parquet: a row for each site, or for each emission that satisfies the filters."`
	Properties exportProperties `param:"properties" default:"short" doc:"geojson: full gives each site the columns of csv as properties, instead of six."`
	csvParams
	Lang exportLang `param:"lang" default:"en" doc:"kmz: the language of the descriptions."`
	siteFilters
	siteText
	boxParams
	discParams
}

// Check holds the rules over several parameters.
func (p *exportParams) Check() error {
	if err := checkPlace(&p.boxParams, &p.discParams); err != nil {
		return err
	}
	switch {
	case p.Rows != siteRows && p.Format != formatCSV && p.Format != formatParquet:
		return &endpoint.ParamError{Param: "rows", Value: string(p.Rows), Want: "emissions are for format=csv and format=parquet"}
	case p.Lang != english && p.Format != formatKMZ:
		return &endpoint.ParamError{Param: "lang", Value: string(p.Lang), Want: "it is for format=kmz"}
	case p.Properties != shortProperties && p.Format != formatGeoJSON:
		return &endpoint.ParamError{Param: "properties", Value: string(p.Properties), Want: "it is for format=geojson"}
	}
	return p.csvParams.check(string(p.Format))
}

// makesFile reports whether the format is one of compressed files.
func (p *exportParams) makesFile() bool { return p.Format == formatParquet || p.Format == formatKMZ }

// An exportLang is a language of descriptions.
type exportLang string

const (
	english = "en"
	french  = "fr"
)

// Values lists the languages.
func (exportLang) Values() []string { return []string{english, french} }

// An exportFormat is a format of the export.
type exportFormat string

// Values lists the formats.
func (exportFormat) Values() []string {
	return []string{formatJSON, formatGeoJSON, formatCSV, formatParquet, formatKMZ}
}

// exportRows is what a row stands for.
type exportRows string

const (
	siteRows     = "sites"
	emissionRows = "emissions"
)

// Values lists both.
func (exportRows) Values() []string { return []string{siteRows, emissionRows} }

// exportProperties is how much is said of a site.
type exportProperties string

const (
	shortProperties = "short"
	fullProperties  = "full"
)

// Values lists both.
func (exportProperties) Values() []string { return []string{shortProperties, fullProperties} }

func (r *Env) export(ctx context.Context, p *exportParams) (*endpoint.Answer, error) {
	s, err := p.selection(p.marketParams)
	if err != nil {
		return nil, err
	}
	found, err := r.Sites(ctx, catalog.Sites{Selection: s, Limit: -1,
		Where: index.Query{Box: p.box(), Disc: p.disc(), Text: p.Text}})
	if err != nil {
		return nil, err
	}
	m, loaded := s.Market, found.Register
	meta := view.ExportMeta{Export: true, Format: string(p.Format), Market: m.Code, Operator: p.Operator.canonical(m)}
	meta.Attribution, meta.SourceDate = attribution(m, loaded)
	meta.TotalMatched, meta.Returned = found.Total, found.Total
	if loaded != nil {
		meta.DataVersion, meta.Total = &loaded.Snap.Version, loaded.Len()
	}
	page := sitePage{market: loaded, sites: found.Sites, metres: found.Metres, whole: found.Whole}
	return p.answer(m, found.Filter, page, meta)
}

// answer returns the sites of a page in the format that is asked for.
func (p *exportParams) answer(m *market.Market, f index.Filter, page sitePage, meta view.ExportMeta) (*endpoint.Answer, error) {
	text, err := view.JSON(meta)
	if err != nil {
		return nil, err
	}
	page.meta = text
	switch p.Format {
	case formatGeoJSON:
		if p.Properties == fullProperties {
			return geoJSON(page.writeTable), nil
		}
		return geoJSON(page.writeRegister), nil
	case formatJSON:
		return page.answer(), nil
	case formatKMZ:
		if meta.TotalMatched > export.MaxKMZ {
			return nil, &endpoint.ParamError{Param: "format", Value: formatKMZ, Want: fmt.Sprintf(
				"a KMZ has at most %d sites, and these are %d: narrow them by department, bbox, lat, lon and radiusKm, or operator, or take another format",
				export.MaxKMZ, meta.TotalMatched)}
		}
	}
	return p.file(m.Code, f, page), nil
}

// file returns the sites of a page as a file. Parquet and KMZ are in the order of the register.
func (p *exportParams) file(m market.Code, f index.Filter, page sitePage) *endpoint.Answer {
	if p.makesFile() {
		page.metres = nil
		slices.Sort(page.sites)
	}
	rows := page.register()
	rows.Filter = f.OfEmissions()
	table := rows.SiteTable()
	if p.Rows == emissionRows {
		table = rows.EmissionTable()
	}
	switch p.Format {
	case formatParquet:
		return compressed(file(m, string(p.Rows), formatParquet,
			func(w io.Writer) error { return export.Parquet{}.Write(w, table) }))
	case formatKMZ:
		return compressed(file(m, siteRows, formatKMZ,
			func(w io.Writer) error { return export.KMZ{French: p.Lang == french}.Write(w, rows) }))
	}
	return p.csvParams.file(table, m, string(p.Rows), nil)
}

func compressed(a *endpoint.Answer) *endpoint.Answer {
	a.Compressed = true
	return a
}

// WholeExports lists the unfiltered exports of each loaded market that has at most so many
// sites: many clients ask for them, so they are worth preparing.
func WholeExports(set *index.Set, sites int) (calls []*endpoint.Call[*Env]) {
	for m := range set.Loaded() {
		if m.Len() > sites {
			continue
		}
		for _, format := range []string{formatJSON, formatGeoJSON} {
			params := map[string]string{"market": string(m.Table.Code), "format": format}
			call, err := exportAntennas.Bind(func(p *endpoint.Param) (string, error) { return params[p.Name], nil })
			if err == nil { // the values come from the tables
				calls = append(calls, call)
			}
		}
	}
	return calls
}
