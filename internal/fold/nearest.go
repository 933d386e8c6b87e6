package fold

import "strings"

// Nearest returns the name in names, which must not be empty, with the smallest edit
// distance to name. Case, hyphens and underscores are ignored. A name that is the beginning
// of the other has distance 1.
func Nearest(name string, names []string) string {
	best, _ := nearest(name, names)
	return best
}

// Alike returns the nearest name in names if name may be a misspelling of it, else "": the
// distance must be less than half the length of name.
func Alike(name string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	best, distance := nearest(name, names)
	if 2*distance >= len(plainName(name)) {
		return ""
	}
	return best
}

func nearest(name string, names []string) (best string, least int) {
	best, least = names[0], -1
	for _, candidate := range names {
		if n := editDistance(plainName(name), plainName(candidate)); least < 0 || n < least {
			best, least = candidate, n
		}
	}
	return best, least
}

// longestName bounds what is compared: a name may come from anybody.
const longestName = 64

// plainName returns a name as Nearest compares it, cut to longestName bytes.
func plainName(name string) string {
	name = strings.NewReplacer("-", "", "_", "").Replace(name[:min(len(name), longestName)])
	return strings.ToLower(UpperASCII(name))
}

// leastPrefix is the least length of a name that counts as the beginning of another.
const leastPrefix = 3

// editDistance returns the optimal string alignment distance: the number of bytes to
// insert, delete, replace or swap with the next one to turn a into b.
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
