package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type color string

func (color) Values() []string { return []string{"RED", "BLUE"} }

func (c *color) UnmarshalText(b []byte) error {
	for _, v := range c.Values() {
		if strings.EqualFold(v, string(b)) {
			*c = color(v)
			return nil
		}
	}
	return errors.New("one of RED, BLUE")
}

type paging struct {
	Limit int `param:"limit" default:"20" min:"1" max:"100"`
}

type params struct {
	ID    string   `param:"id" max:"5" doc:"Which."`
	Color color    `param:"color" default:"RED"`
	Maybe *color   `param:"maybe"`
	Lat   *float64 `param:"lat" min:"-90" max:"90" code:"INVALID_BBOX" example:"4.5"`
	Km    float64  `param:"km" above:"0" max:"50" default:"1"`
	Any   int      `param:"any"`
	Flag  bool     `param:"flag"`
	paging
}

func (p *params) Check() error {
	if p.Any == 13 {
		return &ParamError{Param: "any", Want: "another number"}
	}
	return nil
}

type thing struct {
	ID    string  `json:"id" doc:"Its id."`
	Size  *int    `json:"size"`
	Color color   `json:"color"`
	Near  *int    `json:"near,omitempty"`
	Parts []thing `json:"parts"`
	priv  int
}

// Patterns tells of members that have a unit in their names.
func (thing) Patterns() map[string]reflect.Type {
	return map[string]reflect.Type{"^width[A-Z]": reflect.TypeFor[*int]()}
}

type body struct {
	Data thing `json:"data"`
}

var op = New(Decl{Name: "things.get", Path: "/things/{id}", Scope: "things:read", FailureName: "THING", Summary: "A thing.",
	ErrorCodes: []string{"NOT_FOUND"}},
	func(env string, _ context.Context, p *params) (*body, error) {
		return &body{thing{ID: fmt.Sprintf("%s %+v", env, *p), priv: 1}}, nil
	})

func lookup(given map[string]string) Lookup {
	return func(p *Param) (string, error) {
		if given[p.Name] == "twice" {
			return "", ErrRepeated
		}
		return given[p.Name], nil
	}
}

func TestBindValues(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		err         string
	}{
		{"id", "abcde", ""}, {"id", "éééée", ""}, {"id", "abcdef", `id: "abcdef" is not allowed; at most 5 characters`},
		{"id", "a\x00b", `id: "a\x00b" is not allowed; text without control characters`},
		{"id", "\xff", `id: "\xff" is not allowed; text in UTF-8`},
		{"id", "\ufffd", ""},
		{"color", "blue", ""}, {"color", "green", `color: "green" is not allowed; one of RED, BLUE`},
		{"limit", "1", ""}, {"limit", "100", ""}, {"limit", "", ""},
		{"limit", "0", `limit: "0" is not allowed; a whole number from 1 to 100`},
		{"limit", "-1", `limit: "-1" is not allowed; a whole number from 1 to 100`},
		{"limit", "101", `limit: "101" is not allowed; a whole number from 1 to 100`},
		{"limit", "1e1", `limit: "1e1" is not allowed; a whole number from 1 to 100`},
		{"limit", "0x10", `limit: "0x10" is not allowed; a whole number from 1 to 100`},
		{"limit", "1.0", `limit: "1.0" is not allowed; a whole number from 1 to 100`},
		{"limit", "+5", `limit: "+5" is not allowed; a whole number from 1 to 100`},
		{"limit", "1_0", `limit: "1_0" is not allowed; a whole number from 1 to 100`},
		{"limit", "１", `limit: "１" is not allowed; a whole number from 1 to 100`},
		{"limit", "99999999999999999999", `limit: "99999999999999999999" is not allowed; a whole number from 1 to 100`},
		{"limit", "twice", "limit: give it once, not several times"},
		{"limit", strings.Repeat("9", 1<<20),
			`limit: "` + strings.Repeat("9", 64) + `"… is not allowed; a whole number from 1 to 100`},
		{"any", "-7", ""}, {"any", "13", "any: another number"},
		{"lat", "-90", ""}, {"lat", "4.5e1", ""},
		{"lat", "90.0001", `lat: "90.0001" is not allowed; a number from -90 to 90`},
		{"lat", "NaN", `lat: "NaN" is not allowed; a number from -90 to 90`},
		{"lat", "Inf", `lat: "Inf" is not allowed; a number from -90 to 90`},
		{"lat", "-Infinity", `lat: "-Infinity" is not allowed; a number from -90 to 90`},
		{"lat", "0x1p4", `lat: "0x1p4" is not allowed; a number from -90 to 90`},
		{"lat", "1e999", `lat: "1e999" is not allowed; a number from -90 to 90`},
		{"km", "0", `km: "0" is not allowed; a number above 0, at most 50`}, {"km", "50", ""}, {"km", "0.001", ""},
		{"flag", "true", ""}, {"flag", "1", ""}, {"flag", "0", ""}, {"flag", "yes", `flag: "yes" is not allowed; true, false, 1 or 0`},
	} {
		_, err := op.Bind(lookup(map[string]string{tt.name: tt.value}))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.err {
			t.Errorf("%s=%.80q: error %q, want %q", tt.name, tt.value, got, tt.err)
		}
	}
	_, err := op.Bind(lookup(map[string]string{"lat": "x"}))
	if p, ok := errors.AsType[*ParamError](err); !ok || p.Code != "INVALID_BBOX" {
		t.Errorf("error %v, want the code INVALID_BBOX", err)
	}
}

func TestCallDo(t *testing.T) {
	call, err := op.Bind(lookup(map[string]string{"id": "x", "lat": "1.5", "limit": "7"}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := call.Do(t.Context(), "env")
	if err != nil || !strings.HasPrefix(got.(*body).Data.ID, "env {ID:x Color:RED Maybe:<nil>") ||
		!strings.Contains(got.(*body).Data.ID, "Km:1 Any:0 Flag:false paging:{Limit:7}") {
		t.Errorf("result = %+v, %v; want the environment, the defaults and limit 7", got, err)
	}
}

// Equal questions have equal keys, other questions have others.
func TestCallKey(t *testing.T) {
	key := func(given map[string]string) string {
		call, err := op.Bind(lookup(given))
		if err != nil {
			t.Fatal(err)
		}
		return call.Key
	}
	plain := key(nil)
	for _, same := range []map[string]string{{"color": "red"}, {"limit": "20"}, {"km": "1.0"}, {"limit": "020"},
		{"flag": "false"}, {"nonsense": "1"}} {
		if key(same) != plain {
			t.Errorf("%v: key %q, want %q", same, key(same), plain)
		}
	}
	seen := map[string]string{plain: "{}"}
	for _, other := range []map[string]string{{"color": "blue"}, {"limit": "21"}, {"maybe": "red"}, {"maybe": "blue"},
		{"lat": "0"}, {"id": "a"}, {"id": "a&any"}, {"any": "1"}, {"id": "a", "any": "1"}} {
		k := key(other)
		if was, ok := seen[k]; ok {
			t.Errorf("%v and %s have the key %q", other, was, k)
		}
		seen[k] = fmt.Sprint(other)
	}
}

type one struct{}

func (one) Check() error { return nil }

type two struct{}

func (two) Check() error { return nil }

// checkOther does not make its struct Checked.
type checkOther struct{}

func (checkOther) Check(string) error { return nil }

type refineOther struct{}

func (refineOther) Refine(int, *Freshness) {}

// What a declaration states is used, or refused when the program starts.
func TestDeclarationsArePrecise(t *testing.T) {
	for _, tt := range []struct {
		name    string
		declare func()
	}{
		{"no tag", func() {
			New(Decl{}, func(string, context.Context, *struct{ X string }) (*body, error) { return nil, nil })
		}},
		{"bad default", func() {
			New(Decl{}, func(string, context.Context, *struct {
				X int `param:"x" default:"one"`
			}) (*body, error) {
				return nil, nil
			})
		}},
		{"an answer with unknown members", func() {
			New(Decl{}, func(string, context.Context, *struct{}) (*Answer, error) { return nil, nil })
		}},
		{"Check with another signature", func() {
			New(Decl{}, func(string, context.Context, *checkOther) (*body, error) { return nil, nil })
		}},
		{"two embedded Checks: Go promotes none", func() {
			New(Decl{}, func(string, context.Context, *struct {
				one
				two
			}) (*body, error) {
				return nil, nil
			})
		}},
		{"Refine of another environment", func() {
			New(Decl{}, func(string, context.Context, *refineOther) (*body, error) { return nil, nil })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: the declaration is taken", tt.name)
					}
				}()
				tt.declare()
			}()
		})
	}
}

// FuzzBind gives any value to any parameter.
func FuzzBind(f *testing.F) {
	f.Add(0, "abc")
	f.Add(3, "-12.5")
	f.Add(5, "0x10")
	f.Fuzz(func(t *testing.T, which int, value string) {
		p := op.Params[((which%len(op.Params))+len(op.Params))%len(op.Params)]
		call, err := op.Bind(lookup(map[string]string{p.Name: value}))
		if err != nil {
			if e, ok := errors.AsType[*ParamError](err); !ok || e.Param != p.Name || len(err.Error()) > 600 {
				t.Errorf("%s=%q: error %v, want a short ParamError of the parameter", p.Name, value, err)
			}
			return
		}
		again, err := op.Bind(lookup(map[string]string{p.Name: value}))
		if err != nil || again.Key != call.Key {
			t.Errorf("%s=%q: keys %q and %q, %v, want %q and no error", p.Name, value, call.Key, again.Key, err,
				call.Key)
		}
	})
}

func BenchmarkBind(b *testing.B) {
	get := lookup(map[string]string{"id": "x", "lat": "1.5", "limit": "7", "color": "blue"})
	for b.Loop() {
		if _, err := op.Bind(get); err != nil {
			b.Fatal(err)
		}
	}
}

func TestMembers(t *testing.T) {
	type inner struct {
		Deep *int `json:"deep" doc:"A number."`
	}
	type answer struct {
		inner
		List  []inner        `json:"list"`
		Texts []string       `json:"texts,omitempty"`
		Table map[string]int `json:"table"`
		Self  *answer2       `json:"self,omitempty"`
		Out   string         `json:"-"`
	}
	op := New(Decl{Name: "x", Path: "/x"}, func(int, context.Context, *struct{}) (*answer, error) { return nil, nil })
	var got []string
	for _, m := range op.Members() {
		got = append(got, fmt.Sprintf("%s %v %v %v %v %s", m.Path, m.Schema["type"], m.List, m.Nullable, m.Optional, m.Doc))
	}
	want := []string{"deep integer false true false A number.", "list[] <nil> true false false ",
		"list[].deep integer false true false A number.", "texts[] string true false true ", "table <nil> false false false ",
		"table.* integer false false false ", "self <nil> false false true ", "self.next <nil> false true false "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// An answer2 contains itself.
type answer2 struct {
	Next *answer2 `json:"next"`
}

func TestScopeOf(t *testing.T) {
	type params struct {
		Market color `param:"market" default:"RED"`
	}
	usual := New(Decl{Name: "usual", Path: "/usual", Scope: "things:read"},
		func(string, context.Context, *params) (*body, error) { return nil, nil })
	by := New(Decl{Name: "by", Path: "/by", Scope: "things:read", ScopeBy: &ScopeBy{"market", []string{"RED"}, "red:read"}},
		func(string, context.Context, *params) (*body, error) { return nil, nil })
	for _, tt := range []struct {
		name, value string
		err         error
		op          *Op[string]
		want        string
	}{
		{"usual", "RED", nil, usual, "things:read"}, {"another value", "BLUE", nil, by, "things:read"},
		{"a value in another case", "red", nil, by, "red:read"}, {"absent", "", nil, by, "red:read"},
		{"empty", "", ErrEmpty, by, "red:read"}, {"unknown", "x", nil, by, "things:read"},
		{"repeated", "BLUE", ErrRepeated, by, "things:read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.op.ScopeOf(func(*Param) (string, error) { return tt.value, tt.err }); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	text, err := json.Marshal(OpenAPI(Info{}, []*Op[string]{by}))
	if want := `"x-scope":"things:read","x-scope-by":{"parameter":"market","scope":"red:read","values":["RED"]}`; err != nil ||
		!strings.Contains(string(text), want) {
		t.Errorf("got %s, %v, want %s in it", text, err, want)
	}
}

// Generators of clients that take the first media type of an answer take JSON.
func TestJSONComesFirst(t *testing.T) {
	got, err := json.Marshal(contents{"text/csv": 1, "application/geo+json": 2, "application/json": 3})
	if want := `{"application/json":3,"application/geo+json":2,"text/csv":1}`; err != nil || string(got) != want {
		t.Errorf("got %s and %v, want %s", got, err, want)
	}
}
