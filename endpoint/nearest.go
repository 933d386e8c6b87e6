package endpoint

import (
	"slices"
	"strings"

	"relais/fold"
)

// UnknownParam returns the error of a query parameter that the operation does not have.
// It names the nearest one that it has: a name that is misspelt would else be an
// answer to another question.
func (o *Op[E]) UnknownParam(name string) *ParamError {
	var known []string
	for i := range o.Params {
		if o.Params[i].In == "query" {
			known = append(known, o.Params[i].Name)
		}
	}
	e := &ParamError{Param: quote(name), Allowed: known, Want: "there is no such parameter here; this route has none"}
	if isPlain(name) {
		e.Param = name
	}
	if len(known) > 0 {
		e.Want = "there is no such parameter here; the nearest is " + Nearest(name, known)
	}
	return e
}

// Accepts reports whether the operation has a query parameter of this name.
func (o *Op[E]) Accepts(name string) bool {
	return slices.ContainsFunc(o.Params, func(p Param) bool { return p.In == "query" && p.Name == name })
}

// Nearest returns the name of the list, which is not empty, that takes the fewest
// changes of a character to be written as name. Case, hyphens and underscores do
// not count. A name that the other begins with is one change away.
func Nearest(name string, names []string) string {
	best, least := names[0], -1
	for _, candidate := range names {
		if n := editDistance(plainName(name), plainName(candidate)); least < 0 || n < least {
			best, least = candidate, n
		}
	}
	return best
}

// plainName is a name as Nearest compares it, cut after as much as errors show.
func plainName(name string) string {
	name = strings.NewReplacer("-", "", "_", "").Replace(name[:min(len(name), maxShown)])
	return strings.ToLower(fold.UpperASCII(name))
}

// leastPrefix is the length from which on a name counts as the beginning of another.
const leastPrefix = 3

// editDistance is the number of bytes that are to be put in, left out, replaced or
// swapped with the next one to make b of a (optimal string alignment).
func editDistance(a, b string) int {
	if shorter := min(len(a), len(b)); a != b && shorter >= leastPrefix && a[:shorter] == b[:shorter] {
		return 1
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+substitutionCost(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

func substitutionCost(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
