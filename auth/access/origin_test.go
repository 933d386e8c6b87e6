package access

import (
	"strings"
	"testing"
)

func TestParseOrigin(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"https://example.org", "https://example.org"},
		{" HTTPS://Www.Example.ORG/ ", "https://www.example.org"},
		{"https://example.org:443", "https://example.org"},
		{"http://example.org:80/", "http://example.org"},
		{"http://example.org:443", "http://example.org:443"},
		{"https://example.org:80", "https://example.org:80"},
		{"https://example.org:08443", "https://example.org:8443"},
		{"http://localhost:5173", "http://localhost:5173"},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"https://xn--bcher-kva.example", "https://xn--bcher-kva.example"},
		{"https://my_app.example.org", "https://my_app.example.org"},
		{"https://[2001:DB8:0:0:0:0:0:1]", "https://[2001:db8::1]"},
		{"http://[::1]:80", "http://[::1]"},
		{"http://[::1]:3000", "http://[::1]:3000"},
		{"https://1.example.0a", "https://1.example.0a"},
	} {
		got, err := ParseOrigin(tt.in)
		if err != nil || got != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.in, got, err, tt.want)
		}
		if again, err := ParseOrigin(got); again != got || err != nil {
			t.Errorf("%q is read as %q, %v, want %q and no error", got, again, err, got)
		}
	}
}

func TestParseOriginErrors(t *testing.T) {
	for _, tt := range []struct{ in, says string }{
		{"", "http://"},
		{"null", "http://"},
		{"*", "http://"},
		{"example.org", "http://"},
		{"//example.org", "http://"},
		{"ftp://example.org", "http://"},
		{"file://", "http://"},
		{"chrome-extension://abc", "http://"},
		{"https:example.org", "http://"},
		{"https://", "host"},
		{"https:///", "host"},
		{"https://:443", "host"},
		{"https://example.org.", "host"},
		{"https://.example.org", "host"},
		{"https://*.example.org", "host"},
		{"https://exa%6dple.org", "host"},
		{"https://a,https://b", "'/'"},
		{"https://example.org//", "'/'"},
		{"https://example.org/path", "'/'"},
		{`https://example.org\path`, `'\\'`},
		{"https://example.org?q", "'?'"},
		{"https://example.org#f", "'#'"},
		{"https://user@example.org", "'@'"},
		{"https://user:secret@example.org", "'@'"},
		{"https://example.org:", "port"},
		{"https://example.org:0", "port"},
		{"https://example.org:65536", "port"},
		{"https://example.org:+80", "port"},
		{"https://example.org:http", "port"},
		{"https://2001:db8::1", "host"},
		{"https://[2001:db8::1", "IPv6"},
		{"https://[fe80::1%25eth0]", "zone"},
		{"https://[::ffff:10.0.0.1]", "mapped"},
		{"https://[10.0.0.1]", "IPv6"},
		{"https://[]", "IPv6"},
		{"https://127.1", "number"},
		{"https://127.0.0.01", "number"},
		{"https://0x7f.0x1", "number"},
		{"https://2130706433", "number"},
		{"https://bücher.example", "xn--"},
		{"https://\u212aelvin.example", "xn--"}, // K, whose lower case is k
		{"https://exam\tple.org", "blank"},
		{"https://a.example https://b.example", "blank"},
	} {
		got, err := ParseOrigin(tt.in)
		if err == nil || got != "" || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: got %q, %v, want an error with %q", tt.in, got, err, tt.says)
		}
	}
}

func FuzzParseOrigin(f *testing.F) {
	f.Add("HTTPS://Example.org:443/")
	f.Add("http://[::1]:080")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseOrigin(text)
		if err != nil {
			return
		}
		if again, err := ParseOrigin(got); again != got || err != nil {
			t.Errorf("%q is read as %q, and that as %q, %v, want %q and no error", text, got, again, err, got)
		}
	})
}
