package spelling

import (
	"regexp"
	"strings"
)

// house matches the number of a house at the beginning of an address: 11, 2 b, 12 bis, 4-6.
var house = regexp.MustCompile(`(?i)^[0-9]+(?:[ /-]*(?:bis|ter|quater|[a-z]|[0-9]+))?[ ,]+`)

// Street returns the name of the street that a line of an address begins with, without the number of the house, for
// people. It is "" for a line of something else, such as a hamlet, and for languages whose streets it does not know.
func Street(line string, l Language) string {
	if l != French {
		return ""
	}
	name := house.ReplaceAllString(strings.TrimSpace(line), "")
	if end := strings.IndexAny(name, ",;("); end >= 0 {
		name = name[:end]
	}
	name = strings.TrimSpace(Text(strings.ToUpper(name), l))
	kind, rest, _ := strings.Cut(name, " ")
	if rest == "" || !types[strings.ToLower(kind)] {
		return ""
	}
	return name
}
