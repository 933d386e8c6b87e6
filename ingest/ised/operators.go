package ised

import (
	"html"
	"slices"
	"strings"
	"unicode"

	"relais/internal/fold"
)

// licensees maps words in licensees' names to operators. Other names belong to regional
// carriers.
var licensees = []struct{ words, operator string }{
	{"bell mobility", "BELL"}, {"bell mobilite", "BELL"}, {"bell canada", "BELL"}, {"bell aliant", "BELL"},
	{"bell aws", "BELL"}, {"bell mts", "BELL"}, {"mts", "BELL"},
	{"rogers", "ROGERS"}, {"fido", "ROGERS"},
	{"telus", "TELUS"},
	{"videotron", "VIDEOTRON_FREEDOM"}, {"freedom", "VIDEOTRON_FREEDOM"}, {"wind mobile", "VIDEOTRON_FREEDOM"},
}

// forms are the legal forms at the end of a company's name.
var forms = []string{"inc", "incorporated", "ltd", "ltee", "limited", "limitee", "corp", "corporation"}

// operatorKey returns the operator of a licensee. Only whole words count, joined or apart:
// Campbell and Bellevue are not Bell. "Bell" alone is the operator, but with other words
// it is another company, such as a maker of helicopters.
func operatorKey(licensee string) string {
	words := strings.FieldsFunc(fold.String(html.UnescapeString(licensee)),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, l := range licensees {
		wanted := strings.Fields(l.words)
		if slices.Contains(words, strings.Join(wanted, "")) {
			return l.operator
		}
		for i := range words {
			if end := i + len(wanted); end <= len(words) && slices.Equal(words[i:end], wanted) {
				return l.operator
			}
		}
	}
	if len(words) > 0 && words[0] == "bell" &&
		!slices.ContainsFunc(words[1:], func(w string) bool { return !slices.Contains(forms, w) }) {
		return "BELL"
	}
	return "REGIONAL"
}

// operator returns the index of a licensee's operator. It parses each spelling once.
func (c *country) operator(raw []byte) uint8 {
	if i, ok := c.operatorOf[string(raw)]; ok {
		return i
	}
	at, _ := c.market.Operator(operatorKey(string(raw)))
	if cacheable(len(c.operatorOf), raw) {
		c.operatorOf[string(raw)] = uint8(at)
	}
	return uint8(at)
}

// cacheable bounds the memory of a cache of spellings: a hostile file could have a new,
// long one in each row.
func cacheable(entries int, key []byte) bool { return entries < 10000 && len(key) <= 128 }
