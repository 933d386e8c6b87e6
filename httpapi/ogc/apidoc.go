package ogc

import (
	"fmt"

	"relais/api"
)

// APIType is the content type of the description of the API.
const APIType = "application/vnd.oai.openapi+json;version=3.0"

// A schema is a part of an OpenAPI document.
type schema = map[string]any

// NewAPI returns the description of the API in OpenAPI 3.0, which Part 1 asks for. It has one path for the items of
// all collections: what is different are the filters, which queryables list. QGIS reads from it the limits of a
// page, and would take filters that it declares for columns of the same names.
func NewAPI(base string) any {
	document := func(id, what string) schema {
		return schema{"get": schema{"operationId": id, "summary": what, "security": []schema{{}}, "parameters": []schema{ref("f")},
			"responses": responses(jsonType)}}
	}
	ofCollection := func(item schema) schema {
		item["parameters"] = []schema{ref("collectionId")}
		return item
	}
	return schema{
		"openapi": "3.0.3",
		"info": schema{"title": "relais: OGC API - Features", "version": api.InterfaceVersion,
			"license": schema{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
			"description": "Antenna sites of mobile networks, with their sectors, changes, outages and measurements. " +
				"The filters of a collection are its queryables. " +
				"Follow the links to the next page: their other parameters may change."},
		"servers":  []schema{{"url": base + Path}},
		"security": []schema{{"apiKey": []string{}}, {"bearer": []string{}}},
		"paths": schema{
			"/":                           document("getLandingPage", "The landing page"),
			"/api":                        document("getAPI", "This document"),
			"/conformance":                document("getConformance", "What the service conforms to"),
			"/collections":                document("getCollections", "The collections"),
			"/collections/{collectionId}": ofCollection(document("getCollection", "A collection")),
			"/collections/{collectionId}/queryables": ofCollection(
				document("getQueryables", "The filters of a collection, as a JSON Schema")),
			"/collections/{collectionId}/items": ofCollection(schema{"get": schema{"operationId": "getFeatures",
				"summary":    "A page of the features of a collection",
				"parameters": []schema{ref("limit"), ref("bbox"), ref("datetime"), ref("f"), ref("filters")},
				"responses":  responses(geoJSON)}}),
			"/collections/{collectionId}/items/{featureId}": ofCollection(schema{"get": schema{"operationId": "getFeature",
				"summary": "A feature", "parameters": []schema{ref("featureId"), ref("f")}, "responses": responses(geoJSON)}}),
		},
		"components": schema{"parameters": apiParameters(), "securitySchemes": schema{
			"apiKey": schema{"type": "apiKey", "in": "header", "name": "X-API-Key"},
			"bearer": schema{"type": "http", "scheme": "bearer"}}},
	}
}

func ref(parameter string) schema { return schema{"$ref": "#/components/parameters/" + parameter} }

func responses(contentType string) schema {
	answer := func(description, contentType string) schema {
		return schema{"description": description, "content": schema{contentType: schema{"schema": schema{"type": "object"}}}}
	}
	return schema{"200": answer("The answer.", contentType), "400": answer("A parameter is wrong.", jsonType),
		"default": answer("An error, whose members error and code say what was wrong.", jsonType)}
}

func apiParameters() schema {
	text := schema{"type": "string"}
	path := func(name, what string) schema {
		return schema{"name": name, "in": "path", "required": true, "description": what, "schema": text}
	}
	query := func(name, what string, s schema) schema {
		return schema{"name": name, "in": "query", "required": false, "style": "form", "explode": false, "description": what,
			"schema": s}
	}
	filters := query("filters", "The queryables of the collection, each as a parameter of its name.",
		schema{"type": "object", "additionalProperties": text})
	filters["explode"] = true
	return schema{
		"collectionId": path("collectionId", "The id of a collection, such as fr-sites."),
		"featureId":    path("featureId", "The id of a feature."),
		"filters":      filters,
		"f":            query("f", "The format.", schema{"type": "string", "enum": []string{"json"}, "default": "json"}),
		"limit": query("limit", fmt.Sprintf("Most features to answer; above %d it is %[1]d.", maxLimit),
			schema{"type": "integer", "minimum": 1, "maximum": maxLimit, "default": defaultLimit}),
		"bbox": query("bbox", "west,south,east,north in degrees, or the same with heights, which do not count.",
			boxOfNumbers),
		"datetime": query("datetime",
			"A moment of RFC 3339, a day, or two of them with a slash between; one of the two may be .. or empty, the second a duration.",
			schema{"type": "string"}),
	}
}

// boxOfNumbers is four or six numbers. Part 1 had minItems and maxItems at first, and has oneOf since its version
// 1.0.1: both are here, because programs look for one or the other.
var boxOfNumbers = schema{"type": "array", "items": schema{"type": "number"}, "minItems": 4, "maxItems": 6,
	"oneOf": []schema{{"minItems": 4, "maxItems": 4}, {"minItems": 6, "maxItems": 6}}}
