package main

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/httpapi/ogc"
	"relais/mcp/tools"
)

// private matches the names that personal data has in sources, in what clients send and in
// our records.
var private = regexp.MustCompile(
	`(?i)user|e-?mail|phone|serial|imei|imsi|device_?id|^ip$|ip_?addr|contact|gps|exif|password|secret|token`)

// harmless are members that only look as if they held personal data, and why they may be shown.
var harmless = map[string]string{
	"deleteToken":            "deletes one photo, and is shown once, to the client that sent the photo",
	"gpsImgDirectionDegrees": "the direction in which a photo was taken, which the contract lists; its position is never kept",
}

// byUser ends the names of texts that people wrote: who wrote them is not said.
const byUser = "ByUser"

// A leak is a place in an answer where personal data could be.
type leak struct{ path, why string }

// A walk looks at every member that a type has in JSON.
type walk struct {
	seen    map[reflect.Type]bool
	members int
	leaks   []leak
}

func (w *walk) leak(path, why string) { w.leaks = append(w.leaks, leak{path, why}) }

func (w *walk) value(path string, t reflect.Type) {
	if t == reflect.TypeFor[time.Time]() || w.seen[t] {
		return
	}
	w.seen[t] = true
	if t == reflect.TypeFor[json.RawMessage]() {
		w.leak(path, "can be any JSON")
		return
	}
	switch t.Kind() {
	case reflect.Map, reflect.Pointer, reflect.Slice, reflect.Array:
		w.value(path, t.Elem())
	case reflect.Interface:
		w.leak(path, "can be any value")
	case reflect.Struct:
		w.fields(path, t)
	}
}

func (w *walk) fields(path string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			w.value(path, f.Type)
		case !f.IsExported(), name == "-":
		case name == "":
			w.leak(path+"."+f.Name, "has no name in JSON")
		default:
			w.member(path+"."+name, name, f.Type)
		}
	}
	if p, ok := reflect.Zero(t).Interface().(interface {
		Patterns() map[string]reflect.Type
	}); ok {
		for pattern, t := range p.Patterns() {
			w.member(path+"."+pattern, pattern, t)
		}
	}
}

func (w *walk) member(path, name string, t reflect.Type) {
	w.members++
	if private.MatchString(strings.TrimSuffix(name, byUser)) && harmless[name] == "" {
		w.leak(path, "has the name of personal data")
	}
	w.value(path, t)
}

// leaks walks a result as it is declared: what it looks like in JSON, or in each content type
// that it has.
func leaks(d endpoint.Decl, result reflect.Type) *walk {
	w := &walk{seen: map[reflect.Type]bool{}}
	for _, name := range d.Columns {
		w.member(" file."+name, name, reflect.TypeFor[string]())
	}
	for contentType, t := range d.Shapes {
		w.value(contentType, t)
	}
	if d.Shapes == nil && result != reflect.TypeFor[*endpoint.Answer]() {
		w.value("", result)
	}
	return w
}

// No operation, no tool and no webhook has a member for what must never be shown.
func TestNoPrivateMembers(t *testing.T) {
	walks := map[string]*walk{}
	for _, op := range append(api.Operations(), ogc.Operations()...) {
		walks[op.Name] = leaks(op.Decl, op.Result)
	}
	for _, tool := range tools.All() {
		walks[tool.Name] = leaks(tool.Decl, tool.Result)
	}
	for name, data := range api.HookShapes() {
		walks["webhook "+name] = leaks(endpoint.Decl{}, data)
	}
	for name, w := range walks {
		for _, l := range w.leaks {
			t.Errorf("%s: %s %s", name, l.path, l.why)
		}
		if w.members == 0 {
			t.Errorf("%s: no member was looked at", name)
		}
	}
}

// The walk finds what it is there to find.
func TestLeaksAreFound(t *testing.T) {
	type inner struct {
		Email string `json:"email"`
	}
	type Embedded struct {
		Mail string `json:"e-mail"`
	}
	for _, c := range []struct {
		name string
		in   any
		path string
		why  string
	}{
		{"named", struct {
			A string `json:"userId"`
		}{}, ".userId", "has the name of personal data"},
		{"in a list of a map", struct {
			A map[string][]*inner `json:"a"`
		}{}, ".a.email", "has the name of personal data"},
		{"embedded", struct{ Embedded }{}, ".e-mail", "has the name of personal data"},
		{"raw", struct {
			A json.RawMessage `json:"a"`
		}{}, ".a", "can be any JSON"},
		{"anything", struct {
			A map[string]any `json:"a"`
		}{}, ".a", "can be any value"},
		{"without a name", struct{ Secret string }{}, ".Secret", "has no name in JSON"},
		{"text by an unnamed person", struct {
			A string `json:"emailByUser"`
		}{}, ".emailByUser", "has the name of personal data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := leaks(endpoint.Decl{}, reflect.TypeOf(c.in))
			if len(w.leaks) != 1 || w.leaks[0] != (leak{c.path, c.why}) {
				t.Errorf("got %v, want %v", w.leaks, leak{c.path, c.why})
			}
		})
	}
}
