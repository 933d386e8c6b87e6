package lang

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestFor(t *testing.T) {
	for _, tt := range []struct{ name, stated, accepted, want string }{
		{"nothing", "", "", "en"},
		{"stated", "nl", "fr", "nl"},
		{"stated, but unknown", "xx", "de", "de"},
		{"stated in other letters", "FR", "", "en"},
		{"French of Canada", "", "fr-CA,fr;q=0.8,en;q=0.5", "fr"},
		{"Dutch of Belgium", "", "nl-BE,nl;q=0.9,fr;q=0.8", "nl"},
		{"German of Switzerland", "", "de-CH", "de"},
		{"German of Switzerland before French", "", "de-CH,fr-CH;q=0.9", "de"},
		{"Swiss German", "", "gsw-CH", "de"},
		{"a country's other language", "", "en-BE,nl-BE;q=0.9", "en"},
		{"the second wish", "", "it-CH,de;q=0.7", "de"},
		{"none of them", "", "ja,pt;q=0.9", "en"},
		{"the least wished", "", "nl;q=0.1,de;q=0.2", "de"},
		{"refused", "", "fr;q=0, nl", "nl"},
		{"any", "", "*", "en"},
		{"not a header", "", "\xff;;;", "en"},
		{"an invalid one before others", "", "\xff;;;, fr-CH, fr;q=0.9, en;q=0.8", "fr"},
		{"an invalid weight", "", "de;q=much, nl;q=0.9", "nl"},
		{"cut within a tag", "", "nl" + strings.Repeat(",ja;q=0.5", 21) + ", 1234567890 and so on", "nl"},
		{"without a comma", "", strings.Repeat("d", 10000), "en"},
		{"long", "", strings.Repeat("de,", 10000), "de"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Accept-Language", tt.accepted)
			if got := For(tt.stated, r).Tag; got != tt.want {
				t.Errorf("For(%q) with %.40q = %s, want %s", tt.stated, tt.accepted, got, tt.want)
			}
		})
	}
}
