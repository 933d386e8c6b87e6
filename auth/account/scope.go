package account

import (
	"fmt"
	"slices"
	"strings"
)

// A Scope is what a program may do for a person.
type Scope string

// The scopes: Read allows to use the tools and see what the person submitted, Write to submit in
// the person's name. Neither includes the other.
const (
	Read  Scope = "mcp:read"
	Write Scope = "mcp:write"
)

// Scopes lists the scopes.
var Scopes = []Scope{Read, Write}

// ParseScopes reads scopes separated by blanks, as OAuth writes them. An empty text means all
// scopes. The result is in the order of Scopes. Error: ErrScope.
func ParseScopes(text string) ([]Scope, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Scopes, nil
	}
	for _, w := range words {
		if !slices.Contains(Scopes, Scope(w)) {
			return nil, fmt.Errorf("%w: %.50q is not one of %s", ErrScope, w, JoinScopes(Scopes))
		}
	}
	var list []Scope
	for _, s := range Scopes {
		if slices.Contains(words, string(s)) {
			list = append(list, s)
		}
	}
	return list, nil
}

// JoinScopes is the reverse of ParseScopes.
func JoinScopes(list []Scope) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, " ")
}

// containsAll reports whether list has all the wanted scopes.
func containsAll(list, wanted []Scope) bool {
	return !slices.ContainsFunc(wanted, func(s Scope) bool { return !slices.Contains(list, s) })
}
