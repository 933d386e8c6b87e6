//go:build linux

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"relais/internal/filetest"
	"relais/internal/outputtest"
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
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
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
func setUps(t *testing.T, heading string) []string {
	t.Helper()
	return blocksBelow(t, proxiesPage, "### "+heading)
}

// blocksBelow returns the indented blocks below a heading of a page.
func blocksBelow(t *testing.T, page, heading string) (blocks []string) {
	t.Helper()
	text := filetest.Read(t, page)
	_, section, _ := strings.Cut(string(text), "\n"+heading+"\n")
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
		t.Fatalf("%s has no block below %s", page, heading)
	}
	return blocks
}

// A proxy is a running proxy.
type proxy struct {
	address string
	log     *outputtest.Buffer
	cmd     *exec.Cmd
}

// freeAddress is an address of 127.0.0.1 where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
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
	filetest.Write(t, file, config)
	var args []string
	for _, a := range k.args {
		args = append(args, strings.NewReplacer("CONFIG", file, "DIR", dir).Replace(a))
	}
	p := &proxy{address: address, log: &outputtest.Buffer{}, cmd: exec.Command(program, args...)}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	must(t, p.cmd.Start())
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

// callerAt is the address of the caller; the clients' keys are for it and for the
// proxy's own, 127.0.0.1.
const callerAt = "127.0.0.2"

// The set-ups of proxiesPage, each in the real program: the caller's address, the
// path and the answers come through as they are.
func TestProxies(t *testing.T) {
	c := makeCountry(t, 2500)
	backend := func(name string, flags ...string) issued {
		return createClient(t, c.dir, slices.Concat([]string{"--name", name, "--mode", "server", "--cidr", callerAt + "/32",
			"--scopes", "all-read"}, unlimited, flags)...)
	}
	x := proxied{c: c, plain: backend("plain").APIKey, signing: backend("signing", "--require-signature"),
		page: createClient(t, c.dir, append(unlimited, "--name", "page", "--mode", "browser", "--origin",
			"https://map.example", "--scopes", "all-read")...).APIKey}
	eachSetUp(t, func(t *testing.T, k *proxyKind, block, prefix string) { x.test(t, k, block, prefix) })
}

// eachSetUp runs a test for every set-up of proxiesPage, at the root and below a prefix.
func eachSetUp(t *testing.T, test func(t *testing.T, k *proxyKind, block, prefix string)) {
	for _, k := range proxyKinds {
		for i, block := range setUps(t, k.name) {
			prefix := []string{"", "/antennes"}[i]
			t.Run(k.name+prefix, func(t *testing.T) {
				k.path(t)
				test(t, &k, block, prefix)
			})
		}
	}
}

// proxied is a country that is served behind a proxy, with the keys of its clients.
type proxied struct {
	c           country
	plain, page string
	signing     issued
	s           *server
	base        string // of the proxy, with the prefix
}

func (x proxied) test(t *testing.T, k *proxyKind, block, prefix string) {
	address := freeAddress(t)
	x.base = "http://" + address + prefix
	x.s = serve(t, x.c.dir, "--trusted-proxy", "127.0.0.1/32", "--base-url", x.base, "--public-prefix", prefix)
	k.start(t, block, address, strings.TrimPrefix(x.s.base, "http://"))
	x.checkAddresses(t)
	x.checkPaths(t, prefix)
	x.checkAnswers(t)
	x.s.stop()
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
	eachSetUp(t, func(t *testing.T, k *proxyKind, block, prefix string) {
		p := k.start(t, block, freeAddress(t), backend.Listener.Addr().String())
		for _, tt := range []struct{ size, want int }{{most, 200}, {most + 2<<20, k.tooLarge}} {
			a := call(t, clientAt(t, callerAt), http.MethodPost, "http://"+p.address+prefix+"/", make([]byte, tt.size),
				"Content-Type", "image/jpeg")
			if a.status != tt.want || tt.want == 200 && string(a.body) != strconv.Itoa(tt.size) {
				t.Errorf("%d bytes: got %s, want %d", tt.size, a, tt.want)
			}
		}
	})
}
