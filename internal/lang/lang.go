// Package lang has the languages of the pages for people, with their rules for numbers and dates, and chooses that
// of a reader. The texts are with the pages.
package lang

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
)

// A Language is one that all pages for the public have.
type Language struct {
	Tag  string // as in HTML and in the parameter lang
	Name string // in the language itself
	// Thousands stands between groups of three digits, Decimal before decimals.
	Thousands, Decimal string
	// NoneIsOne says that 0 takes the form of 1, not that of several.
	NoneIsOne bool
	// FirstDay writes the first day of a month, Day another one, with a verb for its number.
	FirstDay, Day string
}

// All are the languages. Readers of none of them get the first.
var All = []Language{
	{"en", "English", ",", ".", false, "%d", "%d"},
	{"fr", "Français", "\u202f", ",", true, "%der", "%d"},
	{"nl", "Nederlands", ".", ",", false, "%d", "%d"},
	{"de", "Deutsch", ".", ",", false, "%d.", "%d."},
}

var matcher = func() language.Matcher {
	var tags []language.Tag
	for _, l := range All {
		tags = append(tags, language.Make(l.Tag))
	}
	return language.NewMatcher(tags)
}()

// Get returns the language with a tag, or else the first.
func Get(tag string) *Language {
	return &All[max(0, slices.IndexFunc(All, func(l Language) bool { return l.Tag == tag }))]
}

// Tags lists the tags of all languages.
func Tags() []string {
	tags := make([]string, len(All))
	for i := range All {
		tags[i] = All[i].Tag
	}
	return tags
}

// Number writes a whole number, in groups of three digits.
func (l *Language) Number(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + l.Thousands + digits[at:]
	}
	return digits
}

const maxHeader = 200 // bytes of the header that are looked at

// For returns the language that a reader states, or else the best of the wishes, tags in their order, or else the one
// that the browser asks for.
func For(stated string, r *http.Request, wishes ...string) *Language {
	if l := Get(stated); l.Tag == stated {
		return l
	}
	_, i, _ := matcher.Match(accepted(strings.Join(append(wishes, r.Header.Get("Accept-Language")), ","))...)
	return &All[i]
}

// accepted returns the tags of a header, the most wanted first. It leaves out entries that are invalid.
func accepted(header string) []language.Tag {
	if len(header) > maxHeader {
		header = header[:1+strings.LastIndexByte(header[:maxHeader], ',')]
	}
	var valid []string
	for entry := range strings.SplitSeq(header, ",") {
		if _, _, err := language.ParseAcceptLanguage(entry); err == nil {
			valid = append(valid, entry)
		}
	}
	tags, _, _ := language.ParseAcceptLanguage(strings.Join(valid, ",")) // fails when an entry does
	return tags
}
