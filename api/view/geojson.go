package view

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"

	"relais/export"
	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A Feature is a site in GeoJSON.
type Feature struct {
	Type       string     `json:"type" doc:"Always Feature."`
	ID         string     `json:"id"`
	Geometry   Geometry   `json:"geometry"`
	Properties Properties `json:"properties"`
}

// A Geometry is a GeoJSON point.
type Geometry struct {
	Type        string     `json:"type" doc:"Always Point."`
	Coordinates [2]float64 `json:"coordinates" doc:"Longitude and latitude, WGS84 degrees."`
}

// Properties are the properties of a Feature; with properties=full, those of Patterns too.
type Properties struct {
	ID               string      `json:"id"`
	Market           market.Code `json:"market"`
	CountryCode      string      `json:"countryCode"`
	NationalSiteCode string      `json:"nationalSiteCode"`
	SourceAuthority  string      `json:"sourceAuthority"`
	Operators        []string    `json:"operators"`
}

// Patterns has the columns of tables of sites by their types.
func (Properties) Patterns() map[string]reflect.Type {
	names := map[reflect.Type][]string{}
	for _, c := range new(export.Register).SiteTable().Columns {
		t := columnTypes[c.Type]
		names[t] = append(names[t], c.Name)
	}
	patterns := map[string]reflect.Type{}
	for t, list := range names {
		patterns["^("+strings.Join(list, "|")+")$"] = t
	}
	return patterns
}

// columnTypes are the types of columns in JSON, which are null where the source states nothing.
var columnTypes = map[export.Type]reflect.Type{
	export.Text:    reflect.TypeFor[*string](),
	export.Whole:   reflect.TypeFor[*int](),
	export.Number:  reflect.TypeFor[*float64](),
	export.Boolean: reflect.TypeFor[*bool](),
	export.Date:    reflect.TypeFor[*string](),
	export.Time:    reflect.TypeFor[*string](),
	export.Texts:   reflect.TypeFor[*[]string](),
	export.Wholes:  reflect.TypeFor[*[]int](),
	export.Numbers: reflect.TypeFor[*[]float64](),
}

// A SiteCollection is a page of sites in GeoJSON.
type SiteCollection struct {
	Type     string        `json:"type" doc:"Always FeatureCollection."`
	Features []SiteFeature `json:"features"`
	Meta     ListMeta      `json:"meta"`
}

// A SiteFeature is a site of a SiteCollection.
type SiteFeature struct {
	Type       string      `json:"type" doc:"Always Feature."`
	ID         string      `json:"id"`
	Geometry   Geometry    `json:"geometry"`
	Properties NearSummary `json:"properties"`
}

// A FeatureCollection is the GeoJSON export.
type FeatureCollection struct {
	Type     string     `json:"type" doc:"Always FeatureCollection."`
	Features []Feature  `json:"features"`
	Meta     ExportMeta `json:"meta"`
}

// AppendFeature appends the beginning of the Feature of a site, up to its properties.
func AppendFeature(dst []byte, id string, p geo.Point) ([]byte, error) {
	text, err := JSON(id)
	dst = append(append(dst, `{"type":"Feature","id":`...), text...)
	dst = append(dst, `,"geometry":{"type":"Point","coordinates":[`...)
	dst = strconv.AppendFloat(dst, p.Lng, 'f', -1, 64)
	dst = strconv.AppendFloat(append(dst, ','), p.Lat, 'f', -1, 64)
	return append(dst, `]},"properties":`...), err
}

// Features returns a function that appends the encoded Feature of a site and a comma.
func Features(snap *snapshot.Snapshot) func(dst []byte, s *site.Site) ([]byte, error) {
	r, encode := RegisterOf(snap), newEncoder()
	return func(dst []byte, s *site.Site) ([]byte, error) {
		text, err := encode(Feature{Type: "Feature", ID: s.ID,
			Geometry: Geometry{Type: "Point", Coordinates: [2]float64{s.Position.Lng, s.Position.Lat}},
			Properties: Properties{ID: s.ID, Market: r.Code, CountryCode: r.Country,
				NationalSiteCode: cmp.Or(s.NationalCode, s.ID),
				SourceAuthority:  r.attribution.Authority, Operators: r.operators(s)}})
		return append(append(dst, text...), ','), err
	}
}
