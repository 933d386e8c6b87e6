// Package fold converts texts to a form for comparison: without
// case and accents, with œ as oe and ß as ss, and with hyphen, apostrophe and
// blank as one blank. Texts for users are never folded.
package fold

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// String returns the folded form of s: words separated by one blank each,
// without blanks at the ends.
func String(s string) string { return string(Append(nil, s)) }

// Words returns the words of the folded form of s.
func Words(s string) []string { return strings.Fields(String(s)) }

// Equal reports whether a and b fold to the same text.
func Equal(a, b string) bool { return String(a) == String(b) }

// Compare orders texts by their folded form, and numbers in them by their value.
func Compare(a, b string) int {
	a, b = String(a), String(b)
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		var c int
		if m > 0 && n > 0 {
			x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
			c = cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
		} else {
			m, n = 1, 1
			c = cmp.Compare(a[0], b[0])
		}
		if c != 0 {
			return c
		}
		a, b = a[m:], b[n:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns how many digits s begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// Append appends the folded form of s to dst. Bytes that are not UTF-8 become
// U+FFFD.
func Append(dst []byte, s string) []byte {
	start, gap := len(dst), false
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			i += size
			text := foldRune(r)
			switch {
			case text == "":
			case text == " ":
				gap = true
			default:
				if gap && len(dst) > start {
					dst = append(dst, ' ')
				}
				gap = false
				dst = append(dst, text...)
			}
			continue
		}
		i++
		switch {
		case c <= ' ' || c == '-' || c == '\'' || c == '`' || c == 0x7f:
			gap = true
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if gap && len(dst) > start {
			dst = append(dst, ' ')
		}
		gap = false
		dst = append(dst, c)
	}
	return dst
}

// foldRune returns the folded form of r: " " for a separator, "" for a mark.
func foldRune(r rune) string {
	if r < tabled {
		return table()[r]
	}
	return slow(r)
}

// tabled is the end of the runes whose folding is precomputed: Latin with its usual accents.
const tabled = 0x250

var table = sync.OnceValue(func() *[tabled]string {
	var t [tabled]string
	for r := range rune(tabled) {
		t[r] = slow(r)
	}
	return &t
})

func slow(r rune) string {
	var b strings.Builder
	separator := false
	for _, d := range norm.NFKD.String(string(r)) {
		switch text := part(d); text {
		case " ":
			separator = true
		default:
			b.WriteString(text)
		}
	}
	if b.Len() == 0 && separator {
		return " "
	}
	return b.String()
}

// part folds a rune that cannot be decomposed further.
func part(r rune) string {
	switch r {
	case 'œ', 'Œ':
		return "oe"
	case 'æ', 'Æ':
		return "ae"
	case 'ß', 'ẞ':
		return "ss"
	case 'ø', 'Ø':
		return "o"
	case 'ł', 'Ł':
		return "l"
	case 'đ', 'Đ':
		return "d"
	case '-', '\'', '`', 'ʼ', '‘', '’', '′', '\u00ad':
		return " "
	}
	switch {
	case unicode.IsSpace(r), unicode.Is(unicode.Pd, r), unicode.IsControl(r):
		return " "
	case unicode.Is(unicode.Mn, r):
		return ""
	}
	return string(unicode.ToLower(r))
}
