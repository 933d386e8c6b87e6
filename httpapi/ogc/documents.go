package ogc

import (
	"reflect"

	"relais/api"
	"relais/api/endpoint"
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
	"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
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

const crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

// NewCollections returns the collections of the markets that are loaded.
func NewCollections(r *api.Env) Collections {
	list := Collections{Links: []link{{r.BaseURL + Path + "/collections", "self", jsonType, "This list"}}, Collections: []Collection{}}
	if r.Set == nil {
		return list
	}
	for m := range r.Set.Loaded() {
		for _, k := range kinds() {
			list.Collections = append(list.Collections, newCollection(r, m.Table, k))
		}
	}
	return list
}

// FindCollection returns the collection with an id. It returns false if no collection has it.
func FindCollection(r *api.Env, id string) (Collection, bool) {
	m, k, ok := find(id)
	if !ok {
		return Collection{}, false
	}
	return newCollection(r, m, k), true
}

func newCollection(r *api.Env, m *market.Market, k kind) Collection {
	id := collectionID(m.Code, k.name)
	at := r.BaseURL + Path + "/collections/" + id
	return Collection{ID: id, Title: k.title + ": " + m.Label, Description: k.description, ItemType: "feature", CRS: []string{crs84},
		Extent: newExtent(r, m, k),
		Links: []link{{at, "self", jsonType, "This collection"}, {at + "/items", "items", geoJSON, "The features"},
			{at + "/queryables", "http://www.opengis.net/def/rel/ogc/1.0/queryables", SchemaType, "The filters"}}}
}

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
		if p := &k.items.Params[i]; isFilter(p, m) {
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
func isFilter(p *endpoint.Param, m *market.Market) bool {
	switch p.Name {
	case "limit", "offset", "bbox", "datetime", "f":
		return false
	case "department", "territory", "province":
		return m.HasFilter(p.Name)
	}
	return p.In == "query"
}
