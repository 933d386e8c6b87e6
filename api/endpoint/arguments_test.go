package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func argumentsOp() *Op[string] {
	return New(Decl{Name: "t"}, func(string, context.Context, *params) (*body, error) { return &body{}, nil })
}

var bindJSONCases = []struct{ object, want string }{
	{`[]`, "one JSON object"},
	{`"x"`, "one JSON object"},
	{`{`, "one JSON object"},
	{`{} {}`, "one JSON object"},
	{`{"a"}`, "one JSON object"},
	{`{"limit":"seven"}`, `limit: "seven" is not allowed; a whole number`},
	{`{"limit":"0x7"}`, "whole number"},
	{`{"id":true}`, `id: "true" is not allowed; a text`},
	{`{"flag":2}`, "true, false, 1 or 0"},
	{`{"flag":"yes"}`, "true, false, 1 or 0"},
	{`{"lat":"{}"}`, "a number"},
	{`{"lat":"null"}`, "a number"},
	{`{"limit":"[7]"}`, "whole number"},
	{`{"limit":[1,2]}`, `limit: "[1,2]" is not allowed; a number, not a list`},
	{`{"id":["a",["b"]]}`, "a text"},
	{`{"id":[{}]}`, "a text"},
	{`{"color":["red","blue"]}`, "one of RED, BLUE"},
	{`{"limit":7.5}`, "whole number"},
	{`{"limit":101}`, "from 1 to 100"},
	{`{"lat":1e999}`, "lat"},
	{`{"lat":[[1]]}`, "a number"},
	{`{"id":{}}`, "a text"},
	{`{"zzz":1}`, `"zzz": unknown argument; the arguments are id, color`},
	{`{"id":"a","id":"b"}`, "once"},
	{`{"any":13}`, "another number"},
	{`{"id":"longer than five"}`, "5 characters"},
	{`{"color":"green"}`, "RED, BLUE"},
	{"{\"id\":\"a\x00\"}", "JSON object"},
	{`{"limit":9007199254740993}`, "from 1 to 100"},
}

func TestBindJSON(t *testing.T) {
	op := argumentsOp()
	for _, c := range []struct{ object, want string }{ // want: the canonical key, or what the error mentions
		{``, "t"},
		{` null `, "t"},
		{`{}`, "t"},
		{`{"id":"x","lat":4.5,"limit":7,"flag":true}`, "t&id=1:x&lat=4.5&flag=true&limit=7"},
		{`{"limit":1e1}`, "t&limit=10"},
		{`{"limit":10.0,"lat":-0}`, "t&lat=-0&limit=10"},
		{`{"id":null,"maybe":null}`, "t"},
		{`{"color":"blue"}`, "t&color=4:BLUE"},
		{`{"limit":"7","lat":" 4.5 ","flag":"true"}`, "t&lat=4.5&flag=true&limit=7"},
		{`{"limit":"7.0","lat":"","flag":"False"}`, "t&limit=7"},
		{`{"id":35}`, "t&id=2:35"},
		{`{"id":1e3}`, "t&id=4:1000"},
		{`{"id":-2.5}`, "t&id=4:-2.5"},
		{`{"id":["a","b"],"limit":[9],"lat":["4.5"],"flag":[true]}`, "t&id=3:a,b&lat=4.5&flag=true&limit=9"},
		{`{"flag":"1"}`, "t&flag=true"}, {`{"flag":1}`, "t&flag=true"}, {`{"flag":0}`, "t"},
		{`{"id":[1,null,"b"]}`, "t&id=3:1,b"},
		{`{"id":[],"limit":[null],"color":["red"]}`, "t"},
	} {
		call, err := op.BindJSON([]byte(c.object))
		if err != nil || call.Key != c.want {
			t.Errorf("%s: call %v, error %v, want key %s", c.object, call, err, c.want)
		}
	}
	for _, tt := range bindJSONCases {
		t.Run(tt.object, func(t *testing.T) {
			_, err := op.BindJSON([]byte(tt.object))
			if _, ok := errors.AsType[*ParamError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: error %v, want %s", tt.object, err, tt.want)
			}
		})
	}
}

// The schemas stand alone: whatever they refer to is in them.
func TestToolSchemas(t *testing.T) {
	op := argumentsOp()
	for _, tt := range []struct {
		name string
		s    Schema
	}{
		{"input", op.InputSchema()},
		{"output", op.OutputSchema()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := json.Marshal(tt.s)
			if err != nil || tt.s["type"] != "object" || strings.Contains(string(text), "#/components") {
				t.Errorf("%s: error %v, schema %s; want an object without references to components", tt.name, err, text)
			}
			for rest := string(text); ; {
				_, after, more := strings.Cut(rest, `"$ref":"#/$defs/`)
				if !more {
					break
				}
				ref, after, _ := strings.Cut(after, `"`)
				defs, _ := tt.s["$defs"].(map[string]Schema)
				if defs[ref] == nil {
					t.Errorf("%s refers to %s, which it does not have", tt.name, ref)
				}
				rest = after
			}
		})
	}
	if s := op.InputSchema(); s["additionalProperties"] != false || len(s["properties"].(Schema)) != len(op.Params) {
		t.Errorf("schema = %v, want all parameters and no additional ones", s)
	}
}

// No arguments make a panic, and what is bound binds again to the same.
func FuzzBindJSON(f *testing.F) {
	op := argumentsOp()
	f.Add([]byte(`{"id":"x","lat":4.5,"limit":7,"flag":true,"color":"RED"}`))
	f.Add([]byte(`{"limit":1e400,"lat":null,"id":"\ud800"}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		a, err := op.BindJSON(object)
		if err != nil {
			return
		}
		if b, err := op.BindJSON(object); err != nil || a.Key != b.Key {
			t.Errorf("%q: binding again: %v, want the same key", object, err)
		}
	})
}
