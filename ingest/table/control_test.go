package table

import (
	"testing"
	"unicode"
)

func TestWithoutControls(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"plain", "plain"},
		{"A\x00B", "A B"},
		{"a\tb\r\nc", "a b  c"},
		{"del\x7f", "del "},
		{"é\u0085\u00a0€", "é \u00a0€"},
		{"\u0080", " "},
		{"Â\u00a0", "Â\u00a0"},
	} {
		t.Run(tt.in, func(t *testing.T) {
			if got := string(WithoutControls([]byte(tt.in))); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
			}
		})
	}
	for r := rune(0); r < 0x3000; r++ {
		got := string(WithoutControls([]byte(string(r))))
		if unicode.IsControl(r) != (got == " " && r != ' ') {
			t.Errorf(`r = %U, got %q; want unicode.IsControl(r) = (got == " " && r != ' ')`, r, got)
		}
	}
}
