package belgium

import (
	"encoding/json"
	"errors"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A text is a JSON string or number, or null, which is "".
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(t))
	case b[0] == '-' || b[0] >= '0' && b[0] <= '9':
		*t = text(b)
	case b[0] == 'n':
		*t = ""
	default:
		return errors.New("neither text nor number")
	}
	return nil
}

// published returns the text as it is meant: without HTML's entities, controls and
// blanks at the ends.
func (t text) published() string {
	s := string(t)
	if strings.Contains(s, ";") { // HTML also knows entities without one, which "A&B" must not be
		s = html.UnescapeString(s)
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}

// words is published with one blank between the words.
func (t text) words() string { return strings.Join(strings.Fields(t.published()), " ") }

// An address is what a source says of a place in words.
type address struct {
	place  string // what stands there
	street string // with the number
	// town is the postal code and name of the town, where they are not told apart
	// or are more than one.
	town, postal, city string
	more               string // further postal codes, with "/" in between
}

// towns are one or more "9000 Gent", with " / " in between.
const towns = `([1-9][0-9]{3}) ([^0-9/,]+)((?:/ ?[1-9][0-9]{3} [^0-9/,]+)*)`

var (
	townsOnly = regexp.MustCompile(`^` + towns + `$`)
	// The comma may be missing behind a house number.
	postalCode     = regexp.MustCompile(`[0-9]{4}`)
	streetAndTowns = regexp.MustCompile(`^(?:(.*[^ ,]) ?,|(.*[0-9][^ ,]*)) ?(` + towns + `)$`)
)

// located splits "street number, postcode TOWN" of the register; what is in another
// form is left together.
func located(whole string) address {
	m := streetAndTowns.FindStringSubmatch(whole)
	if m == nil && townsOnly.MatchString(whole) {
		return inTown(whole)
	}
	if m == nil {
		return address{street: whole}
	}
	a := inTown(m[3])
	a.street = m[1] + m[2] // one of them
	return a
}

// inTown splits "postcode TOWN". Of several the postal codes are kept, the first's town,
// and the whole.
func inTown(whole string) address {
	m := townsOnly.FindStringSubmatch(whole)
	if m == nil {
		return address{town: whole}
	}
	a := address{postal: m[1], city: strings.TrimSpace(m[2])}
	if m[3] != "" {
		a.town = whole
	}
	var more []string
	for _, code := range postalCode.FindAllString(m[3], -1) { // no town has digits
		if code != a.postal && !slices.Contains(more, code) {
			more = append(more, code)
		}
	}
	a.more = strings.Join(more, "/")
	return a
}
