package e2e

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A proxyKind is a reverse proxy that docs/reverse-proxies.md says how to set up.
type proxyKind struct {
	name, program, debian string
	tooLarge              int // status for a body over the page's bound, 200 where it has none
	// frame is what a configuration needs in addition to the page's, to run unprivileged
	// in a folder and to log the requests: %[1]s is that folder, %[2]s where the
	// proxy listens, %[3]s what the page has.
	frame string
	args  []string // CONFIG is the file, DIR its folder
}

var proxyKinds = []proxyKind{
	{"Caddy", "caddy", "caddy", 502, `{
	admin off
	auto_https off
	default_bind 127.0.0.1
}
%[3]s`, []string{"run", "--adapter", "caddyfile", "--config", "CONFIG"}},
	{"nginx", "nginx", "nginx", 413, `daemon off;
pid %[1]s/pid;
worker_processes 1;
events {}
http {
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	log_format tests 'proxied id=$http_x_request_id to=$upstream_addr status=$status';
	access_log /dev/stdout tests;
	%[3]s
}`, []string{"-e", "stderr", "-p", "DIR", "-c", "CONFIG"}},
	{"Apache", "apache2", "apache2", 200, `ServerRoot %[1]s
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
	{"HAProxy", "haproxy", "haproxy", 200, `global
	nbthread 1
	log stdout format raw local0
defaults
	mode http
	log global
	log-format "proxied id=%%[capture.req.hdr(0)] to=%%s status=%%ST"
%[3]s
`, []string{"-db", "-f", "CONFIG"}},
}

// proxiesPage has the set-ups that are tested.
const proxiesPage = "../../docs/reverse-proxies.md"

// setUps returns the indented blocks below a heading of proxiesPage.
func setUps(t *testing.T, heading string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(proxiesPage)
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
		t.Fatalf("%s has no block below %s", proxiesPage, heading)
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

// path is where the program is; the test is skipped when it is nowhere.
func (k *proxyKind) path(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath(k.program)
	if err != nil {
		t.Skipf("%s is not installed (Debian: %s)", k.program, k.debian)
	}
	return path
}

// start runs the proxy with a configuration of proxiesPage, before the relais that
// listens on backend.
func (k *proxyKind) start(t *testing.T, block, address, backend string) *proxy {
	t.Helper()
	program := k.path(t)
	dir := t.TempDir()
	block = strings.NewReplacer("antennas.example {", "http://"+address+" {", "www.example {", "http://"+address+" {",
		"listen 80;", "listen "+address+";", "bind :80", "bind "+address, "*:80", address, "frontend antennas\n",
		"frontend antennas\n    capture request header X-Request-Id len 64\n", "127.0.0.1:8080", backend).Replace(block)
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
	if !waitFor(func() bool {
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
	transport := &http.Transport{DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
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
func signature(secret, path string) string { return signatureOf(secret, "GET", path, nil) }

func signatureOf(secret, method, path string, body []byte) string {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s\n%s\n%s\n%x", at, method, path, sha256.Sum256(body))
	return "t=" + at + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// callerAt is the address of the caller; the clients' keys are for it and for the
// proxy's own, 127.0.0.1.
const callerAt = "127.0.0.2"

// The set-ups of proxiesPage, each in the real program: the caller's address, the
// path and the answers come through as they are.
func TestProxies(t *testing.T) {
	c := makeCountry(t, 2500)
	limits := []string{"--minute", "1000000", "--day", "1000000", "--scopes", "all-read"}
	plain := createClient(t, c.dir, append(limits, "--name", "plain", "--mode", "server", "--cidr", callerAt+"/32")...)
	signing := createClient(t, c.dir,
		append(limits, "--name", "signing", "--mode", "server", "--cidr", callerAt+"/32", "--require-signature")...)
	page := createClient(t, c.dir,
		append(limits, "--name", "page", "--mode", "browser", "--origin", "https://map.example")...)
	for _, k := range proxyKinds {
		for i, block := range setUps(t, k.name) {
			prefix := []string{"", "/antennes"}[i]
			t.Run(k.name+prefix, func(t *testing.T) {
				k.path(t)
				address := freeAddress(t)
				base := "http://" + address + prefix
				s := serve(t, nil, "serve", "--data", c.dir, "--trusted-proxy", "127.0.0.1/32", "--base-url", base,
					"--public-prefix", prefix)
				if !waitFor(func() bool { return s.version("DROM") != "" }) {
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

// The set-ups let a body through that is as large as an upload may be; Caddy and
// nginx refuse a larger one. The server behind them reads all that comes.
func TestProxyBodySizes(t *testing.T) {
	const most = 21 << 20
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, n)
	}))
	t.Cleanup(backend.Close)
	for _, k := range proxyKinds {
		for i, block := range setUps(t, k.name) {
			prefix := []string{"", "/antennes"}[i]
			t.Run(k.name+prefix, func(t *testing.T) {
				p := k.start(t, block, freeAddress(t), backend.Listener.Addr().String())
				for size, want := range map[int]int{most: 200, most + 2<<20: k.tooLarge} {
					a, err := clientAt(t, callerAt).Post("http://"+p.address+prefix+"/", "image/jpeg",
						bytes.NewReader(make([]byte, size)))
					if err != nil {
						t.Fatal(err)
					}
					defer a.Body.Close()
					text, err := io.ReadAll(a.Body)
					if err != nil {
						t.Fatal(err)
					}
					if a.StatusCode != want || want == 200 && string(text) != strconv.Itoa(size) {
						t.Errorf("%d bytes: %d %.200s, want %d", size, a.StatusCode, text, want)
					}
				}
			})
		}
	}
}
