package account

import (
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

// ParseScopes returns the known scopes of a text that separates them by blanks, as OAuth writes them,
// in the order of Scopes. Of a text without one it is nil.
func ParseScopes(text string) (list []Scope) {
	words := strings.Fields(text)
	for _, s := range Scopes {
		if slices.Contains(words, string(s)) {
			list = append(list, s)
		}
	}
	return list
}

// JoinScopes writes scopes as OAuth does.
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
