package endpoint

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
)

type listParams struct {
	Words  []string `param:"words" max:"3" default:"all" doc:"Some words."`
	Colors []color  `param:"colors" doc:"Some colours."`
}

func listOp() *Op[string] {
	return New(Decl{Name: "t"}, func(string, context.Context, *listParams) (*body, error) { return &body{}, nil })
}

func bindText(o *Op[string], query string) (*Call[string], error) {
	values, _ := url.ParseQuery(query)
	return o.Bind(func(p *Param) (string, error) { return values.Get(p.Name), nil })
}

// One question has one key: values come in order, and once.
func TestLists(t *testing.T) {
	long := strings.Repeat("é", maxText)
	for _, tt := range []struct{ query, key, failure string }{
		{query: "words=", key: "t"},
		{query: "words=all", key: "t"},
		{query: "words=b,a", key: "t&words=3:a,b"},
		{query: "words=b, a ,b", key: "t&words=3:a,b"},
		{query: "words=" + long, key: "t&words=400:" + long},
		{query: "colors=blue,RED", key: "t&colors=8:BLUE,RED"},
		{query: "words=a,b,c,d", failure: `words: "a,b,c,d" is not allowed; at most 3 values`},
		{query: "words=a,,b", failure: `words: "a,,b" is not allowed; values separated by single commas`},
		{query: "words=" + long + "é", failure: "values of at most 200 characters"},
		{query: "colors=red,green", failure: `colors: "red,green" is not allowed; one of RED, BLUE`},
	} {
		t.Run(tt.query, func(t *testing.T) {
			call, err := bindText(listOp(), tt.query)
			if tt.failure != "" {
				if p := new(ParamError); !errors.As(err, &p) || !strings.Contains(p.Error(), tt.failure) {
					t.Errorf("got %v, want %q", err, tt.failure)
				}
				return
			}
			if err != nil || call.Key != tt.key {
				t.Fatalf("got %v, %v; want %q", call, err, tt.key)
			}
			query := Values("", call.Params()).Encode()
			if again, err := bindText(listOp(), query); err != nil || again.Key != tt.key {
				t.Errorf("%s has the key %v, %v; want %q", query, again, err, tt.key)
			}
		})
	}
}
