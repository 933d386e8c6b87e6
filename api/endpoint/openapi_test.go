package endpoint

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

func TestOpenAPI(t *testing.T) {
	text, err := json.Marshal(OpenAPI(Info{Title: "x",
		Problems: []Problem{{"NOT_FOUND", 404, "Gone."}, {"INVALID", 400, "Bad."},
			{"EXTERNAL_THING_FAILED", 500, "Oh."}}, Common: []string{"INVALID"}}, []*Op[string]{op}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"openapi":"3.1.0"`,
		`"/things/{id}":{"get":{`,
		`{"description":"Which.","in":"path","name":"id","required":true,"schema":{"maxLength":5,"type":"string"}}`,
		`"name":"limit","schema":{"default":20,"maximum":100,"minimum":1,"type":"integer"}`,
		`"name":"color","schema":{"default":"RED","enum":["RED","BLUE"],"type":"string"}`,
		`"example":4.5`, `"exclusiveMinimum":0`,
		`"size":{"type":["integer","null"]}`, `"near":{"type":"integer"}`, `"required":["color","id","parts","size"]`,
		`"patternProperties":{"^width[A-Z]":{"type":["integer","null"]}}`,
		`"404":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}},"description":"NOT_FOUND: Gone.",`,
		`"400":{`, `"500":{`, `"x-scope":"things:read"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the document lacks %s", want)
		}
	}
	if strings.Contains(string(text), "priv") {
		t.Error("the document shows a private field")
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}

type filing struct {
	ID    string `param:"id"`
	Title string `param:"title" in:"body" required:"true" max:"20" doc:"What it is called." example:"A title"`
	Color color  `param:"color" in:"body"`
	Note  string `param:"note" in:"body" lines:"true"`
}

type filed struct{ body }

var fileOp = New(Decl{Name: "things.file", Method: "POST", Path: "/things/{id}", FailureName: "THING", Status: 201,
	Body: &Body{Type: Form, File: "file", FileDoc: "The thing."}, Location: func(any) string { return "" }},
	func(env string, _ context.Context, p *filing) (*filed, error) { return &filed{}, nil })

func TestBodyMembers(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   map[string]string
	}{
		{"title: it must be given", map[string]string{"id": "x"}},
		{`note: "a\x00" is not allowed; text without control characters`,
			map[string]string{"title": "T", "note": "a\x00"}},
		{`title: "a\nb" is not allowed; text without control characters`, map[string]string{"title": "a\nb"}},
		{`color: "green" is not allowed; one of RED, BLUE`, map[string]string{"title": "T", "color": "green"}},
		{"", map[string]string{"title": "T", "note": "a\r\nb\tc"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := fileOp.Bind(lookup(tt.in))
			if (err == nil) != (tt.name == "") || err != nil && err.Error() != tt.name {
				t.Errorf("%v: error %v, want %s", tt.in, err, tt.name)
			}
		})
	}
	doc := OpenAPI(Info{}, []*Op[string]{fileOp})
	text, err := json.Marshal(doc["paths"])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"requestBody":{"content":{"multipart/form-data":{"schema":{"properties":{"color":`,
		`"file":{"description":"The thing.","format":"binary","type":"string"}`,
		`"required":["title","file"]`,
		`"parameters":[{"description":"","in":"path","name":"id"`,
		`"Location":{`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the document lacks %s: %s", want, text)
		}
	}
	if strings.Contains(string(text), `"304"`) || strings.Contains(string(text), `"ETag"`) {
		t.Error("what changes something has no ETag")
	}
}
