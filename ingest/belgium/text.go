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

// A text is a JSON string or number; null is "".
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

// published returns the text without HTML entities, control characters and surrounding
// blanks.
func (t text) published() string {
	s := string(t)
	if strings.Contains(s, ";") { // HTML allows entities without one; "A&B" must not become one
		s = html.UnescapeString(s)
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}

// words is published with single blanks.
func (t text) words() string { return strings.Join(strings.Fields(t.published()), " ") }

// An address is a source's description of a place.
type address struct {
	place  string // name of the building
	street string // with the number
	// town is the postal code and town together, if they cannot be split or are more than
	// one.
	town, postal, city string
	more               string // further postal codes, with "/" in between
}

// towns matches one or more "9000 Gent", separated by " / ".
const towns = `([1-9][0-9]{3}) ([^0-9/,]+)((?:/ ?[1-9][0-9]{3} [^0-9/,]+)*)`

var (
	townsOnly = regexp.MustCompile(`^` + towns + `$`)
	// The comma may be missing after a house number.
	postalCode     = regexp.MustCompile(`[0-9]{4}`)
	streetAndTowns = regexp.MustCompile(`^(?:(.*[^ ,]) ?,|(.*[0-9][^ ,]*)) ?(` + towns + `)$`)
)

// splitAddress splits "street number, postcode TOWN" of the register. It does not split
// other forms.
func splitAddress(whole string) address {
	m := streetAndTowns.FindStringSubmatch(whole)
	if m == nil && townsOnly.MatchString(whole) {
		return splitTown(whole)
	}
	if m == nil {
		return address{street: whole}
	}
	a := splitTown(m[3])
	a.street = m[1] + m[2] // one of them
	return a
}

// splitTown splits "postcode TOWN". Of several it returns all postal codes, the first town,
// and the whole text.
func splitTown(whole string) address {
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
