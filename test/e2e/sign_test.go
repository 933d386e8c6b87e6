package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Signatures are made here by openssl, from the API's description alone.

// dgst is what openssl dgst -sha256 says of a text.
func dgst(t *testing.T, text string, flags ...string) string {
	t.Helper()
	cmd := exec.Command("openssl", append([]string{"dgst", "-sha256", "-r"}, flags...)...)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("openssl: %v", err)
	}
	digest, _, _ := strings.Cut(string(out), " ")
	return digest
}

// payload is the text that is signed for a request without a body.
func payload(t *testing.T, at, method, path string) string {
	t.Helper()
	return strings.Join([]string{at, method, path, dgst(t, "")}, "\n")
}

// signature is the header's value for a request without a body.
func opensslSignature(t *testing.T, secret, at, method, path string) string {
	t.Helper()
	return "t=" + at + ",v1=" + dgst(t, payload(t, at, method, path), "-hmac", secret)
}

func needOpenSSL(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed (Debian: openssl)")
	}
}

// unix is a time as it is signed, this many seconds from now.
func unix(seconds int64) string { return strconv.FormatInt(time.Now().Unix()+seconds, 10) }

// An asker sends requests as they are, and those that will be refused from ever
// other addresses: one that fails thirty times in a minute is told nothing else.
type asker struct {
	t       *testing.T
	s       *server
	refused int
	from    map[string]*http.Client
}

func newAsker(t *testing.T, s *server) *asker {
	a := &asker{t: t, s: s, from: map[string]*http.Client{}}
	t.Cleanup(func() {
		for _, c := range a.from {
			c.CloseIdleConnections()
		}
	})
	return a
}

// An answer is what came back.
type answer struct {
	status int
	code   string // of an error
	header http.Header
	body   string
}

// send asks from a loopback address. The path is sent as it is written; headers
// are lines such as "X-API-Key: …".
func (a *asker) send(from, method, path string, headers ...string) answer {
	a.t.Helper()
	c := a.from[from]
	if c == nil {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DialContext: dialer.DialContext}}
		a.from[from] = c
	}
	r, err := http.NewRequest(method, a.s.base, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	r.URL.Opaque, r.URL.RawQuery, _ = strings.Cut(path, "?")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	got, err := c.Do(r)
	if err != nil {
		a.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		a.t.Fatalf("%s %s: %v", method, path, err)
	}
	var e struct{ Code, RequestID string }
	json.Unmarshal(body, &e) // the answer to HEAD has no body
	if len(body) > 0 && e.RequestID != got.Header.Get("X-Request-Id") {
		a.t.Errorf("%s %s: request %q in the body, %q in the header", method, path, e.RequestID,
			got.Header.Get("X-Request-Id"))
	}
	return answer{got.StatusCode, e.Code, got.Header, string(body)}
}

// accepts asks for what must be let through.
func (a *asker) accepts(what, method, path string, headers ...string) {
	a.t.Helper()
	if got := a.send("127.0.0.1", method, path, headers...); got.status != 200 {
		a.t.Errorf("%s: %d %s", what, got.status, got.body)
	}
}

// refuses asks for what must be refused, with this status and code.
func (a *asker) refuses(what string, status int, code, path string, headers ...string) answer {
	a.t.Helper()
	a.refused++
	got := a.send(fmt.Sprintf("127.0.1.%d", 1+a.refused/20), "GET", path, headers...)
	if got.status != status || got.code != code {
		a.t.Errorf("%s: %d %s, want %d %s", what, got.status, got.body, status, code)
	}
	return got
}

// other is another character of the same kind, so that the form stays right where
// it can.
func other(c byte) byte {
	switch {
	case '0' <= c && c < '9', 'a' <= c && c < 'f', 'A' <= c && c < 'Z', 'f' < c && c < 'z':
		return c + 1
	case c == '9':
		return '0'
	case c == 'f':
		return 'a'
	}
	return 'x'
}

// changes are all texts that differ from s in one character.
func changes(s string) (list []string) {
	for i := range len(s) {
		list = append(list, s[:i]+string(other(s[i]))+s[i+1:])
	}
	return list
}

func TestSignatures(t *testing.T) {
	needOpenSSL(t)
	c := makeCountry(t, 200)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	mobile := createClient(t, c.dir, "--name", "app", "--mode", "mobile", "--scopes", "antennas:read", "--minute",
		"100000")
	signing := createClient(t, c.dir, "--name", "backend", "--mode", "server", "--cidr", "127.0.0.0/8",
		"--require-signature", "--scopes", "antennas:read", "--minute", "100000")
	a := newAsker(t, s)
	for _, by := range []struct {
		name, key string
		issued
	}{
		{"MOBILE", "Authorization: Bearer " + mobile.APIKey, mobile},
		{"SERVER", "X-API-Key: " + signing.APIKey, signing},
	} {
		t.Run(by.name, func(t *testing.T) {
			a.t = t
			signatures(a, by.key, by.issued)
		})
	}
	a.t = t
	keepsSecrets(t, s, c.dir, mobile, signing)
}

func signatures(a *asker, key string, i issued) {
	const path = "/external/v1/antennas"
	t, secret := a.t, i.SigningSecret
	header := func(at, method, path string) string {
		return "X-Sq-Signature: " + opensslSignature(t, secret, at, method, path)
	}
	for _, ok := range []struct{ method, path, signed string }{
		{"GET", path, path},
		{"GET", "/api" + path, "/api" + path},
		{"HEAD", path, path},
		{"GET", path + "?limit=2&q=a%20b", path},
		{"GET", path + "?", path},
		{"GET", path + "/fr%2D90000010", path + "/fr%2D90000010"},
		{"GET", path + "/fr%2d90000010", path + "/fr%2d90000010"},
		{"GET", path + "/9000001%30?operator=ALL", path + "/9000001%30"},
	} {
		a.accepts(ok.method+" "+ok.path, ok.method, ok.path, key, header(unix(0), ok.method, ok.signed))
	}
	// What need not stand in a path unescaped, and does: signed as it was sent.
	for _, odd := range []string{`/a|b`, `/é`, `/"a"`, `/a[b]`, `/a%7Cb`} {
		if got := a.send("127.0.0.1", "GET", path+odd, key,
			header(unix(0), "GET", path+odd)); got.code != "ANTENNA_NOT_FOUND" {
			t.Errorf("%s: %d %s", odd, got.status, got.body)
		}
	}

	unsigned := func(what, path string, headers ...string) {
		t.Helper()
		a.refuses(what, 401, "SIGNATURE_REQUIRED", path, append([]string{key}, headers...)...)
	}
	at := unix(0)
	good := opensslSignature(t, secret, at, "GET", path)
	for _, bad := range changes(good) {
		unsigned(bad, path, "X-Sq-Signature: "+bad)
	}
	for _, other := range changes(path) {
		unsigned("signed for "+other, path, header(at, "GET", other))
	}
	for _, other := range append(changes("GET"), "HEAD", "get", "") {
		unsigned("signed for "+other, path, header(at, other, path))
	}
	for _, other := range changes(secret) {
		unsigned("signed with "+other, path, "X-Sq-Signature: "+opensslSignature(t, other, at, "GET", path))
	}

	_, mac, _ := strings.Cut(good, "v1=")
	raw, err := hex.DecodeString(mac)
	if err != nil {
		t.Fatal(err)
	}
	text := payload(t, at, "GET", path)
	decoded, err := base64.RawURLEncoding.DecodeString(secret)
	if err != nil || len(decoded) != 32 {
		t.Fatalf("the secret is not 32 bytes in base64url: %v", err)
	}
	for what, value := range map[string]string{
		"upper case":          "t=" + at + ",v1=" + strings.ToUpper(mac),
		"base64":              "t=" + at + ",v1=" + base64.StdEncoding.EncodeToString(raw),
		"two t":               "t=" + at + "," + good,
		"two other t":         good + ",t=" + unix(1),
		"t=1e9":               opensslSignature(t, secret, "1e9", "GET", path),
		"t with a sign":       opensslSignature(t, secret, "+"+at, "GET", path),
		"t in hexadecimal":    opensslSignature(t, secret, fmt.Sprintf("0x%x", time.Now().Unix()), "GET", path),
		"t with a fraction":   opensslSignature(t, secret, at+".0", "GET", path),
		"t in milliseconds":   opensslSignature(t, secret, at+"000", "GET", path),
		"no t":                "v1=" + mac,
		"no v1":               "t=" + at,
		"a short v1":          good[:len(good)-1],
		"a long v1":           good + "0",
		"empty":               "",
		"plain SHA-256":       "t=" + at + ",v1=" + dgst(t, text),
		"SHA-256 with secret": "t=" + at + ",v1=" + dgst(t, secret+text),
		"the decoded secret": "t=" + at + ",v1=" + dgst(t, text, "-mac", "HMAC", "-macopt",
			"hexkey:"+hex.EncodeToString(decoded)),
		"a line feed at last": "t=" + at + ",v1=" + dgst(t, text+"\n", "-hmac", secret),
		"another body": "t=" + at + ",v1=" + dgst(t, strings.Replace(text, dgst(t, ""), dgst(t, "{}"), 1),
			"-hmac", secret),
	} {
		unsigned(what, path, "X-Sq-Signature: "+value)
	}
	unsigned("the other mount's path", "/api"+path, "X-Sq-Signature: "+good)
	unsigned("the query signed", path+"?limit=2", header(at, "GET", path+"?limit=2"))
	unsigned("the path unescaped", path+"/fr%2D90000010", header(at, "GET", path+"/fr-90000010"))
	unsigned("no header", path)
	unsigned("the header twice", path, "X-Sq-Signature: "+good, "X-Sq-Signature: "+good)

	zeros := ",v1=" + strings.Repeat("0", 64)
	a.accepts("the first of two v1", "GET", path, key, "X-Sq-Signature: "+good+zeros)
	a.accepts("the last of three v1", "GET", path, key, "X-Sq-Signature: t="+at+zeros+zeros+",v1="+mac)
	unsigned("two wrong v1", path, "X-Sq-Signature: t="+at+zeros+zeros)

	// t is whole seconds: none may end on the way
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
	a.accepts("299 s late", "GET", path, key, header(unix(-299), "GET", path))
	a.accepts("299 s early", "GET", path, key, header(unix(299), "GET", path))
	unsigned("301 s late", path, header(unix(-301), "GET", path))
	unsigned("301 s early", path, header(unix(301), "GET", path))

	// What relais client sign prints is what curl's -H reads; curl sends a|b as it is.
	odd := a.s.base + path + "/a|b?market=FR"
	out, errs, code := relais(t, "client", "sign", "--key", i.APIKey, "--secret", secret, "GET", odd)
	if code != 0 {
		t.Fatalf("client sign: %d %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if got := a.send("127.0.0.1", "GET", path+"/a|b?market=FR", lines...); got.code != "ANTENNA_NOT_FOUND" {
		t.Errorf("client sign: %d %s", got.status, got.body)
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Log("curl is not installed (Debian: curl): its part is left out")
		return
	}
	cmd := exec.Command(curl, "-s", "-H", "@-", odd)
	cmd.Stdin = strings.NewReader(out)
	if got, err := cmd.Output(); err != nil || !strings.Contains(string(got), "ANTENNA_NOT_FOUND") {
		t.Errorf("curl: %s, %v", got, err)
	}
}

// keepsSecrets makes sure that what was shown once is nowhere: not in what commands
// print later, not in the server's log, and in no file of the folder. It stops the
// server, so that all is written.
func keepsSecrets(t *testing.T, s *server, dir string, clients ...issued) {
	t.Helper()
	list, errs, code := relais(t, "client", "list", "--data", dir, "--json")
	if code != 0 || !strings.Contains(list, clients[0].ID) {
		t.Errorf("client list: %d %s", code, errs)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit = %d, want 0", code)
	}
	var secrets [][]byte
	for _, c := range clients {
		_, key, _ := strings.Cut(strings.TrimPrefix(c.APIKey, "rk_"), "_")
		for _, secret := range []string{key, c.SigningSecret} {
			if raw, err := base64.RawURLEncoding.DecodeString(secret); secret != "" && err == nil && len(raw) == 32 {
				secrets = append(secrets, []byte(secret), raw, []byte(hex.EncodeToString(raw)),
					[]byte(base64.StdEncoding.EncodeToString(raw)))
			} else if secret != "" {
				t.Errorf("a secret is %d bytes, %v", len(raw), err)
			}
		}
	}
	look := func(where string, text []byte) {
		for _, secret := range secrets {
			if bytes.Contains(text, secret) {
				t.Errorf("a secret is in %s", where)
			}
		}
	}
	text := []byte(s.log.String())
	if !bytes.Contains(text, []byte(clients[0].ID)) {
		t.Error("the log has no line of the client's requests")
	}
	look("the log", text)
	look("client list", []byte(list))
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if filepath.Base(path) == "clients.db" && !bytes.Contains(text, []byte(clients[0].ID)) {
			t.Errorf("%s does not have the client", path)
		}
		look(path, text)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "secret.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("secret.key: %v, %v", info, err)
	}
}
