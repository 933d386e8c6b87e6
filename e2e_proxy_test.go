package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A proxyKind is a reverse proxy that README.md says how to set up.
type proxyKind struct {
	name, program, debian string
	// frame is what a configuration needs besides README.md's, to run unprivileged
	// in a folder and to log the requests: %[1]s is that folder, %[2]s where the
	// proxy listens, %[3]s what README.md has.
	frame string
	args  []string // CONFIG is the file, DIR its folder
}

var proxyKinds = []proxyKind{
	{"Caddy", "caddy", "caddy", `{
	admin off
	auto_https off
	default_bind 127.0.0.1
}
%[3]s`, []string{"run", "--adapter", "caddyfile", "--config", "CONFIG"}},
	{"nginx", "nginx", "nginx", `daemon off;
pid %[1]s/pid;
worker_processes 1;
events {}
http {
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	log_format tests 'proxied id=$http_x_request_id to=$upstream_addr status=$status';
	access_log /dev/stdout tests;
	%[3]s
}`, []string{"-e", "stderr", "-p", "DIR", "-c", "CONFIG"}},
	{"Apache", "apache2", "apache2", `ServerRoot %[1]s
ServerName relais.test
PidFile %[1]s/pid
DefaultRuntimeDir %[1]s
ErrorLog /dev/stderr
Listen %[2]s
StartServers 1
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
%[3]s
`, []string{"-D", "FOREGROUND", "-f", "CONFIG"}},
	{"HAProxy", "haproxy", "haproxy", `global
	nbthread 1
	log stdout format raw local0
defaults
	mode http
	log global
	log-format "proxied id=%%[capture.req.hdr(0)] to=%%s status=%%ST"
%[3]s
`, []string{"-db", "-f", "CONFIG"}},
}

// readmeBlocks are the indented blocks below a heading of README.md.
func readmeBlocks(t *testing.T, heading string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n#")
	inside := false
	for line := range strings.Lines(section) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			if !inside {
				blocks = append(blocks, "")
			}
			blocks[len(blocks)-1] += code
			inside = true
		} else {
			inside = false
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("README.md has no block below %s", heading)
	}
	return blocks
}

// A proxy is a running proxy.
type proxy struct {
	address string
	log     *lockedBuffer
	cmd     *exec.Cmd
}

// freeAddress is an address of 127.0.0.1 where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs the proxy with a configuration of README.md, before the relais that
// listens on backend.
func (k *proxyKind) start(t *testing.T, block, address, backend string) *proxy {
	t.Helper()
	program, err := exec.LookPath(k.program)
	if err != nil {
		t.Skipf("%s is not installed (Debian: %s)", k.program, k.debian)
	}
	dir := t.TempDir()
	block = strings.NewReplacer("antennas.example {", "http://"+address+" {", "www.example {", "http://"+address+" {",
		"listen 80;", "listen "+address+";", "bind :80", "bind "+address, "*:80", address, "frontend antennas\n", "frontend antennas\n    capture request header X-Request-Id len 64\n", "127.0.0.1:8080", backend).Replace(block)
	config := fmt.Sprintf(k.frame, dir, address, block)
	if os.Getuid() == 0 {
		switch k.program { // which give up being root otherwise, and cannot read their folder then
		case "nginx":
			config = "user root;\n" + config
		case "apache2":
			config = "User #65534\nGroup #65534\n" + config
		}
	}
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, a := range k.args {
		args = append(args, strings.NewReplacer("CONFIG", file, "DIR", dir).Replace(a))
	}
	p := &proxy{address: address, log: &lockedBuffer{}, cmd: exec.Command(program, args...)}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Signal(syscall.SIGTERM)
		p.cmd.Wait()
	})
	if !waitFor(20*time.Second, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}) {
		t.Fatalf("%s does not listen: %s\n%s", k.name, p.log, config)
	}
	return p
}

// clientAt is an HTTP client that calls from an address and leaves answers as they
// came.
func clientAt(t *testing.T, local string) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(local)}}
	transport := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		return d.DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

// An answered is an answer that was read to its end.
type answered struct {
	status int
	header http.Header
	length int64
	body   []byte
}

// call sends a GET, or what the header Method says.
func call(t *testing.T, from *http.Client, url string, header http.Header) answered {
	t.Helper()
	header = header.Clone()
	method := cmp.Or(header.Get("Method"), http.MethodGet)
	header.Del("Method")
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	a, err := from.Do(r)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatalf("%s: %v after %d bytes", url, err, len(body))
	}
	return answered{a.StatusCode, a.Header, a.ContentLength, body}
}

// header makes a header of names and values.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// signature is X-Sq-Signature as the API's description has it.
func signature(secret, path string) string {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	empty := sha256.Sum256(nil)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s\nGET\n%s\n%x", at, path, empty)
	return "t=" + at + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// Addresses of the callers; the clients' keys are for .2 and for the proxy's own .1.
const (
	callerAt   = "127.0.0.2"
	strangerAt = "127.0.0.3"
)

// The set-ups of README.md, each in the real program: the caller's address, the
// path and the answers come through as they are.
func TestProxies(t *testing.T) {
	c := makeCountry(t, 2500)
	limits := []string{"--minute", "1000000", "--day", "1000000", "--scopes", "all-read"}
	plain := createClient(t, c.dir, append(limits, "--name", "plain", "--mode", "server", "--cidr", callerAt+"/32")...)
	signing := createClient(t, c.dir, append(limits, "--name", "signing", "--mode", "server", "--cidr", callerAt+"/32", "--require-signature")...)
	page := createClient(t, c.dir, append(limits, "--name", "page", "--mode", "browser", "--origin", "https://map.example")...)
	for _, k := range proxyKinds {
		for i, block := range readmeBlocks(t, k.name) {
			prefix := []string{"", "/antennes"}[i]
			t.Run(k.name+prefix, func(t *testing.T) {
				if _, err := exec.LookPath(k.program); err != nil {
					t.Skipf("%s is not installed (Debian: %s)", k.program, k.debian)
				}
				address := freeAddress(t)
				base := "http://" + address + prefix
				s := serve(t, nil, "serve", "--data", c.dir, "--trusted-proxy", "127.0.0.1/32", "--base-url", base, "--public-prefix", prefix)
				if !waitFor(5*time.Second, func() bool { return s.version("DROM") != "" }) {
					t.Fatalf("not ready: %s", s.log)
				}
				k.start(t, block, address, strings.TrimPrefix(s.base, "http://"))
				checkAddresses(t, s, base, plain.APIKey)
				checkPaths(t, base, prefix, plain.APIKey, signing)
				checkAnswers(t, s, base, plain.APIKey, page.APIKey)
				s.stop()
			})
		}
	}
}

// checkAddresses makes sure that nobody gets another's address by what he sends.
func checkAddresses(t *testing.T, s *server, base, key string) {
	const path = "/external/v1/antennas/90000010"
	if a := call(t, clientAt(t, callerAt), base+path, header("X-API-Key", key)); a.status != 200 {
		t.Errorf("from the client's address: %d %s", a.status, a.body)
	}
	other := clientAt(t, strangerAt)
	for _, forged := range [][]string{
		{}, {"X-Forwarded-For", callerAt}, {"X-Forwarded-For", callerAt, "X-Forwarded-For", callerAt}, {"X-Forwarded-For", callerAt + ", " + callerAt},
		{"X-Forwarded-For", callerAt, "X-Forwarded-For", "127.0.0.1"}, {"X-Forwarded-For", callerAt + ", 127.0.0.1,"}, {"Forwarded", "for=" + callerAt},
		{"X-Forwarded-For", "127.0.0.1", "Forwarded", "for=127.0.0.1"}, {"X-Real-IP", callerAt, "True-Client-IP", callerAt, "X-Client-IP", callerAt},
		// A proxy that takes the caller's word for what is hop by hop would drop its own line.
		{"Connection", "X-Forwarded-For"}, {"Connection", "close, X-Forwarded-For", "X-Forwarded-For", callerAt},
	} {
		for whose, key := range map[string]string{callerAt: key, "127.0.0.1": s.key} {
			for way, url := range map[string]string{"through the proxy": base, "straight": s.base} {
				a := call(t, other, url+path, header(append([]string{"X-API-Key", key}, forged...)...))
				if a.status != 403 || !bytes.Contains(a.body, []byte(`"IP_NOT_ALLOWED"`)) {
					t.Errorf("%s as %s with %q: %d %.200s", way, whose, forged, a.status, a.body)
				}
			}
		}
	}
}

// checkPaths makes sure that paths arrive as they were sent: a signature tells.
func checkPaths(t *testing.T, base, prefix, key string, signing issued) {
	from := clientAt(t, callerAt)
	for _, tt := range []struct {
		path string
		code string // of the answer, "" for 200
	}{
		{"/external/v1/antennas/90000010", ""}, {"/external/v1/antennas?limit=2&q=a%20b%2Bc", ""}, {"/api/external/v1/antennas/fr%2D90000010?market=FR&x=/../", ""},
		{"/external/v1/antennas/a%2Fb", "ANTENNA_NOT_FOUND"}, {"/external/v1/antennas/%2e%2e", "ANTENNA_NOT_FOUND"},
		{"/external/v1/antennas/%2E%2e%2F%2e%2E?x=%2e", "ANTENNA_NOT_FOUND"}, {"/external/v1/antennas/a%3Bb%c3%a9~%7E%21", "ANTENNA_NOT_FOUND"},
	} {
		path, _, _ := strings.Cut(tt.path, "?")
		for _, h := range []http.Header{
			header("X-API-Key", key),
			header("X-API-Key", signing.APIKey, "X-Sq-Signature", signature(signing.SigningSecret, prefix+path)),
		} {
			h.Set("X-Request-Id", "paths-1")
			a := call(t, from, base+tt.path, h)
			if tt.code == "" && a.status != 200 || tt.code != "" && (a.status != 404 || !bytes.Contains(a.body, []byte(`"code":"`+tt.code+`","requestId":"paths-1"}`))) {
				t.Errorf("%s, signed %q: %d %.200s", tt.path, h["X-Sq-Signature"], a.status, a.body)
			}
		}
		wrong := "/antennes" + path // what is not asked for
		if prefix != "" {
			wrong = path
		}
		a := call(t, from, base+tt.path, header("X-API-Key", signing.APIKey, "X-Sq-Signature", signature(signing.SigningSecret, wrong)))
		if a.status != 401 || !bytes.Contains(a.body, []byte(`"SIGNATURE_REQUIRED"`)) {
			t.Errorf("%s, signed as %s: %d %.200s", tt.path, wrong, a.status, a.body)
		}
	}
	if link := call(t, from, base+"/api/public/antennas", nil).header.Get("Link"); !strings.HasPrefix(link, "<"+base+"/") {
		t.Errorf("Link %s is not below %s", link, base)
	}
}

// checkAnswers compares answers with those that come straight.
func checkAnswers(t *testing.T, s *server, base, key, pageKey string) {
	from := clientAt(t, callerAt)
	const one, export = "/external/v1/antennas/90000010", "/external/v1/antennas/export?format=json"
	tag := call(t, from, s.base+one, header("X-API-Key", key)).header.Get("ETag")
	for _, tt := range []struct {
		path   string
		header []string
		status int
		least  int
	}{
		{one, nil, 200, 1000},
		{one, []string{"If-None-Match", tag}, 304, 0},
		{one, []string{"Accept-Encoding", "gzip"}, 200, 100},
		{one, []string{"Accept-Encoding", "zstd"}, 200, 100},
		{one, []string{"Accept-Encoding", "br, gzip;q=0"}, 200, 1000},
		{one, []string{"Method", "HEAD"}, 200, 0},
		{one, []string{"Method", "OPTIONS", "Origin", "https://map.example", "Access-Control-Request-Method", "GET"}, 204, 0},
		{one, []string{"Origin", "https://map.example", "X-API-Key", pageKey}, 200, 1000},
		{one, []string{"Origin", "https://other.example", "X-API-Key", pageKey}, 403, 10},
		{export, nil, 200, 1 << 20},
		{export, []string{"Accept-Encoding", "gzip"}, 200, 1 << 16},
		{export, []string{"Accept-Encoding", "zstd"}, 200, 1 << 16},
		{"/external/v1/nothing", nil, 404, 10},
	} {
		h := header(append([]string{"X-Request-Id", "answers-1"}, tt.header...)...)
		if h.Get("X-API-Key") == "" {
			h.Set("X-API-Key", key)
		}
		want, got := call(t, from, s.base+tt.path, h), call(t, from, base+tt.path, h)
		if got.status != tt.status || want.status != tt.status || !bytes.Equal(got.body, want.body) || len(got.body) < tt.least || got.length != want.length {
			t.Errorf("%s %q: %d, %d bytes, Content-Length %d; straight %d, %d bytes, %d", tt.path, tt.header, got.status, len(got.body), got.length, want.status, len(want.body), want.length)
		}
		for name := range want.header {
			counts := strings.Contains(name, "Ratelimit") && !strings.Contains(name, "Limit-Limit") && !strings.HasSuffix(name, "Policy") // they go on
			if name == "Date" || counts && len(got.header[name]) == 1 {
				continue
			}
			if strings.ReplaceAll(strings.Join(got.header[name], "|"), ", ", ",") != strings.ReplaceAll(strings.Join(want.header[name], "|"), ", ", ",") { // Apache takes blanks out
				t.Errorf("%s %q: %s is %q, straight %q", tt.path, tt.header, name, got.header[name], want.header[name])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(got.header)) {
			if want.header[name] == nil && name != "Server" && name != "Via" && name != "Connection" && name != "Keep-Alive" {
				t.Errorf("%s %q: the proxy added %s %q", tt.path, tt.header, name, got.header[name])
			}
		}
		if tt.status == 200 && (got.header.Get("X-RateLimit-Remaining") == "" || got.header.Get("ETag") == "" || got.header.Get("X-Request-Id") != "answers-1") {
			t.Errorf("%s %q: a header is missing: %v", tt.path, tt.header, got.header)
		}
	}
}
