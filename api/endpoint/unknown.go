package endpoint

import (
	"slices"

	"relais/internal/fold"
)

// UnknownParam returns the error of a query parameter that the operation does not have. It
// names the one that is meant if the name is alike, and lists all. If a misspelt name were
// ignored, the answer would be to another question.
func (o *Op[E]) UnknownParam(name string) *ParamError {
	var known []string
	for i := range o.Params {
		if o.Params[i].In == "query" {
			known = append(known, o.Params[i].Name)
		}
	}
	e := &ParamError{Param: quote(name), Allowed: known, Want: "unknown parameter; this route takes no parameters"}
	if isPlain(name) {
		e.Param = name
	}
	if alike := fold.Alike(name, known); alike != "" {
		e.Want = "unknown parameter; the nearest is " + alike
	} else if len(known) > 0 {
		e.Want = "unknown parameter; allowed lists the parameters of this route"
	}
	return e
}

// Accepts reports whether the operation has a query parameter of this name.
func (o *Op[E]) Accepts(name string) bool {
	return slices.ContainsFunc(o.Params, func(p Param) bool { return p.In == "query" && p.Name == name })
}
