package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
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
		t.Errorf("%q: %v\n%s", args, err, out)
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
			"prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection"}},
		{"next", nextSuite, []string{"server-session-lifecycle", "tools-list", "caching", "http-header-validation",
			"server-sse-multiple-streams", "dns-rebinding-protection"}},
	} {
		for _, name := range run.scenarios {
			t.Run(run.name+"/"+name, func(t *testing.T) { conforms(t, run.script, s.base, none, "--scenario", name) })
		}
	}
}

// noFailures is a list of expected failures without any.
func noFailures(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "none.yml")
	if err := os.WriteFile(path, []byte("server: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The same handler passes every scenario once it has what the suite calls. The next
// suite also runs those of the extension for tasks, which is not offered, and does not
// count them.
func TestConformanceFixture(t *testing.T) {
	expected, err := filepath.Abs("testdata/conformance.yml")
	if err != nil {
		t.Fatal(err)
	}
	none := noFailures(t)
	node(t, suite)
	s, _ := assistants(t, "--mcp-fixture")
	t.Run("all", func(t *testing.T) { conforms(t, suite, s.base, expected, "--suite", "all") })
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) { conforms(t, nextSuite, s.base, none, "--requirements", version) })
	}
}

// The authorization server passes its scenarios: a program registers, a person signs in
// and consents.
func TestConformanceAuthorization(t *testing.T) {
	node(t, nextSuite)
	c := makeCountry(t, 100)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	const password = "seventeen lamp posts"
	cmd := exec.Command(path, "user", "create", "--data", c.dir, "--password-stdin", "ada")
	cmd.Stdin = strings.NewReader(password + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := serve(t, nil, "serve", "--data", c.dir)
	_, port, _ := strings.Cut(freeAddress(t), ":")
	id := registers(t, s.base, "http://127.0.0.1:"+port+"/callback")
	cmd = node(t, nextSuite, "authorization", "--url", s.base, "--client-id", id, "--resource", s.base+"/mcp", "--port",
		port)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if strings.HasPrefix(lines.Text(), s.base+"/oauth/authorize?") {
			consents(t, lines.Text(), "ada", password)
		}
	}
	if err := cmd.Wait(); err != nil || strings.Count(said.String(), "authorization-code-grant") == 0 {
		t.Errorf("%v\n%s", err, said.String())
	}
	t.Logf("%s", said.String())
}

// registers makes a client that is sent back to an address, and returns its id.
func registers(t *testing.T, base, redirect string) string {
	t.Helper()
	body, err := json.Marshal(object{"client_name": "conformance", "redirect_uris": []string{redirect}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := http.Post(base+"/oauth/register", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var made struct {
		ClientID string `json:"client_id"`
	}
	if err := json.NewDecoder(a.Body).Decode(&made); err != nil || a.StatusCode != 201 {
		t.Fatalf("registration: %d %v", a.StatusCode, err)
	}
	return made.ClientID
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// consents does what a person does on the page: signs in, allows, and goes where the page
// leads.
func consents(t *testing.T, page, name, password string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: 20 * time.Second}
	a, err := browser.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != 200 {
		t.Fatalf("%d %v %s", a.StatusCode, err, text)
	}
	form := url.Values{"name": {name}, "password": {password}, "decision": {"allow"}}
	for _, field := range hidden.FindAllStringSubmatch(string(text), -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	r, err := http.NewRequest(http.MethodPost, a.Request.URL.Scheme+"://"+a.Request.URL.Host+"/oauth/authorize",
		strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header("Content-Type", "application/x-www-form-urlencoded", "Origin",
		a.Request.URL.Scheme+"://"+a.Request.URL.Host)
	sent, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer sent.Body.Close()
	if back, err := io.ReadAll(sent.Body); err != nil || sent.StatusCode != 200 {
		t.Errorf("consent: %d %v %s", sent.StatusCode, err, back)
	}
}
