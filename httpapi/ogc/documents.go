package ogc

import (
	"reflect"

	"relais/api/endpoint"
	"relais/geo"
	"relais/index"
	"relais/market"
)

const jsonType = "application/json"

// SchemaType is the content type of Queryables.
const SchemaType = "application/schema+json"

// A link is a link of OGC API.
type link struct {
	Href  string `json:"href"`
	Rel   string `json:"rel"`
	Type  string `json:"type"`
	Title string `json:"title"`
}

// A Landing is the landing page.
type Landing struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Links       []link `json:"links"`
}

// NewLanding returns the landing page; base is the beginning of the service's addresses.
func NewLanding(base string) Landing {
	return Landing{"relais", "Antenna sites of mobile networks. Features need an API key: send it in the header X-API-Key, or as Authorization: Bearer KEY.",
		[]link{{base + Path, "self", jsonType, "This page"},
			{base + Path + "/api", "service-desc", APIType, "The description of this API"},
			{base + "/docs", "service-doc", "text/html", "The documentation"},
			{base + Path + "/conformance", "conformance", jsonType, "What it conforms to"},
			{base + Path + "/collections", "data", jsonType, "The collections"}}}
}

// Conformance is the conformance page. There is no HTML: /map and /docs are for people.
var Conformance = struct {
	ConformsTo []string `json:"conformsTo"`
}{[]string{
	"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
	"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
}}

// Collections is the list of collections.
type Collections struct {
	Links       []link       `json:"links"`
	Collections []Collection `json:"collections"`
}

// A Collection describes a collection.
type Collection struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Extent      extent   `json:"extent"`
	ItemType    string   `json:"itemType"`
	CRS         []string `json:"crs"`
	Links       []link   `json:"links"`
}

type extent struct {
	Spatial struct {
		BBox [][4]float64 `json:"bbox"`
		CRS  string       `json:"crs"`
	} `json:"spatial"`
}

const crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

// NewCollections returns the collections of the markets that are loaded; set may be nil.
func NewCollections(base string, set *index.Set) Collections {
	list := Collections{Links: []link{{base + Path + "/collections", "self", jsonType, "This list"}}, Collections: []Collection{}}
	if set == nil {
		return list
	}
	for m := range set.Loaded() {
		for _, k := range kinds() {
			list.Collections = append(list.Collections, newCollection(base, m.Table, k))
		}
	}
	return list
}

// FindCollection returns the collection with an id. It returns false if no collection has it.
func FindCollection(base, id string) (Collection, bool) {
	m, k, ok := find(id)
	if !ok {
		return Collection{}, false
	}
	return newCollection(base, m, k), true
}

func newCollection(base string, m *market.Market, k kind) Collection {
	id := collectionID(m.Code, k.name)
	at := base + Path + "/collections/" + id
	c := Collection{ID: id, Title: k.title + ": " + m.Label, Description: k.description, ItemType: "feature", CRS: []string{crs84},
		Links: []link{{at, "self", jsonType, "This collection"}, {at + "/items", "items", geoJSON, "The features"},
			{at + "/queryables", "http://www.opengis.net/def/rel/ogc/1.0/queryables", SchemaType, "The filters"}}}
	c.Extent.Spatial.BBox, c.Extent.Spatial.CRS = [][4]float64{edges(m.Box)}, crs84
	return c
}

func edges(b geo.Box) [4]float64 { return [4]float64{b.West, b.South, b.East, b.North} }

// Queryables is a JSON Schema of the filters of a collection.
type Queryables struct {
	Schema     string               `json:"$schema"`
	ID         string               `json:"$id"`
	Type       string               `json:"type"`
	Title      string               `json:"title"`
	Properties map[string]queryable `json:"properties"`
	Additional bool                 `json:"additionalProperties"`
}

type queryable struct {
	Title string   `json:"title"`
	Type  string   `json:"type"`
	Enum  []string `json:"enum,omitempty"`
}

// NewQueryables returns the filters of a collection. It returns false if no collection has the id.
func NewQueryables(base, id string) (Queryables, bool) {
	m, k, ok := find(id)
	if !ok {
		return Queryables{}, false
	}
	q := Queryables{Schema: "https://json-schema.org/draft/2020-12/schema", Type: "object", Title: k.title + ": " + m.Label,
		ID: base + Path + "/collections/" + id + "/queryables", Properties: map[string]queryable{}}
	for i := range k.items.Params {
		if p := &k.items.Params[i]; isFilter(p, m.Code) {
			one := queryable{Title: p.Doc, Type: jsonTypeOf(p.Type.Kind())}
			if p.Name == "operator" {
				one.Enum = append(m.OperatorKeys(), market.AllOperators)
			}
			q.Properties[p.Name] = one
		}
	}
	return q, true
}

func jsonTypeOf(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	}
	return "string"
}

// isFilter reports whether a parameter is a filter of ours that a market has, and not one of OGC API.
func isFilter(p *endpoint.Param, code market.Code) bool {
	switch p.Name {
	case "limit", "offset", "bbox", "datetime", "f":
		return false
	case "department":
		return code == market.FR || code == market.DROM
	case "territory":
		return code == market.DROM
	case "province":
		return code == "CA"
	}
	return p.In == "query"
}
