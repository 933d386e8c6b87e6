package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
)

// BindJSON sets the operation's parameters from the members of a JSON object, whose
// values have the types that InputSchema states, or say the same in another one (see
// Param.text). No bytes at all and null are an
// object without members. A member that is null is absent; one that the operation
// does not have, or that is there twice, is an error.
func (o *Op[E]) BindJSON(object []byte) (*Call[E], error) {
	given, err := o.parseMembers(object)
	if err != nil {
		return nil, err
	}
	return o.Bind(func(p *Param) (string, error) {
		value, ok := given[p.Name]
		if !ok {
			return "", nil
		}
		return p.argumentText(value)
	})
}

// errNotObject is the error of arguments that are no JSON object.
var errNotObject = &ParamError{Param: "arguments", Want: "one JSON object"}

// parseMembers takes the object apart.
func (o *Op[E]) parseMembers(object []byte) (map[string]json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	if text := bytes.TrimSpace(object); len(text) == 0 || string(text) == "null" {
		return given, nil
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errNotObject
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, errNotObject
		}
		name, _ := t.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, errNotObject
		}
		if _, twice := given[name]; twice {
			return nil, &ParamError{Param: quote(name), Want: ErrRepeated.Error()}
		}
		if !slices.ContainsFunc(o.Params, func(p Param) bool { return p.Name == name }) {
			return nil, &ParamError{Param: quote(name), Want: "there is no such argument; there " + o.argumentNames()}
		}
		given[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, errNotObject
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotObject
	}
	return given, nil
}

// argumentNames lists the parameters for an error.
func (o *Op[E]) argumentNames() string {
	if len(o.Params) == 0 {
		return "are none"
	}
	names := make([]string, len(o.Params))
	for i, p := range o.Params {
		names[i] = p.Name
	}
	return "are " + strings.Join(names, ", ")
}

// argumentText is a JSON value as Bind takes it. Assistants often send a number as a text, a text
// of digits as a number, and a list for several values that a text has with commas in
// between: all of these say clearly what is meant. The error says what is allowed.
func (p *Param) argumentText(value json.RawMessage) (string, error) {
	if value[0] != '[' { // a value has a first byte
		return p.scalarText(value)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return "", errNotObject
	}
	if len(list) > 1 && p.jsonKind != aText {
		return clip(string(value)), fmt.Errorf("%s, not a list of several", p.jsonKind)
	}
	texts := make([]string, 0, len(list))
	for _, one := range list {
		text, err := p.scalarText(one)
		if err != nil {
			return text, err
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ","), nil
}

// scalarText is a JSON value that is no list as Bind takes it.
func (p *Param) scalarText(value json.RawMessage) (string, error) {
	switch c := value[0]; {
	case c == 'n': // null
		return "", nil
	case c == '"':
		var v string
		if err := json.Unmarshal(value, &v); err != nil {
			return "", errNotObject
		}
		if p.jsonKind != aText {
			v = strings.ToLower(strings.TrimSpace(v))
		}
		if p.jsonKind == aNumber && json.Valid([]byte(v)) {
			v = p.numberText(json.Number(v))
		}
		return v, nil
	case (c == 't' || c == 'f') && p.jsonKind == aBool:
		return string(value), nil
	case (c == '-' || c >= '0' && c <= '9') && p.jsonKind != aBool:
		return p.numberText(json.Number(value)), nil
	}
	return clip(string(value)), errors.New(p.jsonKind)
}

// numberText writes a whole number as one: 1e3 and 10.0 are whole numbers in JSON.
func (p *Param) numberText(n json.Number) string {
	if x, err := n.Float64(); err == nil && p.Type.Kind() != reflect.Float64 && x == math.Trunc(x) &&
		math.Abs(x) < 1<<53 {
		return fmt.Sprintf("%.0f", x)
	}
	return n.String()
}

// What a parameter is in JSON.
const (
	aText   = "a text"
	aNumber = "a number"
	aBool   = "true or false"
)

// kindOf is what a value of the type is in JSON.
func kindOf(t reflect.Type) string {
	switch newSchemas().Of(t)["type"] {
	case "integer", "number":
		return aNumber
	case "boolean":
		return aBool
	}
	return aText
}

func clip(s string) string { return s[:min(len(s), 4*maxShown)] }

// InputSchema is the JSON Schema of the object that BindJSON takes.
func (o *Op[E]) InputSchema() Schema {
	types := newSchemas()
	types.refPrefix = "#/$defs/"
	properties, required := Schema{}, []string{}
	for i := range o.Params {
		p := &o.Params[i]
		s := p.schema(types)
		s["description"] = p.Doc
		if p.Example != "" {
			s["examples"] = []any{p.typed(p.Example)}
		}
		properties[p.Name] = s
		if p.Required {
			required = append(required, p.Name)
		}
	}
	s := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return types.withDefs(s)
}

// OutputSchema is the JSON Schema of the operation's result.
func (o *Op[E]) OutputSchema() Schema {
	types := newSchemas()
	types.refPrefix = "#/$defs/"
	t := o.Result
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := types.Of(t)
	if ref, ok := s["$ref"].(string); ok { // the outermost schema states its type
		name := strings.TrimPrefix(ref, types.refPrefix)
		s = types.byName[name]
		delete(types.byName, name)
	}
	return types.withDefs(s)
}

// withDefs is a schema with those that it refers to.
func (s *schemas) withDefs(root Schema) Schema {
	if len(s.byName) > 0 {
		root["$defs"] = s.byName
	}
	return root
}
