package table

import (
	"testing"
	"unicode"
)

func TestWithoutControls(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", "A\x00B": "A B", "a\tb\r\nc": "a b  c", "del\x7f": "del ", "é\u0085\u00a0€": "é \u00a0€", "\u0080": " ", "Â\u00a0": "Â\u00a0",
	} {
		if got := string(WithoutControls([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for r := rune(0); r < 0x3000; r++ {
		got := string(WithoutControls([]byte(string(r))))
		if unicode.IsControl(r) != (got == " " && r != ' ') {
			t.Errorf("%U: %q", r, got)
		}
	}
}
