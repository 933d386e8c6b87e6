package endpoint

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func (o *Op[E]) responses(info Info, types *schemas) Schema {
	responses := Schema{
		strconv.Itoa(o.Status): Schema{"description": "The answer.", "content": o.content(info, types),
			"headers": withCommonHeaders(schemasOf(o.Headers()))},
	}
	if o.Produces != "" && o.Produces != JSON {
		responses["204"] = Schema{"description": "There is nothing there.", "headers": withCommonHeaders(schemasOf(o.Headers()))}
	}
	if o.Method == "GET" {
		responses["304"] = Schema{"description": "Not changed since the answer whose ETag stands in If-None-Match.",
			"headers": withCommonHeaders(schemasOf([]Header{etagHeader}))}
	}
	byStatus := map[int][]string{}
	for _, p := range o.Problems(info) {
		byStatus[p.Status] = append(byStatus[p.Status], p.Code+": "+p.When)
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		own := Schema{}
		if status == 405 {
			own["Allow"] = Schema{"schema": Schema{"type": "string"}, "description": "The methods of the path."}
		}
		if status == 429 || status == 503 {
			own["Retry-After"] = Schema{"schema": Schema{"type": "integer"},
				"description": "Seconds after which to come back."}
		}
		responses[strconv.Itoa(status)] = Schema{
			"headers":     withCommonHeaders(own),
			"description": strings.Join(byStatus[status], " "),
			"content":     Schema{"application/json": Schema{"schema": Schema{"$ref": "#/components/schemas/Error"}}},
		}
	}
	return responses
}

// Problems lists the errors that the operation may answer, by code.
func (o *Op[E]) Problems(info Info) (list []Problem) {
	answers := slices.Concat(o.ErrorCodes, info.Common, []string{o.FailureCode})
	if o.Scope != "" {
		answers = append(answers, info.Keyed...)
	}
	if o.Scope != "" && info.BodyCodes != nil {
		answers = append(answers, info.BodyCodes(o.Body)...)
	}
	for _, code := range slices.Compact(slices.Sorted(slices.Values(answers))) {
		for _, p := range info.Problems {
			if p.Code == code {
				list = append(list, p)
			}
		}
	}
	return list
}

// content returns the schemas of a success by content type.
func (o *Op[E]) content(info Info, types *schemas) contents {
	switch o.Produces {
	case "":
	case JSON:
		return contents{JSON: Schema{"schema": Schema{"type": "object", "additionalProperties": true}}}
	default:
		return contents{o.Produces: Schema{"schema": Schema{"type": "string", "format": "binary"}}}
	}
	content := contents{}
	for contentType, t := range o.shapes() {
		content[contentType] = Schema{"schema": types.answer(t)}
	}
	for _, mediaType := range o.Files {
		file := Schema{"type": "string"}
		if !strings.HasPrefix(mediaType, "text/") {
			file["format"] = "binary"
		}
		content[mediaType] = Schema{"schema": file}
	}
	if info.Example != nil {
		if answer := info.Example(o.Name); answer != nil {
			content[JSON].(Schema)["example"] = answer
		}
	}
	return content
}

// contents are schemas by media type.
type contents Schema

// MarshalJSON implements json.Marshaler. JSON comes first: some generators of clients take the first type of several.
func (c contents) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for _, mediaType := range slices.SortedFunc(maps.Keys(c), jsonFirst) {
		schema, err := json.Marshal(c[mediaType])
		if err != nil {
			return nil, err
		}
		text = append(append(strconv.AppendQuote(text, mediaType), ':'), schema...)
		text = append(text, ',')
	}
	text[len(text)-1] = '}' // instead of the last comma: there is always a type
	return text, nil
}

func jsonFirst(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == JSON:
		return -1
	case b == JSON:
		return 1
	}
	return strings.Compare(a, b)
}

// shapes are what a success looks like in JSON, by media type.
func (o *Op[E]) shapes() map[string]reflect.Type {
	if o.Shapes != nil {
		return o.Shapes
	}
	return map[string]reflect.Type{JSON: o.Result}
}

// Headers lists the headers of a success, except for the common ones.
func (o *Op[E]) Headers() (list []Header) {
	switch {
	case o.Method == "GET":
		list = append(list, etagHeader)
	case !o.Asks:
		list = append(list, Header{Name: "Idempotent-Replayed",
			Doc: "true where a signed request came again: the answer is that of the first."})
	}
	if o.Files != nil {
		list = append(list, Header{Name: "Content-Disposition", Doc: "Of an answer that is not JSON: the name of a file for it."})
		if slices.ContainsFunc(o.Params, func(p Param) bool { return p.Name == "offset" }) {
			list = append(list, Header{Name: "Link",
				Doc: `Of a page in CSV that is not the last: the address of the next one, with rel="next".`})
		}
	}
	if o.Location != nil {
		list = append(list, Header{Name: "Location", Doc: "Address of what was made."})
	}
	return list
}

var etagHeader = Header{Name: "ETag", Doc: "For If-None-Match."}

// answer returns the schema of a body, with its request id.
func (s *schemas) answer(t reflect.Type) Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	sch := s.schemaOf(t)
	body := sch
	if ref, ok := sch["$ref"].(string); ok {
		body = s.byName[strings.TrimPrefix(ref, s.refPrefix)]
	}
	props := body["properties"].(Schema)
	if props["requestId"] == nil {
		props["requestId"] = requestID()
		body["required"] = append(body["required"].([]string), "requestId")
	}
	return sch
}
