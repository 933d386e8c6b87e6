// Package spelling makes the texts of registers readable. Registers write addresses and towns in capitals and without
// accents. Here they get the capitals that a reader expects, French particles and abbreviations are written as usual,
// and communes of France are spelled as INSEE spells them. Only what people see goes through it: data, searches and
// answers of the API have the register's text.
package spelling

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Language is one whose rules a text follows.
type Language uint8

// The languages. Texts of several or unknown languages are Any: they get no accents and keep their abbreviations.
const (
	Any Language = iota
	French
)

// Text returns an address or the name of a place for people. A text that is not all capitals stays as it is.
func Text(s string, l Language) string {
	if !capitals(s) {
		return s
	}
	words := strings.Fields(s)
	var b strings.Builder
	first := true // the next word begins the text or a part of it
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		if l == French && elides(word, next) {
			b.WriteString(elided(word, first))
			first = false
			continue
		}
		b.WriteString(parts(word, next, l, first))
		first = strings.HasSuffix(word, ",") || !strings.ContainsFunc(word, isPart)
		if next != "" {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// capitals reports whether a text has letters, and all of them are capitals.
func capitals(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && !strings.ContainsFunc(s, unicode.IsLower)
}

// isPart reports whether a rune is a part of words.
func isPart(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// elides reports whether a word is an article or a preposition that lost its vowel, and its apostrophe: L EGLISE.
func elides(word, next string) bool {
	r, _ := utf8.DecodeRuneInString(next)
	return (word == "L" || word == "D") && len(next) > 1 && strings.ContainsRune("AEIOUYHÀÂÉÈÊËÎÏÔÛÙŒ", r)
}

// elided writes such a word. Only the article begins a name with a capital.
func elided(word string, first bool) string {
	if first && word == "L" {
		return "L'"
	}
	return strings.ToLower(word) + "'"
}

var (
	separators = regexp.MustCompile(`[^\p{L}\p{N}]+|[\p{L}\p{N}]+`)
	roman      = regexp.MustCompile(`^X{0,3}(IX|IV|V?I{0,3})$`)
	numbered   = regexp.MustCompile(`^([0-9]+)(ER|RE|E|EME|ND|NDE|BIS|TER|QUATER)$`)
)

// parts writes a word, whose parts may be joined by hyphens, apostrophes and the like.
func parts(word, next string, l Language, first bool) string {
	tokens := separators.FindAllString(word, -1)
	for i, token := range tokens {
		r, _ := utf8.DecodeRuneInString(token)
		switch {
		case !isPart(r):
			first = first && i == 0 || strings.ContainsAny(token, ",(/:;")
			continue
		case l == French && i+1 < len(tokens) && (token == "L" || token == "D") && strings.HasPrefix(tokens[i+1], "'"):
			tokens[i] = strings.TrimSuffix(elided(token, first), "'")
		default:
			after := next
			if i+1 < len(tokens) {
				after = tokens[i+1]
			}
			tokens[i] = spell(token, after, l, first)
		}
		first = false
	}
	return strings.Join(tokens, "")
}

// spell writes a word without separators.
func spell(word, next string, l Language, first bool) string {
	if numbered.MatchString(word) {
		return strings.ToLower(word)
	}
	if strings.ContainsFunc(word, unicode.IsDigit) || utf8.RuneCountInString(word) == 1 || roman.MatchString(word) {
		return word
	}
	long := accented[word]
	if l == French && long == "" && next != "" {
		long = expanded[word]
	}
	switch {
	case l == French && long != "":
		if !first && types[long] {
			return long
		}
		return capital(long)
	case particles[word] && !first:
		return strings.ToLower(word)
	case particles[word], saints[word] != "" && l == French:
		return capital(strings.ToLower(word))
	case acronyms[word], !strings.ContainsAny(word, vowels):
		return word
	case l != French && len(word) <= 2: // the code of a province or a canton
		return word
	case l == French && !first && types[strings.ToLower(word)]:
		return strings.ToLower(word)
	}
	return capital(strings.ToLower(word))
}

// capital writes the first letter of a word as a capital.
func capital(word string) string {
	r, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[size:]
}
