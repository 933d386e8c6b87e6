package endpoint

import (
	"encoding/json"
	"slices"
	"strings"
)

// A Problem explains an error code of the API.
type Problem struct {
	Code   string
	Status int
	When   string
}

// A Tag is a group of operations: the first part of their paths.
type Tag struct{ Name, Doc string }

// Info is the head of an OpenAPI document.
type Info struct {
	Tags                                             []Tag
	Title, Version, Description, Licence, LicenceURL string
	Servers                                          []string
	// Common are the codes that every operation may answer, and Keyed those that one with a scope may.
	Common, Keyed []string
	// BodyCodes returns the codes that an operation may answer for its body, which may be
	// nil.
	BodyCodes func(*Body) []string
	// Problems explains every code.
	Problems []Problem
	// Example, which may be nil, returns an example answer of an operation in JSON, nil for none.
	Example func(operation string) json.RawMessage
}

// OpenAPI returns the OpenAPI 3.1 document of the operations.
func OpenAPI[E any](info Info, ops []*Op[E]) Schema {
	types := newSchemas()
	paths := Schema{}
	for _, o := range ops {
		item, ok := paths[o.Path].(Schema)
		if !ok {
			item = Schema{}
			paths[o.Path] = item
		}
		item[strings.ToLower(o.Method)] = o.operation(info, types)
	}
	types.byName["Error"] = Schema{
		"type": "object", "required": []string{"code", "error", "requestId"},
		"properties": Schema{
			"error": Schema{"type": "string", "description": "What was wrong, in a sentence."},
			"code": Schema{"type": "string", "enum": codes(info.Problems),
				"description": "What was wrong. Later versions may have more: take one that you do not know by its status."},
			"requestId": requestID(),
			"parameter": Schema{"type": "string", "description": "The parameter that is wrong."},
			"allowed": Schema{"type": "array", "items": Schema{"type": "string"},
				"description": "What it may be; for a name that is not a parameter, those that are."},
			"docs": Schema{"type": "string", "format": "uri", "description": "Where the code, or the parameters, are explained."},
		},
	}
	var servers, tags []Schema
	for _, tag := range info.Tags {
		tags = append(tags, Schema{"name": tag.Name, "description": tag.Doc})
	}
	for _, url := range info.Servers {
		servers = append(servers, Schema{"url": url})
	}
	return Schema{
		"openapi": "3.1.0",
		"info": Schema{"title": info.Title, "version": info.Version, "description": info.Description,
			"license": Schema{"name": info.Licence, "url": info.LicenceURL}},
		"servers":  servers,
		"tags":     tags,
		"security": security(),
		"paths":    paths,
		"components": Schema{"schemas": types.byName, "securitySchemes": securitySchemes, "headers": headers,
			"parameters": requestHeaders},
	}
}

var securitySchemes = Schema{
	"bearer": Schema{"type": "http", "scheme": "bearer",
		"description": "An API key. MOBILE clients send it here, with a signature."},
	"apiKey": Schema{"type": "apiKey", "in": "header", "name": "X-API-Key",
		"description": "An API key of a BROWSER or SERVER client."},
	"signature": Schema{"type": "apiKey", "in": "header", "name": "X-Sq-Signature",
		"description": "t=<unix-seconds>,v1=<hex>: the HMAC-SHA256, under the signing secret as it was shown, of t, method, path as sent without the query, and the SHA-256 of the body in lower-case hexadecimal, joined by line feeds. MOBILE clients sign every request, and SERVER clients that are made so."},
	"attestation": Schema{"type": "apiKey", "in": "header", "name": "X-Device-Attestation",
		"description": "A JWT that attests the device, of a client that needs one."},
}

// security lists the alternatives: a key, with the other credentials of some clients.
func security() (list []Schema) {
	for _, extra := range [][]string{nil, {"signature"}, {"attestation"}, {"signature", "attestation"}} {
		for _, key := range []string{"bearer", "apiKey"} {
			s := Schema{key: []string{}}
			for _, name := range extra {
				s[name] = []string{}
			}
			list = append(list, s)
		}
	}
	return list
}

// A Header is a header of requests or answers.
type Header struct {
	Name, Doc string
	Integer   bool // its value is a number
	pattern   string
}

// RequestHeaders lists the headers that any request may have, in addition to credentials. The
// first one is for GET only.
func RequestHeaders() []Header {
	return []Header{
		{Name: "If-None-Match", Doc: "The ETag of an answer that the client has: while it is true, the answer is 304."},
		{Name: "X-Request-Id", Doc: "Names the request, instead of an id that the server makes.", pattern: "^[A-Za-z0-9._-]{1,64}$"},
	}
}

// requestHeaders are RequestHeaders as components of the document.
var requestHeaders = func() Schema {
	list := Schema{}
	for _, h := range RequestHeaders() {
		schema := Schema{"type": "string"}
		if h.pattern != "" {
			schema["pattern"] = h.pattern
		}
		list[strings.ReplaceAll(strings.TrimPrefix(h.Name, "X-"), "-", "")] = Schema{"name": h.Name, "in": "header", "schema": schema,
			"description": h.Doc}
	}
	return list
}()

func headerParameters(method string) (list []Schema) {
	if method == "GET" {
		list = append(list, Schema{"$ref": "#/components/parameters/IfNoneMatch"})
	}
	return append(list, Schema{"$ref": "#/components/parameters/RequestId"})
}

// CommonHeaders lists the headers of every answer.
func CommonHeaders() []Header {
	return []Header{
		{Name: "X-Request-Id", Doc: "Names this request."},
		{Name: "Cache-Control", Doc: "How long the answer may be kept."},
		{Name: "Vary", Doc: "The headers of the request that the answer depends on."},
		{Name: "X-Content-Type-Options", Doc: "Always nosniff."},
		{Name: "Content-Security-Policy", Doc: "That a browser which shows the answer as a page loads nothing for it."},
		{Name: "Access-Control-Allow-Origin", Doc: "For a page of an origin that a client has: that origin."},
		{Name: "Access-Control-Expose-Headers", Doc: "For the same: what it may read."},
		{Name: "X-RateLimit-Limit", Doc: "Requests that the client has in a minute.", Integer: true},
		{Name: "X-RateLimit-Remaining", Doc: "Requests that are left of the minute.", Integer: true},
		{Name: "X-RateLimit-Reset", Doc: "When the minute ends: seconds since 1970.", Integer: true},
		{Name: "X-RateLimit-Limit-Day", Doc: "Requests that the client has in a day of UTC.", Integer: true},
		{Name: "X-RateLimit-Remaining-Day", Doc: "Requests that are left of the day.", Integer: true},
		{Name: "X-RateLimit-Reset-Day", Doc: "When the day ends: seconds since 1970.", Integer: true},
		{Name: "RateLimit-Policy", Doc: "The limits of the minute and of the day, as the IETF's draft writes them."},
		{Name: "RateLimit", Doc: "What is left of them, and for how many seconds."},
	}
}

// schemasOf returns headers as the document has them, by name.
func schemasOf(list []Header) Schema {
	schemas := Schema{}
	for _, h := range list {
		kind := "string"
		if h.Integer {
			kind = "integer"
		}
		schemas[h.Name] = Schema{"schema": Schema{"type": kind}, "description": h.Doc}
	}
	return schemas
}

// headers are CommonHeaders as components of the document.
var headers = schemasOf(CommonHeaders())

// withCommonHeaders adds the headers of every answer to its own.
func withCommonHeaders(own Schema) Schema {
	for name := range headers {
		own[name] = Schema{"$ref": "#/components/headers/" + name}
	}
	return own
}

func requestID() Schema {
	return Schema{"type": "string", "description": "Names this request; the same as the header X-Request-Id."}
}

func codes(problems []Problem) []string {
	list := make([]string, len(problems))
	for i, p := range problems {
		list[i] = p.Code
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (o *Op[E]) operation(info Info, types *schemas) Schema {
	params := []Schema{}
	for i := range o.Params {
		p := &o.Params[i]
		if p.In == "body" {
			continue
		}
		s := Schema{"name": p.Name, "in": p.In, "description": p.Doc, "schema": p.schema(types)}
		if p.In == "path" {
			s["required"] = true
		}
		if p.Example != "" {
			s["example"] = p.typed(p.Example)
		}
		if p.item != nil {
			s["schema"], s["style"], s["explode"] = p.listSchema(types), "form", false // values with commas in between
			if p.Example != "" {
				s["example"] = strings.Split(p.Example, ",")
			}
		}
		params = append(params, s)
	}
	params = append(params, headerParameters(o.Method)...)
	tag, _, _ := strings.Cut(strings.TrimPrefix(o.Path, "/"), "/")
	op := Schema{"operationId": o.Name, "summary": o.Summary, "tags": []string{tag}, "parameters": params,
		"responses": o.responses(info, types)}
	if o.Scope == "" {
		op["security"] = []Schema{}
	} else {
		op["x-scope"] = o.Scope
	}
	if by := o.ScopeBy; by != nil {
		op["x-scope-by"] = Schema{"parameter": by.Param, "values": by.Values, "scope": by.Scope}
	}
	if o.Doc != "" {
		op["description"] = o.Doc
	}
	if o.Body != nil {
		op["requestBody"] = o.requestBody(types)
	}
	return op
}

func (o *Op[E]) requestBody(types *schemas) Schema {
	properties, required := o.properties(types, func(p *Param) bool { return p.In == "body" })
	if o.Body.File != "" {
		properties[o.Body.File] = Schema{"type": "string", "format": "binary", "description": o.Body.FileDoc}
		required = append(required, o.Body.File)
	}
	return Schema{"required": true,
		"content": Schema{o.Body.Type: Schema{"schema": Schema{"type": "object", "properties": properties,
			"required": required}}}}
}
