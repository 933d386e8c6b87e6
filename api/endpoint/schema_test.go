package endpoint

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type colour string

func (colour) Values() []string { return []string{"red", "green"} }

type leaf struct {
	Name  string `json:"name" doc:"What it is called."`
	Inner *leaf  `json:"inner"`
}

type pair[T any] struct {
	One T `json:"one"`
}

type base struct {
	ID string `json:"id"`
}

type everything struct {
	base
	Text    string         `json:"text"`
	Number  float64        `json:"number"`
	Whole   uint16         `json:"whole"`
	Yes     bool           `json:"yes"`
	Colour  colour         `json:"colour"`
	Either  *colour        `json:"either"`
	Null    *string        `json:"null"`
	Absent  *string        `json:"absent,omitempty"`
	List    []leaf         `json:"list"`
	Box     [4]float64     `json:"box"`
	Counts  map[string]int `json:"counts"`
	Generic pair[int]      `json:"generic"`
	Hidden  string         `json:"-"`
}

// The schema is written out here by hand, from JSON Schema 2020-12.
func TestSchemaOf(t *testing.T) {
	s := newSchemas()
	text, err := json.Marshal(s.schemaOf(reflect.TypeFor[*everything]()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), `{"anyOf":[{"$ref":"#/components/schemas/everything"},{"type":"null"}]}`; got != want {
		t.Errorf("schema of a pointer = %s, want %s", got, want)
	}
	text, err = json.Marshal(s.byName)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
	"leaf": {"type": "object", "required": ["inner", "name"], "properties": {
		"name": {"type": "string", "description": "What it is called."},
		"inner": {"anyOf": [{"$ref": "#/components/schemas/leaf"}, {"type": "null"}]}}},
	"everything": {"type": "object",
		"required": ["box", "colour", "counts", "either", "generic", "id", "list", "null", "number", "text", "whole", "yes"],
		"properties": {
			"id": {"type": "string"}, "text": {"type": "string"}, "number": {"type": "number"},
			"whole": {"type": "integer"}, "yes": {"type": "boolean"},
			"colour": {"type": "string", "enum": ["red", "green"]},
			"either": {"anyOf": [{"type": "string", "enum": ["red", "green"]}, {"type": "null"}]},
			"null": {"type": ["string", "null"]}, "absent": {"type": "string"},
			"list": {"type": "array", "items": {"$ref": "#/components/schemas/leaf"}},
			"box": {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
			"counts": {"type": "object", "additionalProperties": {"type": "integer"}},
			"generic": {"type": "object", "required": ["one"], "properties": {"one": {"type": "integer"}}}}}}`
	var got, wanted any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
}

// Two types of one name have two names in the document, and one that JSON cannot hold has none.
func TestSchemaNames(t *testing.T) {
	type leaf struct {
		Other int `json:"other"`
	}
	s := newSchemas()
	first, second := s.schemaOf(outerLeaf)["$ref"], s.schemaOf(reflect.TypeFor[leaf]())["$ref"]
	if first != "#/components/schemas/leaf" || second != "#/components/schemas/leaf2" {
		t.Errorf("names = %v and %v, want leaf and leaf2", first, second)
	}
	if again := s.schemaOf(outerLeaf)["$ref"]; again != first {
		t.Errorf("the same type again = %v, want %v", again, first)
	}
	defer func() {
		if recover() == nil {
			t.Error("the schema of a function was made, want a panic")
		}
	}()
	s.schemaOf(reflect.TypeFor[func()]())
}

var outerLeaf = reflect.TypeFor[leaf]()
