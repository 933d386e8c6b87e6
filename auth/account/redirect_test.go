package account

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var redirects = []struct {
	text string
	ok   bool
}{
	{"https://app.example/cb", true},
	{"https://app.example", true},
	{"https://app.example:8443/cb?x=1", true},
	{"https://127.0.0.1/cb", true},
	{"http://127.0.0.1/cb", true},
	{"http://127.0.0.1:49152/cb", true},
	{"http://[::1]/cb", true},
	{"http://[::1]:1/cb", true},
	{"http://localhost:3000/oauth/callback", true},
	{"http://localhost", true},
	{"com.example.app:/cb", true},
	{"com.example.app://cb/x", true},
	{"cursor://anysphere.cursor-mcp/oauth/callback", true}, // soflyy/agent-connector-for-wp#111
	{"vscode://cb", true},
	{"x-app.2+b:///cb", true},

	{"", false},
	{"/cb", false},
	{"//app.example/cb", false},
	{"app.example/cb", false},
	{"http://app.example/cb", false},
	{"http://127.0.0.2/cb", false},
	{"http://127.1/cb", false},
	{"http://0x7f000001/cb", false},
	{"http://2130706433/cb", false},
	{"http://[::ffff:127.0.0.1]/cb", false},
	{"http://localhost.evil.example/cb", false},
	{"http://localhost@evil.example/cb", false},
	{"http://127.0.0.1:80@evil.example/cb", false},
	{"http://127.0.0.1.evil.example/", false},
	{"http://localhost:/cb", false},
	{"http://localhost:0/cb", false},
	{"http://localhost:65536/cb", false},
	{"http://localhost:080/cb", false},
	{"http://localhost:+80/cb", false},
	{"http://LOCALHOST/cb", false},
	{"HTTP://localhost/cb", false},
	{"https://user@app.example/cb", false},
	{"https://user:pass@app.example/cb", false},
	{"https://@app.example/cb", false},
	{"https://app.example/cb#", false},
	{"https://app.example/cb#fragment", false},
	{"https://*.app.example/cb", false},
	{"https://app.example/*", false},
	{"https://app.example\\@evil.example/cb", false},
	{"https:\\\\app.example/cb", false},
	{"https:///cb", false},
	{"https:cb", false},
	{"https://app.example:/cb", false},
	{"https://app.example:99999/cb", false},
	{"https://App.example/cb", false},
	{"https://app.ex\u0430mple/cb", false},
	{"https://app.example/c b", false},
	{"https://app.example/cb\r\nSet-Cookie:x=1", false},
	{"https://app.example/%zz", false},
	{"https://app.example/cb?code=1", false},
	{"https://app.example/cb?a=1&st%61te=1", false},
	{"https://app.example/cb?%zz=1", false},
	{"https://[::1]/cb", false},
	{"https://app.example/\"onclick=x", false},
	{"https://app.example/'", false},
	{"javascript:alert(1)", false},
	{"data:text/html,x", false},
	{"file:///etc/passwd", false},
	{"vscode:cb", false},
	{"vscode:", false},
	{"vscode://", false},
	{"vscode:?x=1", false},
	{"com.example.app:cb", false},
	{"Cursor://anysphere.cursor-mcp/cb", false},
	{"cursor://user@anysphere.cursor-mcp/cb", false},
	{"cursor://anysphere.cursor-mcp/cb#x", false},
	{"cursor://anysphere.cursor-mcp/cb?code=1", false},
	{"ftp://ftp.example/cb", false},
	{"ws://app.example/cb", false},
	{"wss://app.example/cb", false},
	{"coap+tcp://app.example/cb", false},
	{"tel:/1", false},
	{"sms:/1", false},
	{"mailto:/a", false},
	{"iris.beep://app.example/cb", false},
	{"z39.50r://app.example/cb", false},
	{"javascript:/x", false},
	{"javascript://app.example/%0aalert(1)", false},
	{"data:/x", false},
	{"blob:/x", false},
	{"vbscript:/x", false},
	{"about:/x", false},
	{"view-source:/x", false},
	{"filesystem:/x", false},
	{"intent://app.example/cb", false},
	{"jar:/x", false},
	{"ms-settings:/x", false},
	{"search-ms:/x", false},
	{"chrome://settings", false},
	{"chrome-extension://abcdefghijklmnop/cb", false},
	{"moz-extension://abcdefghijklmnop/cb", false},
	{"itms-apps://app.example/cb", false},
	{"urn:ietf:wg:oauth:2.0:oob", false},
	{"about:blank", false},
	{"https://app.example/" + strings.Repeat("a", maxRedirect), false},
}

func TestCheckRedirect(t *testing.T) {
	for _, tt := range redirects {
		err := CheckRedirect(tt.text)
		if (err == nil) != tt.ok {
			t.Errorf("%q: got %v, want no error: %v", tt.text, err, tt.ok)
		}
	}
	w := newWorld(t)
	_, err := w.Register("x", []string{callback, "http://evil.example/cb"})
	w.want("one of two", err, ErrRedirect)
	_, err = w.Register("x", nil)
	w.want("none", err, ErrRedirect)
	_, err = w.Register("x", slices.Repeat([]string{callback}, maxRedirects+1))
	w.want("many", err, ErrRedirect)
	for _, name := range []string{"", " ", "a\u202eb", "\x00", strings.Repeat("a", 101)} {
		if _, err := w.Register(name, []string{callback}); err == nil {
			t.Errorf("the name %q is taken", name)
		}
	}
}

func TestRedirects(t *testing.T) {
	c := &Client{RedirectURIs: []string{"https://app.example/cb", "http://127.0.0.1/cb", "http://[::1]:99/cb?x",
		"com.example.app:/cb"}}
	for _, tt := range []struct {
		asked string
		want  bool
	}{
		{"https://app.example/cb", true},
		{"http://127.0.0.1/cb", true},
		{"http://127.0.0.1:50000/cb", true},
		{"http://[::1]/cb?x", true},
		{"http://[::1]:7/cb?x", true},
		{"com.example.app:/cb", true},
		{"https://app.example/cb/", false},
		{"https://app.example/cb?x=1", false},
		{"https://app.example/CB", false},
		{"https://app.example:443/cb", false},
		{"https://app.example/cb/../evil", false},
		{"https://app.example.evil.example/cb", false},
		{"https://app.example@evil.example/cb", false},
		{"http://app.example/cb", false},
		{"https://127.0.0.1/cb", false},
		{"http://localhost/cb", false},
		{"http://127.0.0.1:50000/other", false},
		{"http://127.0.0.1:50000@evil.example/cb", false},
		{"http://127.0.0.1:5e3/cb", false},
		{"http://127.0.0.1:/cb", false},
		{"http://127.0.0.1.evil.example/cb", false},
		{"http://127.0.0.1:50000\\@evil.example/cb", false},
		{"http://127.0.0.1:50000/cb#x", false},
		{"http://evil.example/http://127.0.0.1:5/cb", false},
		{"//127.0.0.1/cb", false},
		{"com.example.app:/cb2", false},
		{"", false},
	} {
		t.Run(tt.asked, func(t *testing.T) {
			if got := c.Redirects(tt.asked); got != tt.want {
				t.Errorf("%q: %v, want %v", tt.asked, got, tt.want)
			}
		})
	}
}

// dangerous are schemes that run code, read files or open what belongs to a browser or a system.
var dangerous = regexp.MustCompile(`(?i)^\s*(javascript|data|file|blob|vbscript|about|view-source|filesystem|intent|` +
	`jar|search-ms|ms-.*|chrome.*|moz-.*|itms.*|mailto|tel|ftp|wss?|ldap|urn):`)

// Whatever is asked for, a redirect that is allowed leads where a registered one does:
// net/url and net, which had no part in the decision, find the same host and path.
func FuzzRedirects(f *testing.F) {
	for _, tt := range redirects {
		f.Add(tt.text, "http://127.0.0.1:1/cb")
		f.Add("http://127.0.0.1/cb", tt.text)
	}
	f.Fuzz(func(t *testing.T, registered, asked string) {
		if CheckRedirect(registered) != nil {
			return
		}
		u, err := url.Parse(registered)
		if err != nil || u.User != nil || u.Fragment != "" || strings.ContainsAny(registered, "*\\ \r\n\t\"<>") {
			t.Fatalf("%q can be registered", registered)
		}
		ip := net.ParseIP(u.Hostname())
		local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
		switch {
		case u.Scheme == "", u.Scheme == "http" && !local, u.Scheme == "https" && u.Hostname() == "",
			u.Opaque != "", u.Host == "" && u.Path == "", dangerous.MatchString(registered):
			t.Fatalf("%q can be registered", registered)
		}
		c := &Client{RedirectURIs: []string{registered}}
		if !c.Redirects(registered) {
			t.Fatalf("%q does not match itself", registered)
		}
		if !c.Redirects(asked) || asked == registered {
			return
		}
		a, err := url.Parse(asked)
		if err != nil {
			t.Fatalf("%q is allowed: %v", asked, err)
		}
		if port := a.Port(); port != "" {
			if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
				t.Fatalf("%q is allowed, %v, n %v, want no error, n at least 1 and n at most 65535", asked, err, n)
			}
		}
		same := a.Scheme == "http" && u.Scheme == "http" && a.Hostname() == u.Hostname() &&
			a.EscapedPath() == u.EscapedPath() && a.RawQuery == u.RawQuery && a.Fragment == "" && a.User == nil
		if !same || !local || strings.ContainsAny(asked, "\\@#") {
			t.Fatalf("%q is allowed for %q", asked, registered)
		}
	})
}
