package table

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// WithoutControls returns text without control characters: they are mistakes, and many databases refuse U+0000.
// U+0080 to U+009F are what Windows-1252 means by these numbers, such as ’ and €, since such a text was taken for
// Latin-1. All others are blanks. It returns b itself if it has no such characters.
func WithoutControls(b []byte) []byte {
	if hasControl(b) {
		return bytes.Map(blank, b)
	}
	return b
}

func hasControl(b []byte) bool {
	for i, c := range b {
		// The controls above ASCII, U+0080 to U+009F, begin with 0xC2.
		if mayControl[c] && (c != 0xc2 || i+1 < len(b) && b[i+1] < 0xa0) {
			return true
		}
	}
	return false
}

// mayControl has the bytes that control characters begin with.
var mayControl = func() (is [256]bool) {
	for c := range ' ' {
		is[c] = true
	}
	is[0x7f], is[0xc2] = true, true
	return is
}()

func blank(r rune) rune {
	if 0x80 <= r && r < 0xa0 {
		r = charmap.Windows1252.DecodeByte(byte(r))
	}
	if unicode.IsControl(r) || r == utf8.RuneError {
		return ' '
	}
	return r
}

// isSpecial is 1 for bytes that are not printable ASCII.
var isSpecial = func() (is [256]uint8) {
	for c := range is {
		if c < ' ' || c > '~' {
			is[c] = 1
		}
	}
	return is
}()

func countSpecial(b []byte) (n int) {
	for _, c := range b {
		n += int(isSpecial[c])
	}
	return n
}
