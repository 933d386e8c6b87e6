package site

import (
	"cmp"
	"strings"
)

// CompareSystems orders systems of one generation: by the number of their band,
// then by name.
func CompareSystems(a, b string) int {
	return cmp.Or(cmp.Compare(band(a), band(b)), cmp.Compare(a, b))
}

// band returns the number at the end of a system's name, or 0.
func band(system string) int {
	n := 0
	for _, c := range []byte(system[strings.LastIndexByte(system, ' ')+1:]) {
		if c < '0' || c > '9' || n > 1e6 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
