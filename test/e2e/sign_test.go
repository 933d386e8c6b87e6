//go:build linux

package e2e

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// signature is X-Sq-Signature as the API's description has it, of a request without a body.
func signature(secret, path string) string { return signatureOf(secret, "GET", path, nil) }

func signatureOf(secret, method, path string, body []byte) string {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s\n%s\n%s\n%x", at, method, path, sha256.Sum256(body))
	return "t=" + at + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// openssl returns the header's value for a request without a body, from the API's
// description alone.
func openssl(t *testing.T, secret, method, path string) string {
	t.Helper()
	dgst := func(text string, flags ...string) string {
		cmd := exec.Command("openssl", append([]string{"dgst", "-sha256", "-r"}, flags...)...)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("openssl: %v", err)
		}
		digest, _, _ := strings.Cut(string(out), " ")
		return digest
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	return "t=" + at + ",v1=" + dgst(strings.Join([]string{at, method, path, dgst("")}, "\n"), "-hmac", secret)
}

// signed sends a request with what relais client sign prints.
func (s *server) signed(by issued, method, path string) answer {
	s.t.Helper()
	var headers map[string]string
	command(s.t, &headers, "client", "sign", "--key", by.APIKey, "--secret", by.SigningSecret, method, s.base+path)
	return call(s.t, http.DefaultClient, method, s.base+path, nil, "Authorization", headers["Authorization"],
		"X-Sq-Signature", headers["X-Sq-Signature"])
}

// What openssl signs is accepted, and what relais client sign prints, also by curl.
func TestSignatures(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed (Debian: openssl)")
	}
	c := makeCountry(t, 200)
	s := serve(t, c.dir)
	app := newApp(t, c.dir)
	backend := createClient(t, c.dir, ofBackend("backend", "antennas:read", "--require-signature")...)
	const path = "/external/v1/antennas"
	for _, tt := range []struct {
		name, method, path, signed string
		by                         issued
		status                     int
	}{
		{"app", "GET", path, path, app, 200},
		{"backend", "GET", path, path, backend, 200},
		{"HEAD", "HEAD", path, path, app, 200},
		{"with a query", "GET", path + "?limit=2&q=a%20b", path, backend, 200},
		{"another path", "GET", path, path + "/", app, 401},
		{"another client's secret", "GET", path, path, issued{app.ID, app.APIKey, backend.SigningSecret}, 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := call(t, http.DefaultClient, tt.method, s.base+tt.path, nil, "Authorization", "Bearer "+tt.by.APIKey,
				"X-Sq-Signature", openssl(t, tt.by.SigningSecret, tt.method, tt.signed))
			if a.status != tt.status {
				t.Errorf("got %s, want %d", a, tt.status)
			}
		})
	}
	if a := s.signed(app, "GET", path+"?limit=1"); a.status != 200 {
		t.Errorf("relais client sign: got %s, want 200", a)
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Log("curl is not installed (Debian: curl): its part is left out")
	} else {
		odd := s.base + path + "/a|b?market=FR" // curl sends it as it is
		cmd := exec.Command(curl, "-s", "-H", "@-", odd)
		cmd.Stdin = strings.NewReader(run(t, "client", "sign", "--key", app.APIKey, "--secret", app.SigningSecret,
			"GET", odd))
		if got, err := cmd.Output(); err != nil || !strings.Contains(string(got), "ANTENNA_NOT_FOUND") {
			t.Errorf("curl: got %s, %v; want ANTENNA_NOT_FOUND", got, err)
		}
	}
	keepsSecrets(t, s, c.dir, app, backend)
}

// What a command changes of keys holds from the next request on.
func TestKeys(t *testing.T) {
	c := makeCountry(t, 40)
	s := serve(t, c.dir)
	one := createClient(t, c.dir, ofBackend("one", "antennas:read")...)
	two := createClient(t, c.dir, ofBackend("two", "antennas:read")...)
	three := createClient(t, c.dir, ofBackend("three", "antennas:read", "--expires", "90d")...)
	for _, step := range []struct {
		command string
		by      issued
		want    int
	}{
		{"list", one, 200},
		{"rotate one --overlap 1h", one, 200},
		{"rotate one --overlap 0", one, 401},
		{"revoke two", two, 401},
		{"delete three", three, 401},
	} {
		run(t, append(append([]string{"client"}, strings.Fields(step.command)...), "--data", c.dir)...)
		if a := s.getAs(step.by.APIKey, "/external/v1/antennas?limit=1"); a.status != step.want {
			t.Errorf("after client %s: got %s, want %d", step.command, a, step.want)
		}
	}
	keepsSecrets(t, s, c.dir, one, two, issued{APIKey: s.key})
}

// keepsSecrets makes sure that what was shown once is nowhere: not in what commands
// print later, not in the server's log, and in no file of the folder. It stops the
// server, so that all is written.
func keepsSecrets(t *testing.T, s *server, dir string, clients ...issued) {
	t.Helper()
	list := run(t, "client", "list", "--data", dir, "--json")
	s.stop()
	var secrets [][]byte
	for _, c := range clients {
		_, key, _ := strings.Cut(strings.TrimPrefix(c.APIKey, "rk_"), "_")
		for _, secret := range []string{key, c.SigningSecret} {
			if raw, err := base64.RawURLEncoding.DecodeString(secret); secret != "" && err == nil && len(raw) == 32 {
				secrets = append(secrets, []byte(secret), raw, []byte(hex.EncodeToString(raw)),
					[]byte(base64.StdEncoding.EncodeToString(raw)))
			} else if secret != "" {
				t.Errorf("a secret is %d bytes, %v; want 32", len(raw), err)
			}
		}
	}
	// look looks for secrets where the first client must be named.
	look := func(where string, text []byte, named bool) {
		if named && !bytes.Contains(text, []byte(clients[0].ID)) {
			t.Errorf("%s does not have the client", where)
		}
		for _, secret := range secrets {
			if bytes.Contains(text, secret) {
				t.Errorf("a secret is in %s", where)
			}
		}
	}
	look("the log", []byte(s.log.String()), true)
	look("client list", []byte(list), true)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		look(path, text, filepath.Base(path) == "clients.db")
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "secret.key")); clients[0].SigningSecret != "" &&
		(err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("secret.key: got %v, %v; want the mode 600", info, err)
	}
}
