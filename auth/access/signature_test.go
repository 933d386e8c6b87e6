package access

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"
)

var signedAt = time.Unix(1790000000, 0)

// What openssl computes on the command line is what we do.
func TestAgainstOpenSSL(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	for _, tt := range []struct{ secret, method, path, body string }{
		{"s", "GET", "/external/v1/antennas", ""},
		{newSecret(), "POST", "/api/external/v1/sites/fr-1/photos", "body\x00with bytes\n"},
		{newSecret(), "GET", "/external/v1/antennas/a%2Fb", ""},
	} {
		run := func(stdin string, args ...string) string {
			cmd := exec.Command(openssl, args...)
			cmd.Stdin = strings.NewReader(stdin)
			out, err := cmd.Output()
			must(t, err)
			return string(out)[strings.LastIndex(string(out), " ")+1 : len(out)-1]
		}
		digest := run(tt.body, "dgst", "-sha256", "-hex")
		sum := run("1790000000\n"+tt.method+"\n"+tt.path+"\n"+digest, "dgst", "-sha256", "-hmac", tt.secret, "-hex")
		header := "t=1790000000,v1=" + sum
		body := sha256.Sum256([]byte(tt.body))
		if got := Sign(tt.secret, signedAt, tt.method, tt.path, body); got != header {
			t.Errorf("%+v: %s, openssl has %s", tt, got, header)
		}
		s, err := parseSignature([]string{header})
		if err != nil || s.fresh(signedAt) != nil || s.matching(tt.secret, tt.method, tt.path, body) == "" {
			t.Errorf("%+v: openssl's signature is refused: got %v, want no error", tt, err)
		}
	}
}

// accepted reports whether a header is the signature of a request.
func accepted(header, secret, method, path string, body [sha256.Size]byte) bool {
	s, err := parseSignature([]string{header})
	return err == nil && s.fresh(signedAt) == nil && s.matching(secret, method, path, body) != ""
}

// Every change of one character is refused: in the header, the secret, the method,
// the path and the body.
func TestOneCharacter(t *testing.T) {
	const secret, method, path = "abcDEF123", "GET", "/external/v1/antennas/7"
	body := sha256.Sum256([]byte("body"))
	header := Sign(secret, signedAt, method, path, body)
	if !accepted(header, secret, method, path, body) {
		t.Fatal("not accepted")
	}
	each := func(text string, f func(changed string)) {
		for i := range text {
			for _, c := range "0aAfFz9/=,;. \n%" {
				if byte(c) != text[i] {
					f(text[:i] + string(c) + text[i+1:])
				}
			}
		}
	}
	n := 0
	refuse := func(ok bool, what, changed string) {
		n++
		if ok {
			t.Errorf("%s %q is accepted", what, changed)
		}
	}
	each(header, func(h string) { refuse(accepted(h, secret, method, path, body), "header", h) })
	each(secret, func(s string) { refuse(accepted(header, s, method, path, body), "secret", s) })
	each(path, func(p string) { refuse(accepted(header, secret, method, p, body), "path", p) })
	each("GET", func(m string) {
		if strings.ToUpper(m) != method {
			refuse(accepted(header, secret, m, path, body), "method", m)
		}
	})
	each("body", func(b string) { refuse(accepted(header, secret, method, path, sha256.Sum256([]byte(b))), "body", b) })
	if n < 1000 {
		t.Errorf("only %d changes, want at least 1000", n)
	}
}

func TestParseSignature(t *testing.T) {
	hex1, hex2 := strings.Repeat("a", 64), strings.Repeat("b", 64)
	for _, tt := range []struct {
		header string
		want   bool
	}{
		{"t=1790000000,v1=" + hex1, true}, {"v1=" + hex1 + ",t=1790000000", true},
		{"t=1,v1=" + hex1 + ",v1=" + hex2, true},
		{"", false}, {"t=1", false}, {"v1=" + hex1, false}, {"t=1,t=1,v1=" + hex1, false},
		{"t=1,t=2,v1=" + hex1, false}, {"t=1e9,v1=" + hex1, false}, {"t=-1,v1=" + hex1, false},
		{"t=+1,v1=" + hex1, false}, {"t=,v1=" + hex1, false},
		{"t=1234567890123,v1=" + hex1, false}, {"t=１,v1=" + hex1, false},
		{"t=1,v1=" + strings.ToUpper(hex1), false}, {"t=1,v1=" + hex1[:63], false}, {"t=1,v1=" + hex1 + "a", false},
		{"t=1,v1=qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", false},
		{"t=1,v1=qLDo2Lqb5tcDbu0lT9KOqLDo2Lqb5tcDbu0lT9KOabc=", false}, {"t=1,v2=" + hex1, false},
		{"t=1;v1=" + hex1, false}, {"t=1,,v1=" + hex1, false}, {"t=1, v1=" + hex1, false},
		{"t=1" + strings.Repeat(",v1="+hex1, maxV1), true}, {"t=1" + strings.Repeat(",v1="+hex1, maxV1+1), false},
		{strings.Repeat("x", 1<<20), false},
	} {
		if _, err := parseSignature([]string{tt.header}); (err == nil) != tt.want {
			t.Errorf("%.100q: got %v, want no error: %v", tt.header, err, tt.want)
		}
	}
	for _, lines := range [][]string{nil, {}, {"t=1,v1=" + hex1, "t=1,v1=" + hex1}} {
		if _, err := parseSignature(lines); err == nil {
			t.Errorf("%d headers are accepted", len(lines))
		}
	}
}

func TestFresh(t *testing.T) {
	s, err := parseSignature([]string{Sign("s", signedAt, "GET", "/", EmptyBody)})
	must(t, err)
	for _, tt := range []struct {
		seconds int
		want    bool
	}{{0, true}, {300, true}, {-300, true}, {301, false}, {-301, false}, {1e9, false}} {
		if err := s.fresh(signedAt.Add(time.Duration(tt.seconds) * time.Second)); (err == nil) != tt.want {
			t.Errorf("%d s: got %v, want no error: %v", tt.seconds, err, tt.want)
		}
	}
}

// One of several signatures that matches is enough.
func TestSeveralSignatures(t *testing.T) {
	header := Sign("new", signedAt, "GET", "/", EmptyBody)
	header += Sign("old", signedAt, "GET", "/", EmptyBody)[len("t=1790000000"):]
	for _, tt := range []struct {
		secret string
		want   bool
	}{
		{"new", true},
		{"old", true},
		{"other", false},
	} {
		t.Run(tt.secret, func(t *testing.T) {
			if accepted(header, tt.secret, "GET", "/", EmptyBody) != tt.want {
				t.Errorf("%s: accepted: %v, want %v", tt.secret, !tt.want, tt.want)
			}
		})
	}
}

func FuzzParseSignature(f *testing.F) {
	f.Add(Sign("s", signedAt, "GET", "/", EmptyBody))
	f.Add("t=1,v1=" + strings.Repeat("0", 64) + ",v1=" + strings.Repeat("f", 64))
	f.Fuzz(func(t *testing.T, header string) {
		s, err := parseSignature([]string{header})
		if err != nil {
			return
		}
		// What is accepted has no second spelling: except for the order, it can be
		// written again from what was read.
		rest := header
		for _, v := range s.v1 {
			text := "v1=" + hex.EncodeToString(v[:])
			if !strings.Contains(rest, text) {
				t.Fatalf("%q: got %s, want %s in it", header, rest, text)
			}
			rest = strings.Replace(rest, text, "", 1)
		}
		if strings.Trim(strings.Replace(rest, "t="+s.at, "", 1), ",") != "" {
			t.Errorf("%q: %q is left over, want none", header, rest)
		}
	})
}

// What is signed is what was sent, byte for byte.
func TestSentPath(t *testing.T) {
	for _, path := range []string{"/a", "/a%2Fb", "/a%2fb", "/a|b", "/a%7Cb", "/é", `/"a"`, "/a[b]", "/%C3%A9é"} {
		u, err := url.ParseRequestURI(path + "?q=1")
		must(t, err)
		if got := SentPath(u); got != path {
			t.Errorf("got %s, want %s", got, path)
		}
	}
}

// A secret is given to commands as it is: none may look like a flag.
func TestSecretIsNoFlag(t *testing.T) {
	for range 2000 {
		if s := newSecret(); len(s) != secretLength || s[0] == '-' {
			t.Fatalf("got secret %s, want %d characters, the first not -", s, secretLength)
		}
	}
}
