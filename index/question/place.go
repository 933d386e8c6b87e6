package question

import (
	"regexp"
	"slices"
	"strings"

	"relais/internal/fold"
)

var (
	ordinal = regexp.MustCompile(
		`^(.*\D) ?\b0?([1-9]|[1-9][0-9])(?:e|er|re|eme|ieme|nd|nde|st|rd|th)?(?: arrondissement| arr\.?| district)?$`)
	codeFirst = regexp.MustCompile(`^(\d{4,5}) (\pL[\pL ,-]+)$`)
	countryS  = regexp.MustCompile(`^(.+?)(,| ) ?([a-z]+)$`)
)

// Places returns the ways to write the name of a place, the most usual one for the registers
// first: Paris 15e is PARIS 15, Lyon 3 LYON 03, and "Rennes, France" is Rennes.
func Places(text string) (list []string) {
	add := func(name string) {
		if name = strings.Trim(name, " ,"); name != "" {
			list = appendNew(list, name)
		}
	}
	name := fold.String(text)
	if m := countryS.FindStringSubmatch(name); m != nil && countries[m[3]] != "" && (m[2] == "," || !endsInLink(m[1])) {
		defer func() { list = appendNew(list, name) }()
		text = m[1]
	}
	text = strings.Trim(fold.String(text), " ,")
	if m := ordinal.FindStringSubmatch(text); m != nil && !endsInLink(m[1]) {
		city := strings.Trim(m[1], " ,")
		add(city + " " + strings.Repeat("0", 2-len(m[2])) + m[2])
	}
	if m := codeFirst.FindStringSubmatch(text); m != nil { // 35000 Rennes
		add(m[2] + " " + m[1])
	}
	add(text)
	add(strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " ")), " "))
	return list
}

func endsInLink(text string) bool {
	all := strings.Fields(text)
	return len(all) > 0 && links[all[len(all)-1]]
}

// Country returns the country that a text ends with, or "".
func Country(text string) string {
	m := countryS.FindStringSubmatch(fold.String(text))
	if m == nil || m[2] != "," && endsInLink(m[1]) {
		return ""
	}
	return countries[m[3]]
}

// Shorter returns parts of a text that may name the place in which something is: for "gare de
// Rennes" it is Rennes. The longest come first; the whole text is not among them.
func Shorter(text string) (list []string) {
	all := split(text)
	for i := 1; i < len(all); i++ {
		if !leading[all[i]] && all[i] != "," {
			list = append(list, strings.ReplaceAll(strings.Join(all[i:], " "), " ,", ","))
		}
	}
	if m := ordinal.FindStringSubmatch(fold.String(text)); m != nil && !endsInLink(m[1]) { // Paris of Paris 15e
		list = append(list, strings.Trim(m[1], " ,"))
	}
	if at := slices.Index(all, ","); at > 0 {
		list = append(list, strings.Join(all[:at], " "))
	}
	return list
}
