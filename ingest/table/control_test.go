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
		{"é\u0081\u00a0€", "é \u00a0€"},
		{"PORZO D\u0092EN BAS \u0096 \u0085\u0080", "PORZO D’EN BAS – …€"}, // as ANFR publishes it
		{"\u0080", "€"}, {"\u008d\u008f\u0090\u009d", "    "}, // which Windows-1252 does not have
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
		if r >= 0x80 && r < 0xa0 {
			if got != " " && (len(got) < 2 || unicode.IsControl([]rune(got)[0])) {
				t.Errorf("%U: %q, want a blank or what Windows-1252 has", r, got)
			}
		} else if unicode.IsControl(r) != (got == " " && r != ' ') {
			t.Errorf(`r = %U, got %q; want unicode.IsControl(r) = (got == " " && r != ' ')`, r, got)
		}
	}
}
