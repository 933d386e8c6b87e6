//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// The conformance suite, and the version of it that knows the protocol's newest one and
// tests authorization servers too. make conformance installs both.
const (
	suite     = "@modelcontextprotocol/conformance/dist/index.js"
	nextSuite = "conformance-next/dist/index.js"
)

// node prepares a program of a package that make conformance installs.
func node(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	dir := os.Getenv("RELAIS_NPM")
	if dir == "" {
		t.Skip("make conformance installs the suite and runs this")
	}
	path := filepath.Join(dir, script)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{path}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "NO_COLOR=1")
	return cmd
}

// conforms runs scenarios of the suite; failures that expected does not list fail.
func conforms(t *testing.T, script, base, expected string, args ...string) {
	t.Helper()
	cmd := node(t, script, append([]string{"server", "--url", base + "/mcp", "--expected-failures", expected,
		"--output-dir", t.TempDir()}, args...)...)
	out, err := cmd.CombinedOutput()
	if _, summary, ok := strings.Cut(string(out), "=== SUMMARY ==="); ok {
		t.Logf("%s", summary)
	}
	if err != nil {
		t.Errorf("suite %q: got %v, want success\n%s", args, err, out)
	}
}

// The server as it is passes what needs nothing that only the suite calls.
func TestConformance(t *testing.T) {
	none := noFailures(t)
	node(t, suite)
	s, _ := assistants(t)
	for _, run := range []struct {
		name, script string
		scenarios    []string
	}{
		{"suite", suite, []string{"server-initialize", "ping", "tools-list", "logging-set-level", "resources-list",
			"prompts-list", "dns-rebinding-protection"}},
		{"next", nextSuite, []string{"server-session-lifecycle", "tools-list", "caching", "http-header-validation",
			"dns-rebinding-protection"}},
	} {
		for _, name := range run.scenarios {
			t.Run(run.name+"/"+name, func(t *testing.T) { conforms(t, run.script, s.base, none, "--scenario", name) })
		}
	}
}

// noFailures is a list of expected failures without any.
func noFailures(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "none.yml")
	filetest.Write(t, path, "server: []\n")
	return path
}

// The tool server passes every scenario with what the suite calls behind it. The next suite also runs those of the
// extension for tasks, which is not offered, and does not count them.
func TestConformanceFixture(t *testing.T) {
	expected, err := filepath.Abs("testdata/conformance.yml")
	must(t, err)
	none := noFailures(t)
	node(t, suite)
	base := "http://" + startFixture(t)
	t.Run("all", func(t *testing.T) { conforms(t, suite, base, expected, "--suite", "all") })
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) { conforms(t, nextSuite, base, none, "--requirements", version) })
	}
}

// startFixture starts the tool server in front of the SDK's servers with what the suite calls. It returns its address.
func startFixture(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"github.com/modelcontextprotocol/go-sdk/conformance/everything-server", "../conformance"} {
		if out, err := exec.Command("go", "build", "-o", dir+"/", name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	sessions, without, address := freeAddress(t), freeAddress(t), freeAddress(t)
	everything := filepath.Join(dir, "everything-server")
	starts(t, sessions, everything, "-http", sessions, "-stateless=false")
	starts(t, without, everything, "-http", without)
	starts(t, address, filepath.Join(dir, "conformance"), address, sessions, without)
	return address
}

// starts starts a program that listens on the address.
func starts(t *testing.T, address, path string, args ...string) {
	t.Helper()
	cmd := exec.Command(path, args...)
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if !waitFor(func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}) {
		t.Fatalf("%s does not listen", path)
	}
}

// The authorization server passes its scenarios: a program registers, a person signs in
// and consents.
func TestConformanceAuthorization(t *testing.T) {
	node(t, nextSuite)
	dir := newFolder(t)
	ada := newPerson(t, dir, "ada", "seventeen lamp posts")
	s := serve(t, dir)
	_, port, _ := strings.Cut(freeAddress(t), ":")
	id := registers(t, s.base, "http://127.0.0.1:"+port+"/callback")
	cmd := node(t, nextSuite, "authorization", "--url", s.base, "--client-id", id, "--resource", s.base+"/mcp", "--port",
		port)
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = cmd.Stdout
	must(t, cmd.Start())
	var said bytes.Buffer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if strings.HasPrefix(lines.Text(), s.base+"/oauth/authorize?") {
			ada.consents(t, lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil || strings.Count(said.String(), "authorization-code-grant") == 0 {
		t.Errorf("got %v, want a scenario of authorization-code-grant:\n%s", err, said.String())
	}
	t.Logf("%s", said.String())
}

// registers makes a client that is sent back to an address, and returns its id.
func registers(t *testing.T, base, redirect string) string {
	t.Helper()
	body, err := json.Marshal(object{"client_name": "conformance", "redirect_uris": []string{redirect}})
	must(t, err)
	a := call(t, http.DefaultClient, http.MethodPost, base+"/oauth/register", body, "Content-Type", "application/json")
	id, _ := a.object()["client_id"].(string)
	if a.status != http.StatusCreated || id == "" {
		t.Fatalf("registration: got %s, want 201 and a client_id", a)
	}
	return id
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// consents does what a person does on the page: signs in, allows, and goes where the page
// leads.
func (w *person) consents(t *testing.T, page string) {
	t.Helper()
	if a := call(t, http.DefaultClient, http.MethodGet, w.allows(t, page), nil); a.status != http.StatusOK {
		t.Errorf("back at the program: got %s, want 200", a)
	}
}

// backLink is the link on the page that follows a decision.
var backLink = regexp.MustCompile(`<a href="([^"]+)" rel="noreferrer">`)

// allows signs in and allows, and returns where the page leads.
func (w *person) allows(t *testing.T, page string) (back string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	at, err := url.Parse(page)
	must(t, err)
	browser, origin := &http.Client{Jar: jar, Timeout: 20 * time.Second}, at.Scheme+"://"+at.Host
	a := call(t, browser, http.MethodGet, page, nil)
	if a.status != http.StatusOK {
		t.Fatalf("the page: got %s, want 200", a)
	}
	form := url.Values{"name": {w.Name}, "password": {w.password}, "decision": {"allow"}}
	for _, field := range hidden.FindAllStringSubmatch(string(a.body), -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	a = call(t, browser, http.MethodPost, origin+"/oauth/authorize", []byte(form.Encode()),
		"Content-Type", "application/x-www-form-urlencoded", "Origin", origin)
	link := backLink.FindStringSubmatch(string(a.body))
	if a.status != http.StatusOK || link == nil {
		t.Fatalf("consent: got %s, want 200 and a link", a)
	}
	return html.UnescapeString(link[1])
}
