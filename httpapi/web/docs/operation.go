package docs

import (
	"slices"

	"relais/api"
	"relais/api/endpoint"
)

// An operation is an operation of the API as the page shows it.
type operation struct {
	endpoint.Decl
	Params  []param
	Headers []endpoint.Header  // of its answers, except for those of all answers
	Own     []endpoint.Problem // its errors
	Common  []endpoint.Problem // those of other operations too
	Answer  string             // the example's answer; "" without one
	Members []member           // of answers
	Code    []code
}

func (d *Docs) operation(op *endpoint.Op[*api.Env]) operation {
	v := operation{Decl: op.Decl, Params: newParams(op.Params), Headers: op.Headers(),
		Answer: string(Example(op.Name, d.BaseURL)), Code: codeOf(op, d.BaseURL)}
	v.Members = newMembers(op.Members())
	if op.Body != nil && op.Body.File != "" {
		v.Params = append(v.Params, param{Name: op.Body.File, Where: "body", Type: "file", Doc: op.Body.FileDoc,
			Required: true})
	}
	info := endpoint.Info{Common: api.CommonCodes(), Keyed: api.KeyedCodes(), BodyCodes: api.BodyCodes, Problems: api.Problems()}
	common := slices.Concat(info.Common, info.Keyed, api.BodyCodes(op.Body))
	for _, p := range op.Problems(info) {
		if slices.Contains(common, p.Code) {
			v.Common = append(v.Common, p)
		} else {
			v.Own = append(v.Own, p)
		}
	}
	return v
}

// A param is a parameter as the page shows it.
type param struct {
	Name, Where, Type, Default, Range, Doc, Example string

	Values    []string // that are allowed, nil for any
	MaxLength int      // in characters, 0 for any
	Required  bool
}

// newParams describes parameters.
func newParams(params []endpoint.Param) (list []param) {
	for i := range params {
		p := &params[i]
		schema := p.Schema()
		v := param{Name: p.Name, Where: p.In, Default: p.Default, Doc: p.Doc, Example: p.Example,
			Required: p.Required || p.In == "path", Type: typeOf(schema), Range: rangeOf(p, schema)}
		v.MaxLength, _ = schema["maxLength"].(int)
		v.Values = valuesOf(schema)
		if items, ok := schema["items"].(endpoint.Schema); ok {
			v.Values = valuesOf(items)
		}
		list = append(list, v)
	}
	return list
}

// A member is a member of answers as the page shows it.
type member struct {
	endpoint.Member
	Type   string
	Values []string // that it may have, nil for any
}

// newMembers describes members. Objects that need no explanation are left out.
func newMembers(members []endpoint.Member) (list []member) {
	for _, m := range members {
		switch {
		case m.Schema != nil:
			list = append(list, member{m, typeOf(m.Schema), valuesOf(m.Schema)})
		case m.Doc != "":
			list = append(list, member{Member: m, Type: "object"})
		}
	}
	return list
}

// typeOf names the type of a value.
func typeOf(schema endpoint.Schema) string {
	switch schema["type"] {
	case "integer":
		return "whole number"
	case "number":
		return "number"
	case "boolean":
		return "true or false"
	case "array":
		if items, ok := schema["items"].(endpoint.Schema); ok && items["type"] == "object" {
			return "list of objects"
		}
		return "values with commas"
	}
	return "text"
}

func valuesOf(schema endpoint.Schema) []string {
	values, _ := schema["enum"].([]string)
	return values
}

// rangeOf describes the range of a number.
func rangeOf(p *endpoint.Param, schema endpoint.Schema) string {
	if schema["type"] == "string" || schema["type"] == "array" {
		return ""
	}
	switch {
	case p.Above != "":
		return "> " + p.Above + ", ≤ " + p.Max
	case p.Min != "" && p.Max != "":
		return p.Min + " … " + p.Max
	case p.Min != "":
		return "≥ " + p.Min
	}
	return ""
}
