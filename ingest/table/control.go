package table

import (
	"bytes"
	"unicode"
)

// WithoutControls returns text with blanks in place of control characters: they are mistakes,
// and many databases refuse U+0000. It returns b itself if it has no such characters.
func WithoutControls(b []byte) []byte {
	for i, c := range b {
		// The controls above ASCII, U+0080 to U+009F, begin with 0xC2.
		if c < ' ' || c == 0x7f || c == 0xc2 && i+1 < len(b) && b[i+1] < 0xa0 {
			return bytes.Map(blank, b)
		}
	}
	return b
}

func blank(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
