package endpoint

import (
	"slices"

	"relais/internal/fold"
)

// A ScopeBy is the scope that a key must have instead of the usual one if a parameter has one of some
// values.
type ScopeBy struct {
	Param  string
	Values []string
	Scope  string
}

// ScopeOf returns the scope that a key must have for a call with the parameters that get returns.
// They need not be valid: Bind checks them later.
func (o *Op[E]) ScopeOf(get Lookup) string {
	by := o.ScopeBy
	if by == nil {
		return o.Scope
	}
	i := slices.IndexFunc(o.Params, func(p Param) bool { return p.Name == by.Param })
	value, _ := get(&o.Params[i])
	if value == "" {
		value = o.Params[i].Default
	}
	if slices.ContainsFunc(by.Values, func(v string) bool { return fold.EqualASCII(v, value) }) {
		return by.Scope
	}
	return o.Scope
}

// Scopes lists the scopes that calls need, none if they need no key.
func (o *Op[E]) Scopes() []string {
	switch {
	case o.Scope == "":
		return nil
	case o.ScopeBy == nil:
		return []string{o.Scope}
	}
	return []string{o.Scope, o.ScopeBy.Scope}
}
