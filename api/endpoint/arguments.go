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

// BindJSON sets the operation's parameters from the members of a JSON object. The values
// have the types of InputSchema, or can be converted to them (see Param.argumentText).
// Empty input and null count as an empty object, and a member that is null as absent. A
// member that is repeated, or that the operation does not have, is an error.
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

// errNotObject is the error of arguments that are not a JSON object.
var errNotObject = &ParamError{Param: "arguments", Want: "one JSON object"}

// parseMembers splits the object into its members.
func (o *Op[E]) parseMembers(object []byte) (map[string]json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	if text := bytes.TrimSpace(object); len(text) == 0 || string(text) == "null" {
		return given, nil
	}
	err := EachMember(object, func(name string, value json.RawMessage) error {
		if _, twice := given[name]; twice {
			return &ParamError{Param: quote(name), Want: ErrRepeated.Error()}
		}
		if !slices.ContainsFunc(o.Params, func(p Param) bool { return p.Name == name }) {
			return &ParamError{Param: quote(name), Want: "unknown argument; " + o.argumentNames()}
		}
		given[name] = value
		return nil
	})
	if err == ErrNotObject || err == ErrAfterObject {
		err = errNotObject
	}
	return given, err
}

// Errors of EachMember.
var (
	ErrNotObject   = errors.New("it is not a JSON object")
	ErrAfterObject = errors.New("something follows the JSON object")
)

// EachMember calls member for each member of a JSON object, in order. Errors: ErrNotObject, ErrAfterObject and those
// of member.
func EachMember(object []byte, member func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ErrNotObject
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return ErrNotObject
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return ErrNotObject
		}
		if err := member(name.(string), value); err != nil { // names are strings
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return ErrNotObject
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return ErrAfterObject
	}
	return nil
}

// argumentNames lists the parameters for an error message.
func (o *Op[E]) argumentNames() string {
	if len(o.Params) == 0 {
		return "this tool takes no arguments"
	}
	names := make([]string, len(o.Params))
	for i, p := range o.Params {
		names[i] = p.Name
	}
	return "the arguments are " + strings.Join(names, ", ")
}

// argumentText converts a JSON value to the text that Bind takes. Assistants often send a
// number as a string, digits as a number, and a list instead of a string with commas. All
// of these are clear, and accepted. The error says what is allowed.
func (p *Param) argumentText(value json.RawMessage) (string, error) {
	if value[0] != '[' { // a JSON value is not empty
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

// scalarText is argumentText for a value that is not a list.
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
	case c == '-' || c >= '0' && c <= '9':
		return p.numberText(json.Number(value)), nil
	}
	return clip(string(value)), errors.New(p.jsonKind)
}

// numberText formats a number. 1e3 and 10.0, which are whole numbers in JSON, lose their
// exponent and decimals.
func (p *Param) numberText(n json.Number) string {
	if x, err := n.Float64(); err == nil && p.Type.Kind() != reflect.Float64 && x == math.Trunc(x) &&
		math.Abs(x) < 1<<53 {
		return fmt.Sprintf("%.0f", x)
	}
	return n.String()
}

// The JSON types of parameters.
const (
	aText   = "a text"
	aNumber = "a number"
	aBool   = "true or false"
)

// kindOf returns the JSON type of t.
func kindOf(t reflect.Type) string {
	switch newSchemas().schemaOf(t)["type"] {
	case "integer", "number":
		return aNumber
	case "boolean":
		return aBool
	}
	return aText
}

func clip(s string) string { return s[:min(len(s), 4*maxShown)] }

// InputSchema returns the JSON Schema of the object that BindJSON takes.
func (o *Op[E]) InputSchema() Schema {
	types := newSchemas()
	types.refPrefix = "#/$defs/"
	properties, required := o.properties(types, func(*Param) bool { return true })
	s := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return types.withDefs(s)
}

// ToolSchema returns InputSchema with the few keywords that the clients of all models accept. Some clients refuse all
// tools because of another keyword in one of them. Descriptions say what these keywords cannot: an example, and a
// bound that is excluded. BindJSON still checks everything.
func (o *Op[E]) ToolSchema() Schema {
	s := o.InputSchema()
	defs, _ := s["$defs"].(Schema)
	return plainSchema(s, defs)
}

func plainSchema(s, defs Schema) Schema {
	if ref, ok := s["$ref"].(string); ok {
		return plainSchema(defs[strings.TrimPrefix(ref, "#/$defs/")].(Schema), defs)
	}
	plain := Schema{}
	for _, key := range []string{"type", "description", "minimum", "maximum", "default", "required", "additionalProperties"} {
		if value, has := s[key]; has {
			plain[key] = value
		}
	}
	if s["type"] == "string" && s["enum"] != nil {
		plain["enum"] = s["enum"]
	}
	if bound, has := s["exclusiveMinimum"]; has {
		plain["minimum"] = bound
		addToDescription(plain, "More than %v.", bound)
	}
	if examples, ok := s["examples"].([]any); ok {
		addToDescription(plain, "Example: %v", examples[0])
	}
	if items, ok := s["items"].(Schema); ok {
		plain["items"] = plainSchema(items, defs)
	}
	if of, ok := s["properties"].(Schema); ok {
		properties := Schema{}
		for name, one := range of {
			properties[name] = plainSchema(one.(Schema), defs)
		}
		plain["properties"] = properties
	}
	return plain
}

// addToDescription adds to the description of a schema.
func addToDescription(s Schema, format string, value any) {
	before, _ := s["description"].(string)
	s["description"] = strings.TrimSpace(before + " " + fmt.Sprintf(format, value))
}

// properties returns the schemas of the parameters that has wants, and the names of those that
// are required.
func (o *Op[E]) properties(types *schemas, has func(*Param) bool) (properties Schema, required []string) {
	properties, required = Schema{}, []string{}
	for i := range o.Params {
		p := &o.Params[i]
		if !has(p) {
			continue
		}
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
	return properties, required
}

// OutputSchema returns the JSON Schema of the operation's result.
func (o *Op[E]) OutputSchema() Schema {
	types := newSchemas()
	types.refPrefix = "#/$defs/"
	t := o.Result
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := types.schemaOf(t)
	if ref, ok := s["$ref"].(string); ok { // the outermost schema must state its type
		name := strings.TrimPrefix(ref, types.refPrefix)
		s = types.byName[name]
		delete(types.byName, name)
	}
	return types.withDefs(s)
}

// withDefs adds to a schema those that it refers to.
func (s *schemas) withDefs(root Schema) Schema {
	if len(s.byName) > 0 {
		root["$defs"] = s.byName
	}
	return root
}
