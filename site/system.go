package site

import (
	"cmp"
	"strings"
)

// CompareSystems orders systems of one generation: by the number of their band,
// then by name.
func CompareSystems(a, b string) int {
	return cmp.Or(cmp.Compare(Band(a), Band(b)), cmp.Compare(a, b))
}

// Band returns the band in MHz at the end of a system's name, 0 where it has none.
func Band(system string) int {
	n := 0
	for _, c := range []byte(system[strings.LastIndexByte(system, ' ')+1:]) {
		if c < '0' || c > '9' || n > 1e6 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
