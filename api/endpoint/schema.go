package endpoint

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Schema is a JSON Schema of the dialect that OpenAPI 3.1 uses.
type Schema map[string]any

// enumerated is a type that lists its values.
type enumerated interface{ Values() []string }

// patterned is a struct whose JSON has more members than its fields. Patterns returns
// their types by patterns of their names.
type patterned interface {
	Patterns() map[string]reflect.Type
}

// A schemas makes the schemas of types, those of named structs by reference.
type schemas struct {
	byName    map[string]Schema // components
	names     map[reflect.Type]string
	refPrefix string // where references find them
}

// newSchemas returns an empty collection.
func newSchemas() *schemas {
	return &schemas{byName: map[string]Schema{}, names: map[reflect.Type]string{}, refPrefix: "#/components/schemas/"}
}

// schemaOf returns the schema of t.
func (s *schemas) schemaOf(t reflect.Type) Schema {
	if t.Kind() == reflect.Pointer {
		return nullable(s.schemaOf(t.Elem()))
	}
	if e, ok := reflect.Zero(t).Interface().(enumerated); ok {
		return Schema{"type": "string", "enum": e.Values()}
	}
	switch t.Kind() {
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64:
		return Schema{"type": "integer"}
	case reflect.Float64, reflect.Float32:
		return Schema{"type": "number"}
	case reflect.Slice:
		return Schema{"type": "array", "items": s.schemaOf(t.Elem())}
	case reflect.Array:
		return Schema{"type": "array", "items": s.schemaOf(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": s.schemaOf(t.Elem())}
	case reflect.Struct:
		return s.object(t)
	}
	panic("endpoint: no schema for " + t.String())
}

func nullable(s Schema) Schema {
	if t, ok := s["type"].(string); ok && s["enum"] == nil {
		n := Schema{}
		for k, v := range s {
			n[k] = v
		}
		n["type"] = []string{t, "null"}
		return n
	}
	return Schema{"anyOf": []Schema{s, {"type": "null"}}}
}

// object returns the schema of a struct: in place for a generic one, because its Go name
// does not fit the document, else by reference.
func (s *schemas) object(t reflect.Type) Schema {
	if strings.Contains(t.Name(), "[") || t.Name() == "" {
		return s.properties(t)
	}
	name, ok := s.names[t]
	if !ok {
		name = t.Name()
		for i := 2; s.byName[name] != nil; i++ {
			name = t.Name() + strconv.Itoa(i)
		}
		s.names[t] = name
		s.byName[name] = Schema{} // for types that contain themselves
		s.byName[name] = s.properties(t)
	}
	return Schema{"$ref": s.refPrefix + name}
}

func (s *schemas) properties(t reflect.Type) Schema {
	props, required := Schema{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		p := s.schemaOf(f.Type)
		if strings.Contains(options, "omitempty") {
			if f.Type.Kind() == reflect.Pointer {
				p = s.schemaOf(f.Type.Elem())
			}
		} else {
			required = append(required, name)
		}
		if doc := f.Tag.Get("doc"); doc != "" {
			p["description"] = doc // OpenAPI 3.1 allows it next to $ref
		}
		props[name] = p
	}
	slices.Sort(required)
	sch := Schema{"type": "object", "properties": props, "required": required}
	if p, ok := reflect.Zero(t).Interface().(patterned); ok {
		patterns := Schema{}
		for pattern, t := range p.Patterns() {
			patterns[pattern] = s.schemaOf(t)
		}
		sch["patternProperties"] = patterns
	}
	return sch
}

// schema returns the schema of a parameter.
func (p *Param) schema(s *schemas) Schema {
	if list, ok := reflect.Zero(p.Type).Interface().(structured); ok {
		sch := Schema{"type": "array", "items": list.Item()}
		if n, err := strconv.Atoi(p.Max); err == nil {
			sch["minItems"], sch["maxItems"] = 1, n
		}
		return sch
	}
	if p.item != nil { // of a JSON object: a text with commas, which all models write
		sch := Schema{"type": "string"}
		if p.Default != "" {
			sch["default"] = p.Default
		}
		return sch
	}
	sch := s.schemaOf(p.Type)
	if sch["type"] == "string" && sch["enum"] == nil && !p.unmarshals {
		sch["maxLength"] = p.maxLength()
	}
	for key, raw := range map[string]string{"minimum": p.Min, "maximum": p.Max, "exclusiveMinimum": p.Above} {
		if n, err := strconv.ParseFloat(raw, 64); err == nil && sch["type"] != "string" {
			sch[key] = n
		}
	}
	if p.Default != "" {
		sch["default"] = p.typed(p.Default)
	}
	return sch
}

// structured is the type of a member of a body that is a list of objects. Its text is JSON. Item returns the
// schema of an object.
type structured interface{ Item() Schema }

// Structured reports whether the parameter is a list of objects in JSON.
func (p *Param) Structured() bool {
	_, is := reflect.Zero(p.Type).Interface().(structured)
	return is
}

// Schema returns the JSON Schema of the parameter's value.
func (p *Param) Schema() Schema {
	types := newSchemas()
	if p.item != nil {
		return p.listSchema(types)
	}
	return p.schema(types)
}

// typed returns a value of the parameter with its JSON type.
func (p *Param) typed(text string) any {
	switch p.Type.Kind() {
	case reflect.Int, reflect.Float64:
		return json.Number(text)
	case reflect.Bool:
		return text == "true"
	}
	return text
}
