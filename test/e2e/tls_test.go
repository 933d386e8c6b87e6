//go:build linux

package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// A certificateFolder has a certificate that openssl made.
type certificateFolder struct {
	t         *testing.T
	dir       string
	cert, key string
}

func newCertificateFolder(t *testing.T) *certificateFolder {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	dir := t.TempDir()
	f := &certificateFolder{t, dir, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	f.renew("30")
	return f
}

// renew replaces both files by rename.
func (f *certificateFolder) renew(days string) {
	f.t.Helper()
	cmd := exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
		days, "-subj", "/CN=relais test", "-addext", "subjectAltName=IP:127.0.0.1", "-out", f.cert+".new", "-keyout",
		f.key+".new")
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("openssl: %v: %s", err, out)
	}
	for _, path := range []string{f.cert, f.key} {
		must(f.t, os.Rename(path+".new", path))
	}
}

// pool trusts the certificate that is in the folder now.
func (f *certificateFolder) pool() *x509.CertPool {
	f.t.Helper()
	text := filetest.Read(f.t, f.cert)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// ends is the end of the certificate that a server shows to a caller who trusts the pool.
func (s *server) ends(trusted *x509.CertPool) (time.Time, error) {
	c, err := tls.Dial("tcp", strings.TrimPrefix(s.base, "https://"), &tls.Config{RootCAs: trusted})
	if err != nil {
		return time.Time{}, err
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].NotAfter, nil
}

// streams is how many streams a server allows on a connection, by the first frame that it sends (RFC
// 9113, sections 4.1 and 6.5).
func (s *server) streams(trusted *x509.CertPool) (n uint32) {
	s.t.Helper()
	c, err := tls.Dial("tcp", strings.TrimPrefix(s.base, "https://"), &tls.Config{RootCAs: trusted, NextProtos: []string{"h2"}})
	must(s.t, err)
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	header := make([]byte, 9)
	if _, err := c.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.ReadFull(c, header); err != nil || header[3] != 4 {
		s.t.Fatalf("got frame %v, %v, want SETTINGS", header, err)
	}
	settings := make([]byte, int(header[1])<<8|int(header[2]))
	if _, err := io.ReadFull(c, settings); err != nil {
		s.t.Fatal(err)
	}
	for ; len(settings) >= 6; settings = settings[6:] {
		if settings[1] == 3 { // SETTINGS_MAX_CONCURRENT_STREAMS
			return uint32(settings[2])<<24 | uint32(settings[3])<<16 | uint32(settings[4])<<8 | uint32(settings[5])
		}
	}
	return 0
}

// serveTLS serves a folder by HTTPS, which is monitored by HTTP.
func serveTLS(t *testing.T, dir string, f *certificateFolder) (s *server, monitoring string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	monitoring = free.Addr().String()
	free.Close()
	s = start(t, nil, "serve", "--data", dir, "--tls-cert", f.cert, "--tls-key", f.key, "--ops-listen", monitoring)
	s.base = "https://" + strings.Split(strings.Split(s.log.String(), "baseUrl=https://")[1], " ")[0]
	return s, "http://" + monitoring
}

// A server speaks TLS from 1.2 on and HTTP/2, and loads another certificate while it serves.
func TestTLS(t *testing.T) {
	f := newCertificateFolder(t)
	s, monitoring := serveTLS(t, newFolder(t), f)
	first := f.pool()
	from := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: first}, ForceAttemptHTTP2: true}}
	got, err := from.Get(s.base + "/openapi.json")
	must(t, err)
	text, err := io.ReadAll(got.Body)
	got.Body.Close()
	if err != nil || got.ProtoMajor != 2 || !strings.Contains(string(text), s.base+"/external/v1") {
		t.Errorf("got %s, %v, want HTTP/2, and %s in the document", got.Proto, err, s.base)
	}
	for host, want := range map[string]string{"antennas.example": "max-age=31536000", "localhost": ""} {
		r, err := http.NewRequest(http.MethodGet, s.base+"/sign-in", nil)
		must(t, err)
		r.Host = host
		got, err := from.Do(r)
		must(t, err)
		got.Body.Close()
		if got := got.Header.Get("Strict-Transport-Security"); got != want {
			t.Errorf("Strict-Transport-Security for %s: got %q, want %q", host, got, want)
		}
	}
	if c, err := tls.Dial("tcp", strings.TrimPrefix(s.base, "https://"), &tls.Config{RootCAs: first, MinVersion: tls.VersionTLS10,
		MaxVersion: tls.VersionTLS11}); err == nil {
		c.Close()
		t.Error("TLS 1.1: got a connection, want none")
	}
	if a := call(t, http.DefaultClient, http.MethodGet, strings.Replace(s.base, "https", "http", 1)+"/", nil); a.status != 400 {
		t.Errorf("plain HTTP: got %s, want 400", a)
	}
	if a := call(t, http.DefaultClient, http.MethodGet, monitoring+"/metrics", nil); a.status != 200 ||
		!strings.Contains(string(a.body), "\nrelais_tls_certificate_expiry_timestamp_seconds ") {
		t.Errorf("metrics: got %.100s, want 200 with the end of the certificate", a)
	}
	if n := s.streams(first); n != 64 {
		t.Errorf("streams of a connection: got %d at most, want 64", n)
	}
	before, err := s.ends(first)
	must(t, err)
	f.renew("60")
	second := f.pool()
	s.waitUntil("the new certificate is shown", func() bool {
		after, err := s.ends(second)
		return err == nil && after.After(before)
	})
	must(t, os.Remove(f.key))
	s.waitUntil("the log names the missing key", func() bool { return strings.Contains(s.log.String(), f.key) })
	if _, err := s.ends(second); err != nil {
		t.Errorf("without its files: got %v, want the certificate from before", err)
	}
	f.renew("10")
	s.waitUntil("the end is warned of", func() bool { return strings.Contains(s.log.String(), "the certificate ends on") })
	s.stop()
	if n := strings.Count(s.log.String(), "the certificate from before is used"); n != 1 {
		t.Errorf("the missing key: got %d lines, want 1: %s", n, s.log)
	}
}

func TestTLSFlags(t *testing.T) {
	f, dir := newCertificateFolder(t), newFolder(t)
	fails(t, 2, "--tls-cert and --tls-key", "serve", "--data", dir, "--tls-cert", f.cert)
	fails(t, 1, "no such file", "serve", "--data", dir, "--listen", "127.0.0.1:0", "--tls-cert", f.cert, "--tls-key", f.key+".none")
	other := newCertificateFolder(t)
	fails(t, 1, "does not match", "serve", "--data", dir, "--listen", "127.0.0.1:0", "--tls-cert", f.cert, "--tls-key", other.key)
}
